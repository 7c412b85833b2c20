"""From pictures of a board to a BoardView: a camera becomes a board like any other."""
