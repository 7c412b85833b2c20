from engine.kernel.endings cimport Endings
from engine.kernel.tree cimport MOST_MOVES, MOST_PLIES, Tree
from engine.kernel.moves cimport BB, MOST_BITS, Draughts, lowest, moved, popcount
from libc.stdlib cimport free, malloc

cdef enum:
    WORDS = 13
    CONTENTS = 6561
    PATTERN = 8
    SCALARS = 10
    CHUNK = 6
    CHUNKS = 22
    STEPS = 12

cdef class Weights:
    cdef int lanes
    cdef int words
    cdef int pieces
    cdef short *table
    cdef int scalar[2 * SCALARS]
    cdef int place[8 * MOST_BITS]
    cdef unsigned long long lane[4 * MOST_BITS * WORDS]
    cdef BB left
    cdef BB right
    cdef BB road[2]

cdef class JudgedDraughts(Draughts):
    cdef Weights weights
    cdef Endings endings
    cdef int ending_pieces
    cdef int chunks
    cdef BB cone[(2 * CHUNKS) << CHUNK]
    cdef BB crowning_in[2 * STEPS]
    cdef unsigned long long index[WORDS * MOST_PLIES]
    cdef int early[MOST_PLIES]
    cdef int late[MOST_PLIES]
    cdef int value[SCALARS]
    cdef void put(self, int ply, int kind, int bit, int sign) noexcept nogil
    cdef void index_from_scratch(self, int ply) noexcept nogil
    cdef int king_freedom(self, int ply, int side) noexcept nogil
    cdef int free_men(self, int ply, int side) noexcept nogil
    cdef void scalars(self, int ply) noexcept nogil
