"""A slow second opinion on the rules: it lists everything a piece could do and strikes out what the rules forbid.

It shares no code and no ideas with `engine`, takes and gives plain values, and was written from the rules' texts alone.
"""
