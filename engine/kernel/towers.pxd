cimport cython

from engine.kernel.mailbox cimport MOST_SQUARES, OFF, Mailbox
from engine.kernel.tree cimport MOST_MOVES, MOST_PLIES

cdef enum:
    MOST_PIECES = 256
    MOST_TAKEN = 65536
    MOST_ORDERS = 8192
    BLOCKED = 5

@cython.final
cdef class Towers(Mailbox):
    cdef unsigned char top[MOST_PLIES * MOST_SQUARES]
    cdef unsigned char bottom[MOST_PLIES * MOST_SQUARES]
    cdef unsigned char under[MOST_PLIES * MOST_PIECES]
    cdef unsigned char kind[MOST_PLIES * MOST_PIECES]
    cdef int pieces
    cdef unsigned long long layer[4 * MOST_PIECES]
    cdef unsigned long long mask
    cdef unsigned long long odd
    cdef unsigned char last_row[2 * MOST_SQUARES]
    cdef int advanced[2 * MOST_SQUARES]
    cdef unsigned char centre[MOST_SQUARES]
    cdef unsigned char longest[MOST_SQUARES]
    cdef int rows
    cdef bint flying
    cdef int landing
    cdef bint optional
    cdef bint men_return
    cdef int precedence[8]
    cdef int precedences
    cdef bint man_takes_king
    cdef int crowning
    cdef bint removed_now
    cdef bint turn_back
    cdef bint second_jump
    cdef bint keep_rank
    cdef bint first_king_wins
    cdef int most_jumps
    cdef unsigned char prisoner[MOST_TAKEN]
    cdef int prisoners[MOST_PLIES + 1]
    cdef int taken_at[MOST_MOVES]
    cdef unsigned long long taken_sum[MOST_MOVES]
    cdef int ply
    cdef int mover
    cdef int start
    cdef int earliest
    cdef int next_move
    cdef int next_prisoner
    cdef int jumps
    cdef bint too_many
    cdef unsigned char path[MOST_PIECES + 1]
    cdef unsigned char path_king[MOST_PIECES + 1]
    cdef unsigned long long path_sum[MOST_PIECES + 1]
    cdef int best_taken
    cdef int best_kings
    cdef bint best_is_king
    cdef unsigned char best_king[MOST_PIECES + 1]
    cdef int order_move[MOST_ORDERS]
    cdef unsigned long long order_sum[MOST_ORDERS]
    cdef int orders_seen
    cdef bint may_jump(self, int at, int square, int number) noexcept nogil
    cdef bint has_jump(self, int ply, int side) noexcept nogil
    cdef int jumped(self, int at, int square, int way, int side, bint king) noexcept nogil
    cdef void leave_behind(self, int at, int over) noexcept nogil
    cdef void land(self, int over, int way, int depth, bint king) noexcept nogil
    cdef void copy_on(self, int ply) noexcept nogil
    cdef int take(self, int ply, int square, int bottom) noexcept nogil
    cdef void count_top(self, int ply, int number, int more) noexcept nogil
    cdef bint jump_on(self, int square, int came, int depth, bint king) noexcept nogil
    cdef void found(self, int square, int depth, bint king) noexcept nogil
    cdef unsigned int capture_code(self, int square, bint crowns, unsigned long long taken) noexcept nogil
    cdef int against_best(self, int depth, int kings) noexcept nogil
    cdef void another_order(self, int move, int depth) noexcept nogil
    cdef void add_quiet(self, int start, int end, bint king, bint crowns) noexcept nogil
    cdef unsigned long long tower_word(self, int ply, int square) noexcept nogil
    cdef void measure_tower(self, int ply, int square, int number, int sign) noexcept nogil
