"""A Hub engine that always plays the first legal move: `python hub_player.py HABIT [FILE]`.

With its third move of a game it does as its habit says: illegal, silent, dies, babbles, error; with FILE only where
there is no such file yet. `plays` has no bad habit, `one game` knows no parameter, `scan` calls games as Scan does.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from engine import hub
from engine.rules import rules_for
from engine.ruleset import load_ruleset

HABIT = sys.argv[1]
PARAMS = {
    "one game": (),
    "scan": (hub.Param("variant", "normal", "enum", values=("normal", "killer", "bt", "frisian", "losing")),),
}
SCAN = {"normal": "international", "bt": "breakthrough", "losing": "antidraughts"}


def main():
    rules = rules_for(load_ruleset("international"))
    position, moves = rules.start(), 0
    for line in sys.stdin:
        match hub.read_hub(line):
            case hub.Hub():
                say(hub.Id("First Move", "7"))
                usual = (hub.Param("variant", "international", "string"), hub.Param("speed", "3", "int"))
                for param in PARAMS.get(HABIT, usual):
                    say(param)
                say(hub.Wait())
            case hub.SetParam("variant", value):
                rules = rules_for(load_ruleset(SCAN.get(value, value)))
            case hub.SetParam("threads") | hub.SetParam("variant") if HABIT == "one game":
                say(hub.Error("there is no such parameter"))
            case hub.Init():
                say(hub.Ready())
            case hub.NewGame():
                moves = 0
            case hub.SetPosition(text, played):
                position = hub.read_position_text(text, rules)
                for word in played:
                    position = position.after(hub.read_hub_move(word, rules.legal_moves(position)))
            case hub.Go():
                moves += 1
                if moves == 3 and is_time():
                    misbehave()
                say(hub.Info(depth=4, nodes=1000))
                say(hub.Info(depth=5))
                say(hub.Done(hub.hub_move_text(rules.legal_moves(position)[0])))
            case hub.Quit():
                return


def is_time():
    if len(sys.argv) < 3:
        return True
    file = Path(sys.argv[2])
    done = file.exists()
    file.touch()
    return not done


def misbehave():
    match HABIT:
        case "illegal":
            say(hub.Done("1-50"))
        case "silent":
            time.sleep(60)  # noqa: TID251 - this is what it is for
        case "dies":
            os._exit(3)
        case "error":
            say(hub.Error("out of order"))
        case "babbles":
            while True:
                say(hub.Info(depth=1))


def say(message):
    sys.stdout.write(hub.write_hub(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
