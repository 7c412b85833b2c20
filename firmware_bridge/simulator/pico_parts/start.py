"""Runs the firmware that lies in the working folder: `micropython start.py UNIQUE_ID HANDS ANSWERS`."""

import sys

sys.path.insert(0, "")
sys.path.insert(1, __file__.rsplit("/", 1)[0])

import main  # noqa: F401
