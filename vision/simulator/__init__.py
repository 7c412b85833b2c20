"""A camera above a board that exists only in memory: what it would see of wood, pieces, hands and light.

For tests of geometry, gating, covering, bumps and light. How well pictures are read is never quoted from these.
Shares no code with what locates and reads boards.
"""
