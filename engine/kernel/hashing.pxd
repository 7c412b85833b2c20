from libc.stdlib cimport free
from libc.string cimport memset

cdef extern from * nogil:
    """
    #include <stdlib.h>
    #include <string.h>
    #ifdef __linux__
    #include <sys/mman.h>
    /* Zeroed memory, in pages of 2 MB where the system has them: the table is read at random. */
    static inline void *dambord_room(size_t bytes) {
        size_t page = (size_t)2 << 20;
        void *room = NULL;
        if (bytes < page)
            return calloc(bytes, 1);
        if (posix_memalign(&room, page, bytes))
            return NULL;
        madvise(room, bytes, MADV_HUGEPAGE);
        memset(room, 0, bytes);
        return room;
    }
    #else
    static inline void *dambord_room(size_t bytes) { return calloc(bytes, 1); }
    #endif
    #define DAMBORD_LOW 0xFFFFFFFFULL
    #define DAMBORD_ALL 0xFFFFFFFFFFFFFFFFULL
    #define DAMBORD_GOLDEN 0x9E3779B97F4A7C15ULL
    """
    const unsigned long long LOW "DAMBORD_LOW"
    const unsigned long long ALL "DAMBORD_ALL"
    const unsigned long long GOLDEN "DAMBORD_GOLDEN"
    void *room "dambord_room"(size_t)
    void prefetch "__builtin_prefetch"(const void*)

cdef class Table:
    cdef unsigned long long* slots
    cdef unsigned long long mask
    cdef int age
    cdef readonly object size
    cdef void fetch(self, unsigned long long key) noexcept nogil
    cdef unsigned long long look(self, unsigned long long key) noexcept nogil
    cdef void keep(self, unsigned long long key, unsigned int code, int score, int depth, int bound) noexcept nogil
