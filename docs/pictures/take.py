"""The pictures of the documents, taken from the pages as they are: `make pictures`.

    python docs/pictures/take.py [--browser /usr/bin/chromium] [NAME ...]

Each picture is a page of `dambord demo` in a real browser, with hands that drag pieces. They are written beside this
file; the names of those wanted may be given.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).parent
LAPTOP, PHONE, WALL = (1280, 800), (390, 844), (1920, 1080)
WAIT_MS = 30_000


@contextmanager
def demo(*options: str) -> Iterator[str]:
    """A demo of its own; the address of its page."""
    command = [Path(sys.executable).with_name("dambord"), "demo", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if found := re.search(r"http://\S+", line):
                    yield found[0]
                    return
            raise RuntimeError("the demo told no address")
        finally:
            process.terminate()


def wood(square: str) -> str:
    """A square of the wooden board."""
    return f'#wood-board [data-square="{square}"]'


def drag(page: Page, *squares: str) -> None:
    """Carry pieces: from, to, from, to ..."""
    for start, end in zip(squares[::2], squares[1::2], strict=True):
        page.drag_and_drop(wood(start), wood(end))


def told(page: Page, prompt: str) -> None:
    """Wait until the page says something of this kind."""
    expect(page.locator("#advice")).to_have_attribute("data-prompt", prompt, timeout=WAIT_MS)


def reply(page: Page) -> None:
    """A move, and the lamps that show the answer to it."""
    told(page, "turn")
    drag(page, "c3", "d4")
    told(page, "reply")


def wrong(page: Page) -> None:
    """A move that the rules forbid, and what is said of it."""
    told(page, "turn")
    drag(page, "c3", "c5")
    told(page, "illegal")


def new_game(page: Page) -> None:
    """The dialog for a new game."""
    told(page, "turn")
    page.click("#new-game")
    page.fill("#name-white", "White's name")


def set_up(page: Page) -> None:
    """A position that is set up by hand."""
    told(page, "turn")
    page.click("#set-up")
    expect(page.locator("#advice")).to_have_attribute("data-prompt", re.compile("^compose"), timeout=WAIT_MS)


def problem(page: Page) -> None:
    """A problem on the wood."""
    told(page, "turn")
    page.click("#new-game")
    page.click("#new-game-problem")
    page.click("#hand-set-up")
    told(page, "problem")


def arm(page: Page) -> None:
    """An arm that makes the reply."""
    told(page, "turn")
    drag(page, "c3", "d4")
    expect(page.locator("#arm-go")).to_be_enabled(timeout=WAIT_MS)
    page.click("#arm-go")
    told(page, "arm_moving")
    page.wait_for_timeout(4000)  # until the tool is above the board


def attract(page: Page) -> None:
    """A display that nobody uses."""
    expect(page.locator("#attract")).to_be_visible(timeout=WAIT_MS)


SHOTS: dict[str, tuple[tuple[str, ...], tuple[int, int], str, str, Callable[[Page], None]]] = {
    "reply": (("--variant", "russian"), LAPTOP, "light", "", reply),
    "wrong": (("--variant", "russian"), LAPTOP, "light", "", wrong),
    "new-game": (("--variant", "russian"), LAPTOP, "light", "", new_game),
    "set-up": (("--variant", "russian"), LAPTOP, "dark", "", set_up),
    "problem": (("--variant", "russian"), PHONE, "light", "", problem),
    "arm": (("--variant", "russian", "--arm"), LAPTOP, "light", "", arm),
    "attract": (("--variant", "russian"), WALL, "dark", "?kiosk=0.02", attract),
}
"""For each picture: the demo's options, the size of the screen, light or dark, the page's address, what is done."""


def take(browser: Browser, name: str) -> None:
    """Take one picture."""
    options, (width, height), scheme, path, act = SHOTS[name]
    with demo(*options) as address:
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        page.goto(address.rstrip("/") + "/" + path)
        act(page)
        page.evaluate("window.scrollTo(0, 0)")
        page.mouse.move(1, 1)
        page.wait_for_timeout(700)
        page.screenshot(path=HERE / f"{name}.jpg", type="jpeg", quality=85)
        page.close()


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SHOTS, []], help="which pictures (default: all)")
    parser.add_argument("--browser", default="/usr/bin/chromium")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox"])
        for name in options.names or SHOTS:
            take(browser, name)
        browser.close()


if __name__ == "__main__":
    main()
