from libc.stdlib cimport calloc, free
from libc.string cimport memset

cdef extern from * nogil:
    """
    #define DAMBORD_LOW 0xFFFFFFFFULL
    #define DAMBORD_ALL 0xFFFFFFFFFFFFFFFFULL
    #define DAMBORD_GOLDEN 0x9E3779B97F4A7C15ULL
    """
    const unsigned long long LOW "DAMBORD_LOW"
    const unsigned long long ALL "DAMBORD_ALL"
    const unsigned long long GOLDEN "DAMBORD_GOLDEN"

cdef class Table:
    cdef unsigned long long* slots
    cdef unsigned long long mask
    cdef int age
    cdef readonly object size
    cdef unsigned long long look(self, unsigned long long key) noexcept nogil
    cdef void keep(self, unsigned long long key, unsigned int code, int score, int depth, int bound) noexcept nogil
