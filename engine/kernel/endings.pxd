from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer

from engine.kernel.moves cimport BB, MOST_BITS, lowest, popcount

cdef enum:
    MAN = 0
    KING = 1
    SLOTS = 2592

ctypedef const unsigned char* Codes

cdef class Index:
    cdef int place[4 * MOST_BITS]
    cdef int bit_at[4 * MOST_BITS]
    cdef int places[4]
    cdef long long choose[(MOST_BITS + 1) * 8]
    cdef readonly bint symmetric
    cdef long long rank(self, BB b, int side, int kind) noexcept nogil
    cdef int slot(self, int side, int men, int kings, int enemy_men, int enemy_kings) noexcept nogil
    cdef long long number(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil

cdef class Endings(Index):
    cdef readonly int most_pieces
    cdef BB crowning[2]
    cdef list held
    cdef Codes data[SLOTS]
    cdef long long stride[4 * SLOTS]
    cdef int value(self, BB men0, BB kings0, BB men1, BB kings1, int side) noexcept nogil

cdef int unpacked(Codes data, long long at) noexcept nogil
cdef Codes address(object view) except? NULL
