"""Other ways to read moves from a board, written from how they are described: what `tracking.py` compares with."""
