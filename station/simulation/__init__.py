"""Simulated people and their boards: the witness against which the reading of boards is measured."""
