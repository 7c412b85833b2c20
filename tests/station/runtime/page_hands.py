"""A demo as a process of its own, and a person at its page: eyes, hands, and the rules in the head."""

from __future__ import annotations

import signal
import subprocess
import sys

from engine.notation import full_move_text, square_name
from engine.position import Piece, Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset

PATIENCE_MS = 12_000
A_LOOK_MS = 300
"""For so long lamps are looked at before they are obeyed."""
STATE = """() => {
  const belief = {}, wood = {}, lamps = {};
  for (const cell of document.querySelectorAll("#belief-board [data-square]")) {
    belief[cell.dataset.square] = cell.dataset.content ?? "empty";
  }
  for (const cell of document.querySelectorAll("#wood-board [data-cell]")) {
    const name = cell.dataset.square ?? cell.dataset.cell;
    if (cell.dataset.content) wood[name] = cell.dataset.content;
    if (cell.dataset.lamp) lamps[name] = cell.dataset.lamp;
  }
  return {
    belief, wood, lamps,
    turn: document.querySelector(".player[data-turn]")?.dataset.side ?? null,
    prompt: document.querySelector("#advice").dataset.prompt,
    sentence: document.querySelector("#guidance").textContent,
  };
}"""
READY = f"""(side) => {{
  const {{prompt, lamps, turn}} = ({STATE})();
  const lit = Object.keys(lamps).length > 0;
  return prompt === "over" || (prompt === "reply" && lit) || (["turn", "crown"].includes(prompt) && turn === side);
}}"""

LIT_OR_MADE = f"""(ply) => {{
  if (document.querySelectorAll("#moves td[data-ply]").length >= ply) return true;
  const lit = JSON.stringify(({STATE})().lamps);
  if (lit !== window.lit) [window.lit, window.litSince] = [lit, performance.now()];
  return lit !== "{{}}" && performance.now() - window.litSince >= {A_LOOK_MS};
}}"""
MOST_STEPS = 20


class Demo:
    """`dambord demo` on a free port; ends with the test."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "station.runtime.cli", "demo", "--port", "0", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Dambord is running: http://"), line + self.process.communicate()[1]
        self.url = line.split()[-1]

    def end(self):
        """Ends it as a shell does; what it complained about."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            _, complaints = self.process.communicate(timeout=10)
        finally:
            self.process.kill()
        return self.process.returncode, complaints


class Person:
    """Sits at the page of one board: reads what it shows, and does only what a mouse and keys can."""

    def __init__(self, page, expect, variant, shots):
        self.page, self.expect, self.shots = page, expect, shots
        self.ruleset = load_ruleset(variant)
        self.rules = rules_for(self.ruleset)
        self.names = [square_name(square, self.ruleset) for square in range(len(self.ruleset.geometry))]

    # --- eyes ---

    def state(self):
        """What the page shows, at this moment."""
        return self.page.evaluate(STATE)

    def position(self):
        """The position that the station believes in."""
        shown = self.state()
        contents = tuple(Piece[shown["belief"][name].upper()] for name in self.names)
        return Position(contents, Side(shown["turn"]))

    def moves(self):
        """The moves in the list."""
        return self.page.locator("#moves td[data-ply]").all_inner_texts()

    def sees(self, prompt, sentence=None):
        """Wait for a prompt, and for its sentence (a text, or a pattern)."""
        self.expect(self.page.locator("#advice")).to_have_attribute("data-prompt", prompt, timeout=PATIENCE_MS)
        if sentence is not None:
            self.expect(self.page.locator("#guidance")).to_have_text(sentence)

    def sees_moves(self, count):
        """Wait until so many moves are in the list."""
        self.expect(self.page.locator("#moves td[data-ply]")).to_have_count(count, timeout=PATIENCE_MS)

    def sees_lamps(self, lamps):
        """Wait until exactly these lamps of the wooden board are lit."""
        for square, role in lamps.items():
            self.expect(self.page.locator(wood(square))).to_have_attribute("data-lamp", role, timeout=PATIENCE_MS)
        self.expect(self.page.locator("#wood-board [data-lamp]")).to_have_count(len(lamps), timeout=PATIENCE_MS)

    def picture(self, name):
        """Keep what the page looks like."""
        self.page.screenshot(path=self.shots / f"{name}.png")

    # --- hands ---

    def drag(self, start, end):
        """Carry a piece from square to square."""
        self.page.drag_and_drop(wood(start), wood(end))

    def to_tray(self, square):
        """Carry a piece from its square to the tray of its colour."""
        colour = self.page.locator(wood(square)).get_attribute("data-content").partition("_")[0]
        self.page.drag_and_drop(wood(square), tray(colour))
        self.expect(self.page.locator(wood(square))).not_to_have_attribute("data-content", f"{colour}_man")

    def from_tray(self, colour, square):
        """Carry a man from its tray to a square, or onto a man to crown it."""
        self.page.drag_and_drop(tray(colour), wood(square))

    def play(self, move):
        """Make a move on the wooden board: the piece first, then what it took, one by one."""
        names = self.names
        self.drag(names[move.from_square], names[move.to_square])
        for square in move.captured:
            self.to_tray(names[square])

    def find(self, text):
        """The legal move that is written so."""
        legal = self.rules.legal_moves(self.position())
        return next(move for move in legal if full_move_text(move, self.ruleset) == text)

    def set_up(self, position):
        """Make the wooden board like a position, piece by piece, by way of the trays."""
        wanted = {name: piece.name.lower() for name, piece in zip(self.names, position.contents, strict=True)}
        standing = self.state()["wood"]
        for name, content in standing.items():
            if wanted[name] != content:
                self.to_tray(name)
        for name, content in wanted.items():
            if content != "empty" and standing.get(name) != content:
                self.from_tray(content.partition("_")[0], name)

    # --- lamps ---

    def follow_lamps_until(self, ply):
        """Do what the lamps say until the move with this number stands in the list."""
        for _ in range(MOST_STEPS):
            self.page.wait_for_function(LIT_OR_MADE, arg=ply, timeout=PATIENCE_MS)
            if len(self.moves()) >= ply:
                return
            self.follow_lamps()
        raise AssertionError(f"the lamps lead nowhere: {self.state()}")

    def follow_lamps(self):
        """Do what the lamps say now, and nothing else; the moment after, they have changed."""
        lamps = self.state()["lamps"]
        lit = {role: [name for name, shown in lamps.items() if shown == role] for role in set(lamps.values())}
        assert not lit.get("wrong"), lamps
        if "lift" in lit:
            (start,) = lit["lift"]
            (end,) = lit.get("place", [start])
            self.drag(start, end)
            if "place" not in lit:
                lit.pop("lift")
        for square in lit.get("remove", []):
            self.to_tray(square)
        if "lift" not in lit:
            for square in lit.get("place", []):
                self.from_tray(self.state()["belief"][square].partition("_")[0], square)
        for square, role in lamps.items():
            self.expect(self.page.locator(wood(square))).not_to_have_attribute("data-lamp", role)


def wood(square):
    """A square of the wooden board, or a cell (`column,row`) that is not played on."""
    kind = "cell" if "," in square else "square"
    return f'#wood-board [data-{kind}="{square}"]'


def tray(colour):
    """The tray of a colour, beside the wooden board."""
    return f'#wood-board [data-tray="{colour}"]'
