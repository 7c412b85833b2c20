"""What a board shows, weighed against what may have been done: the values and stories the tracker reads with."""
