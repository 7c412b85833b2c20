"""How turns end, how draws come about, touch-move and waiting times: checked, and changed while a game is on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from station.settings import PACE_RANGES, PACES, Pace, Settings

PACE_TIMES = tuple(f"{name}_ms" for name in PACE_RANGES)
"""The waiting times as they are set."""
CONFIRM = ("automatic", "button", "when-ambiguous")
DRAWS = ("automatic", "claim")
KEYS = ("confirm", "draws", "touch_move", "pace", *PACE_TIMES)
"""What may be changed while a game is on."""

_IN_ORDER = (("quick", "extended"), ("back", "further_back"))


def wanted_manner(settings: Settings, arguments: Mapping[str, str | int | bool]) -> Settings | str:
    """Settings with what a request names changed, or why not; a time not named stays, or is as in the `pace` named."""
    if not arguments:
        return f"found nothing, expected one of {', '.join(KEYS)}"
    unknown = next((key for key in arguments if key not in KEYS), None)
    if unknown is not None:
        return f"{unknown}: no such key, expected one of {', '.join(KEYS)}"
    for key, allowed in (("confirm", CONFIRM), ("draws", DRAWS), ("pace", tuple(PACES))):
        if arguments.get(key, allowed[0]) not in allowed:
            return f"{key} = {arguments[key]!r}: expected one of {', '.join(allowed)}"
    touch_move = arguments.get("touch_move", settings.touch_move)
    if not isinstance(touch_move, bool):
        return f"touch_move = {touch_move!r}: expected true or false"
    times = {key: value for key, value in arguments.items() if key in PACE_TIMES}
    pace = changed_pace(PACES[str(arguments["pace"])] if "pace" in arguments else settings.pace, times)
    if isinstance(pace, str):
        return f"expected {pace}"
    confirm, draws = (str(arguments.get(key, getattr(settings, key))) for key in ("confirm", "draws"))
    return replace(settings, confirm=confirm, draws=draws, touch_move=touch_move, pace=pace)


def changed_pace(pace: Pace, times: Mapping[str, object]) -> Pace | str:
    """A pace with some of its times (`quick_ms`, in ms) changed, or what was expected of one of them."""
    named: dict[str, int] = {}
    for key, time in times.items():
        name = key.removesuffix("_ms")
        least, most = PACE_RANGES[name]
        if type(time) is not int or not least <= time <= most:
            return f"{key} from {least} to {most} ms"
        named[name] = time
    changed = replace(pace, **named)
    for shorter, longer in _IN_ORDER:
        if getattr(changed, shorter) > getattr(changed, longer):
            return f"{shorter}_ms to be at most {longer}_ms, which is {getattr(changed, longer)} ms"
    return changed
