"""Two games as a PDN file holds them."""

RUSSIAN_PDN = """\
[Event "one"]
[GameType "25"]
[Result "*"]

1. c3-d4 f6-g5 2. d2-c3 d6-e5 3. d4:h4 h6-g5 4. h4:f6 e7:g5 5. c1-d2 b6-c5 6. a3-b4 c5:c1
7. e3-d4 c1:b6 8. f2-e3 b6:h4 9. e1-f2 h4:b4 10. g1-f2 g7-f6 11. f2-g3 g5-f4 12. g3:g7
f8:h6 13. a1-b2 b4-c3 *

[Event "two"]
[GameType "25"]
[Result "*"]

1. c3-d4 f6-g5 2. d2-c3 d6-e5 3. d4:h4 h6-g5 *

"""
