from engine.kernel.tree cimport Tree
from engine.kernel.hashing cimport ALL, GOLDEN, LOW, Table

cdef enum:
    MOST_PLIES = 192
    MOST_MOVES = 12320
    PLACES = 16384
    MOST_COUNTERS = 12
    LAST_PLY = 186
    ROOM = 11500
    LINE = 48
    PAST = 256
    ROOT = 512
    WON = 30000
    SURE = 29000
    TABLE_WON = 20000
    HIGHEST = 15000
    NOTHING = 32000

cdef extern from * nogil:
    """
    #define DAMBORD_PICKED (-(1LL << 62))
    """
    const long long PICKED "DAMBORD_PICKED"

cdef class Search:
    cdef Tree tree
    cdef Table table
    cdef public bint hashing
    cdef public int threat_plies
    cdef public int threat_above
    cdef public int threat_below
    cdef public int extend
    cdef public int reduce_from
    cdef public int reduce_depth
    cdef public int reduce_scale
    cdef public int cut_depth
    cdef public int cut_margin
    cdef public int cut_slope
    cdef public int cut_share
    cdef public int late_depth
    cdef public int late_base
    cdef public int late_slope
    cdef public int unknown_depth
    cdef bint same_depth
    cdef bint optional
    cdef bint resolving
    cdef volatile bint halted
    cdef unsigned long long nodes
    cdef unsigned long long limit
    cdef unsigned long long hash_hits
    cdef unsigned long long table_hits
    cdef int deepest
    cdef int depth
    cdef int score
    cdef int margin
    cdef int root_moves
    cdef int past_moves
    cdef unsigned long long past[PAST]
    cdef int root_move[ROOT]
    cdef int root_score[ROOT]
    cdef int root_bound[ROOT]
    cdef int best_length
    cdef unsigned int best_line[LINE]
    cdef int length[MOST_PLIES]
    cdef unsigned int line[MOST_PLIES * LINE]
    cdef unsigned int killer[2 * MOST_PLIES]
    cdef int played[MOST_PLIES]
    cdef unsigned int answer[1 << 15]
    cdef short merit[1 << 15]
    cdef long long rank[MOST_MOVES]
    cdef unsigned char reduction[64 * 64]
    cdef void deepen(self, int depth) noexcept nogil
    cdef int top(self, int depth, int alpha, int beta) noexcept nogil
    cdef int visit(self, int ply, int depth, int alpha, int beta, bint cut) noexcept nogil
    cdef int inside(self, int ply, int depth, int alpha, int beta, bint cut, int listed) noexcept nogil
    cdef int settled(self, unsigned long long data, int ply, int depth, int alpha, int beta) noexcept nogil
    cdef int counted_out(self, int ply) noexcept nogil
    cdef int shallow(self, int ply, int depth, int beta, int moves) noexcept nogil
    cdef int fewer(self, int depth, int number, bint wide) noexcept nogil
    cdef int quiet(self, int ply, int alpha, int beta, int threats) noexcept nogil
    cdef int rest(self, int ply) noexcept nogil
    cdef int known(self, int ply) noexcept nogil
    cdef bint repeated(self, int ply) noexcept nogil
    cdef unsigned long long signature(self, int ply, int depth) noexcept nogil
    cdef int place(self, int ply, int move) noexcept nogil
    cdef int order(self, int ply, int moves, unsigned int hashed) noexcept nogil
    cdef int pick(self, int ply, int moves) noexcept nogil
    cdef void learn(self, int ply, int number, int depth) noexcept nogil
    cdef void credit(self, int place, int bonus) noexcept nogil
    cdef void follow(self, int ply, unsigned int code) noexcept nogil
