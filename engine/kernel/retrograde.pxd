from libc.stdlib cimport calloc, free

from engine.kernel.tree cimport FACTS
from engine.kernel.moves cimport BB, MOST_BITS, Draughts, popcount
from engine.kernel.endings cimport KING, MAN, SLOTS, Codes, Index

cdef enum:
    HOLE = 253
    CAPTURING = 254
    SETTLED = 255

ctypedef BB* Boards
ctypedef unsigned char* Bytes
ctypedef unsigned short* Words

cdef class Solver(Draughts):
    cdef readonly Index index
    cdef readonly bint immediate
    cdef int pairs
    cdef int movers[2]
    cdef int last
    cdef int draws
    cdef int longest
    cdef int shortest
    cdef long long count[8]
    cdef Boards sets[8]
    cdef Words due[2]
    cdef Words most[2]
    cdef Bytes left[2]
    cdef Codes known[SLOTS]
    cdef list held
    cdef int outcome(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef int ended(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side, int captures) noexcept nogil
    cdef void note(self, int verdict) noexcept nogil
    cdef int weigh_captures(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef int weigh_crownings(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef void look(self, int which, long long at, BB men, BB kings, BB enemy_men, BB enemy_kings) noexcept nogil
    cdef void begin(self, int which) noexcept nogil
    cdef void run(self) noexcept nogil
    cdef void spread(self, int which, int half) noexcept nogil
    cdef void undo(self, int which, long long at, bint won, int half) noexcept nogil
    cdef void mark(self, int which, long long at, bint won, int half) noexcept nogil
    cdef int code_of(self, int which, long long at) noexcept nogil
    cdef int value_of(self, int which, long long at) noexcept nogil

cdef class Packer:
    cdef list digits
    cdef long long digit[4]
    cdef long long step[4]
    cdef int order[4]
    cdef long long size
    cdef int kind[1026]
    cdef int length[1026]
    cdef long long runs(self, Codes values) noexcept nogil
    cdef void lay(self, Codes values, Bytes line) noexcept nogil
    cdef long long write(self, Bytes line, Bytes into) noexcept nogil
    cdef int gather(self, Bytes line, long long begin, long long end) noexcept nogil
    cdef long long write_runs(self, int runs, Bytes into, long long place) noexcept nogil
    cdef int turn(self, int run, int runs) noexcept nogil

cdef Bytes reserve(long long size) except? NULL
cdef void release(void* room) noexcept
