"""A program that pretends to be a Hub engine: `python fake_hub.py HABIT`."""

from __future__ import annotations

import signal
import sys


def main(habit):
    if habit == "dead":
        return
    if habit == "deaf":
        signal.pause()
    limit = ""
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        limit = rest.partition("time=")[2].partition(" ")[0] if word == "level" else limit
        answer(habit, word, limit)


def answer(habit, word, limit):
    if word == "hub":
        say("id name=Fake version=1 author=Nobody country=NN")
        say("gibberish {{{ \x07" if habit == "babbling" else "wait")
        if habit == "babbling":
            say("wait")
    elif word == "init":
        say("done move=21-17")  # nobody asked
        say("ready")
    elif word == "go":
        say(
            {
                "illegal": "done move=1-50",
                "nonsense": "done move=what",
                "silent done": "done",
                "babbling": "blah blah\ndone move=9-99\n",
                "error": "error message=no",
                "dies": "info depth=1",
                "tells its limit": f"info score={limit}\ndone move=21-17",
            }[habit]
        )
        if habit == "dies":
            sys.exit(3)


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
