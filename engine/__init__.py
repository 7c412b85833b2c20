"""The game, without any board: rule sets, positions, legal moves, notation, players."""
