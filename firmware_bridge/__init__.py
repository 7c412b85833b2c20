"""Microcontrollers and what hangs on them: boards, arms, panels; bytes on one side, views and cues on the other."""
