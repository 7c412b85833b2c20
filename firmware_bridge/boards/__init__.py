"""One module a kind of board, each with one class `Driver`; found by its name, listed nowhere."""
