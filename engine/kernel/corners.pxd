cimport cython

from engine.kernel.mailbox cimport MOST_SQUARES, OFF, Mailbox
from engine.kernel.tree cimport MOST_MOVES, MOST_PLIES, Tree

cdef enum:
    MOST_LINES = 12
    MOST_LIMIT = 256
    BOTH_AT_GOAL = 10
    HURRY = 12

@cython.final
cdef class Corners(Mailbox):
    cdef int made[2 * MOST_PLIES]
    cdef int at_home[2 * MOST_PLIES]
    cdef int at_goal[2 * MOST_PLIES]
    cdef unsigned char home[2 * MOST_SQUARES]
    cdef unsigned char to_go[2 * MOST_SQUARES]
    cdef unsigned char off_line[MOST_SQUARES]
    cdef unsigned char column[MOST_SQUARES]
    cdef unsigned char row[MOST_SQUARES]
    cdef int column_goal[2 * MOST_LINES]
    cdef int row_goal[2 * MOST_LINES]
    cdef int in_column[MOST_LINES]
    cdef int in_row[MOST_LINES]
    cdef bint ahead[2 * 8]
    cdef bint steps_that_way[2 * 8]
    cdef bint jumps_that_way[2 * 8]
    cdef int first_side
    cdef int home_limit
    cdef bint last_reply
    cdef unsigned long long made_word[2 * MOST_LIMIT]
    cdef int queue[MOST_SQUARES]
    cdef unsigned long long seen[MOST_SQUARES]
    cdef unsigned long long stepped[MOST_SQUARES]
    cdef unsigned long long stamp
    cdef void from_square_on(self, int ply, int square) noexcept nogil
    cdef void add(self, int move, int start, int end) noexcept nogil
    cdef bint can_move(self, int ply) noexcept nogil
    cdef bint has_arrived(self, int ply, int side) noexcept nogil
    cdef bint is_late(self, int ply, int side) noexcept nogil
    cdef unsigned long long home_word(self, int ply) noexcept nogil
    cdef void measure_side(self, int ply, int side, int sign) noexcept nogil
    cdef void look_ahead(self, int at, int square, int side, int sign) noexcept nogil
    cdef int steps_to_goal(self, int side) noexcept nogil
