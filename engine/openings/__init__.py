"""Opening tables, one TOML file each: what is drawn by lot before a game; `engine.ballot` reads them.

`openings` lists one opening a line: label | moves, and after another `|` a note. A move is written as the published
table writes it (`ab4`: from column a to b4; `9-13`, `23x16`). `a1>a5` carries a man before play (a flying checker) and
counts as that side's turn, `---` leaves a side as it stands, `-28` takes a man off, `free` leaves the choice to the
players, `!` at the end marks an opening lost for one side.
A line with `..` after its label holds several, numbered upwards from there: `*` stands for one item of the list after
the second `|`, whose parts are joined by `/`.
"""
