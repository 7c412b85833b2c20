"""The kernel: move generators, evaluation, endgame tables and search, in Python that also compiles (see tree.py)."""
