"""A move, or a whole position, made by an arm: what it does, step by step, and what the board must show meanwhile."""
