"""`python -m station.texts`: bring every catalogue up to date with English, and say what is to be translated.

`--check` changes nothing, and ends with 1 where something is to be done.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from station.texts import SOURCE, languages
from station.texts.catalogue import text_of, to_do, updated

FOLDER = Path(__file__).parent


def main() -> int:
    """Say for each language which keys are in English still."""
    parser = argparse.ArgumentParser(prog="python -m station.texts", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where something is to be done")
    is_check = parser.parse_args().check
    waiting = 0
    for language in languages():
        if language == SOURCE:
            continue
        catalogue, path = updated(language), FOLDER / f"{language}.po"
        keys = list(to_do(catalogue))
        waiting += len(keys)
        if not is_check:
            path.write_bytes(text_of(catalogue))
        print(f"{path.name}: {len(keys)} to translate" + "".join(f"\n  {key}" for key in keys))
    return 1 if is_check and waiting else 0


if __name__ == "__main__":
    sys.exit(main())
