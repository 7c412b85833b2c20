from libc.stdlib cimport calloc, free

from engine.kernel.tree cimport MOST_COUNTERS, MOST_MOVES, MOST_PLIES, Tree

cdef extern from * nogil:
    """
    typedef unsigned long long dambord_bb;
    static inline int dambord_popcount(dambord_bb b) { return __builtin_popcountll(b); }
    static inline int dambord_lowest(dambord_bb b) { return __builtin_ctzll(b); }
    """
    ctypedef unsigned long long BB "dambord_bb"
    int popcount "dambord_popcount"(BB)
    int lowest "dambord_lowest"(BB)

cdef extern from * nogil:
    """
    static inline dambord_bb dambord_moved(dambord_bb b, int d, const int *shift, const dambord_bb *target) {
        int by = shift[d];
        if (sizeof(b) == 8) /* A rotation: what comes round is on no target. */
            return ((b << (by & 63)) | (b >> (-by & 63))) & target[d];
        return (by < 0 ? b >> -by : b << by) & target[d];
    }
    """
    BB moved "dambord_moved"(BB, int, const int*, const BB*)

cdef enum:
    MOST_BITS = 128
    FEW = 24
    BUCKETS = 4096
    PLACES = 262144
    MOST_JUMPS_ANYHOW = 1000000000
    KINGS_FIRST = 4
    MOST_ALIKE = 200

cdef class Draughts(Tree):
    cdef BB man[2 * MOST_PLIES]
    cdef BB king[2 * MOST_PLIES]
    cdef BB huffable[MOST_PLIES]
    cdef BB run_king[2 * MOST_PLIES]
    cdef int run_moves[2 * MOST_PLIES]

    cdef BB start[MOST_MOVES]
    cdef BB end[MOST_MOVES]
    cdef BB off[MOST_MOVES]
    cdef BB huffed[MOST_MOVES]
    cdef unsigned long long way[MOST_MOVES]
    cdef unsigned long long rank[MOST_MOVES]

    cdef BB valid
    cdef int shift[8]
    cdef BB target[8]
    cdef int man_move[16]
    cdef int man_moves[2]
    cdef int man_capture[16]
    cdef int man_captures[2]
    cdef int king_move[16]
    cdef int king_moves_[2]
    cdef int king_capture[16]
    cdef int king_captures[2]
    cdef int down_once[8]
    cdef int down_twice[8]
    cdef BB down_target[8]
    cdef int down_captures[2]
    cdef int up_once[8]
    cdef int up_twice[8]
    cdef BB up_target[8]
    cdef int up_captures[2]
    cdef BB last_row[2]
    cdef BB main_road
    cdef bint flying
    cdef int landing
    cdef int king_move_limit
    cdef int capture
    cdef int precedence[8]
    cdef int precedences
    cdef bint majority
    cdef bint by_order
    cdef bint man_may_capture_king
    cdef int crowning
    cdef bint removed_now
    cdef bint turn_back
    cdef bint men_return
    cdef bint first_king_wins
    cdef bint every_order
    cdef public int plain_jumps
    cdef int most_places
    cdef int most_jumps
    cdef unsigned long long wrap
    cdef unsigned long long golden

    cdef int square_of[MOST_BITS]
    cdef unsigned long long random[4 * MOST_BITS]
    cdef unsigned long long random_run[2 * MOST_BITS]
    cdef unsigned long long random_huff[MOST_BITS]
    cdef unsigned long long random_side

    cdef int base
    cdef int n
    cdef int best
    cdef int mover
    cdef int jumps
    cdef int places
    cdef bint tired
    cdef bint overflow
    cdef bint spilt
    cdef bint sought_in_buckets
    cdef int bucket[BUCKETS]
    cdef int following[MOST_MOVES]
    cdef bint by_place
    cdef unsigned long long era
    cdef unsigned long long* known_tag
    cdef unsigned long long* known_rank
    cdef BB* known_off
    cdef char* known_end
    cdef BB own_kings
    cdef BB enemy_kings
    cdef BB shield
    cdef BB crown_row
    cdef BB path[MOST_BITS]

    cdef BB step(self, BB b, int d) noexcept nogil
    cdef void add(self, BB start, BB end, BB off, int count, bint crowned) noexcept nogil
    cdef unsigned long long rank_of(self, int count) noexcept nogil
    cdef bint is_listed(self, BB start, BB end, BB off, bint crowned, unsigned long long way, unsigned long long rank) noexcept nogil
    cdef int bucket_of(self, BB end, BB off, unsigned long long way) noexcept nogil
    cdef unsigned long long folded(self, BB b) noexcept nogil
    cdef void put_into_bucket(self, int move) noexcept nogil
    cdef int place_of(self, BB here, BB off, int count, bint is_king, int banned) noexcept nogil
    cdef bint has_memory(self) noexcept nogil
    cdef bint king_jumps(self, BB start, BB here, BB enemy, BB empty, BB off, int count, bint crowned, int banned) noexcept nogil
    cdef bint man_jumps(self, BB start, BB here, BB enemy, BB empty, BB off, int count, int banned) noexcept nogil
    cdef void try_captures(self, BB able, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef void find_captures(self, BB able, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef void find_quiet(self, BB men, BB kings, BB enemy, BB rested, int side) noexcept nogil
    cdef int count_quiet(self, BB men, BB kings, BB enemy, int side) noexcept nogil
    cdef void prefer(self) noexcept nogil
    cdef void copy(self, int source, int place) noexcept nogil
    cdef void one_each(self) noexcept nogil
    cdef void generate(self, BB men, BB kings, BB enemy_men, BB enemy_kings, BB rested, int side, bint quiet) noexcept nogil
    cdef int list_moves(self, int ply, bint quiet) noexcept nogil
    cdef BB able(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef void remember(self, int ply, int move) noexcept nogil
    cdef unsigned long long run_word(self, int own) noexcept nogil
    cdef unsigned long long huff_word(self, int ply) noexcept nogil
    cdef unsigned long long key_of(self, int ply) noexcept nogil
    cdef void settle(self, int ply) noexcept nogil
    cdef unsigned long long count_fast(self, BB men, BB kings, BB enemy_men, BB enemy_kings, int side, int base, int depth, bint bulk) noexcept nogil
    cdef int count_jumps(self, BB men, BB enemy_men, BB enemy_kings, int side) noexcept nogil
    cdef unsigned long long count_after_jumps(self, BB men, BB enemy_men, BB enemy_kings, int side, int base, int depth, bint bulk) noexcept nogil
    cdef unsigned long long count_after_men(self, BB men, BB enemy_men, BB enemy_kings, int side, int base, int depth, bint bulk) noexcept nogil
    cdef unsigned long long count_slow(self, int ply, int depth, bint bulk) noexcept nogil
