cdef enum:
    MOST_PLIES = 192
    MOST_MOVES = 12320  # not a multiple of 1,024: the fields of one move would contend for the same lines of a cache
    MOST_COUNTERS = 12
    FACTS = 24

cdef class Tree:
    cdef unsigned long long key[MOST_PLIES]
    cdef int side[MOST_PLIES]
    cdef int men[2 * MOST_PLIES]
    cdef int kings[2 * MOST_PLIES]
    cdef int on_road[MOST_PLIES]
    cdef int reversible[MOST_PLIES]
    cdef int counted[2 * MOST_COUNTERS * MOST_PLIES]
    cdef int first[MOST_PLIES]
    cdef bint calm[MOST_PLIES]
    cdef unsigned int code[MOST_MOVES]
    cdef int taken[MOST_MOVES]
    cdef int crowns[MOST_MOVES]
    cdef int from_square[MOST_MOVES]
    cdef int to_square[MOST_MOVES]
    cdef int king_moves[MOST_MOVES]
    cdef readonly bint no_move_wins
    cdef readonly object tables
    cdef int counters
    cdef int counter_limit[MOST_COUNTERS]
    cdef int counter_least[MOST_COUNTERS]
    cdef int counter_most[MOST_COUNTERS]
    cdef int counter_kings[MOST_COUNTERS]
    cdef int counted_kings
    cdef int counted_pieces
    cdef int calm_pieces
    cdef int counter_facts[FACTS * MOST_COUNTERS]
    cdef int moves(self, int ply) noexcept nogil
    cdef int captures(self, int ply) noexcept nogil
    cdef void make(self, int ply, int move) noexcept nogil
    cdef int evaluate(self, int ply) noexcept nogil
    cdef int decided(self, int ply) noexcept nogil
    cdef bint threatened(self, int ply) noexcept nogil
    cdef bint can_capture(self, int ply) noexcept nogil
    cdef int ending(self, int ply) noexcept nogil
    cdef int drawn(self, int ply) noexcept nogil
    cdef void count_on(self, int ply, int move) noexcept nogil
    cdef int at_rest(self, int rule, int ply) noexcept nogil
    cdef int applies(self, int rule, int ply) noexcept nogil
    cdef int stronger(self, int rule, int ply) noexcept nogil
