from engine.kernel.tree cimport MOST_COUNTERS, MOST_MOVES, MOST_PLIES, Tree

cdef enum:
    MOST_SQUARES = 144
    MOST_TERMS = 32
    OFF = 255

cdef class Mailbox(Tree):
    cdef int squares
    cdef unsigned char neighbour[8 * MOST_SQUARES]
    cdef int direction[8 * 8]
    cdef int directions[8]
    cdef unsigned char board[MOST_PLIES * MOST_SQUARES]
    cdef int road[MOST_SQUARES]
    cdef int road_squares
    cdef unsigned long long word[4 * MOST_SQUARES]
    cdef unsigned long long turn_word
    cdef int orders[MOST_MOVES]
    cdef bint counts_orders
    cdef int terms
    cdef int weight[MOST_TERMS]
    cdef int feature[MOST_TERMS]
    cdef void count_pieces(self, int side) noexcept
    cdef void begin_counters(self) noexcept
    cdef void measure(self, int ply) noexcept nogil
    cdef void to_root(self) noexcept nogil
    cdef int roads(self, int ply) noexcept nogil
    cdef long long leaves(self, int ply, int depth) noexcept nogil
