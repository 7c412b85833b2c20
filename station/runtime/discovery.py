"""How Home Assistant finds the station and the boards behind it: a device each, in its device discovery format."""

from __future__ import annotations

from typing import Any, get_args

from station.announcements import What
from station.config import BoardTable
from station.phases import TRANSITIONS
from station.runtime.version import VERSION
from station.status import phase_text

PHASES = tuple(phase_text(name) for name in TRANSITIONS)
EVENT_TYPES = (*(kind.__struct_config__.tag for kind in get_args(What)), "arm_step")
# A press needs an identity and a time of its own: what waited too long, or came twice, is not carried out.
_COMMAND = '{"id": "ha-{{ (now().timestamp() * 1000) | int }}", "at": "{{ utcnow().isoformat() }}", "args": {}}'


def topic(prefix: str, station: str, board: str = "") -> str:
    """Where the discovery message of a board stands, or of the station itself."""
    return f"{prefix}/device/{_identity(station, board)}/config"


def _identity(station: str, board: str = "") -> str:
    return f"dambord-{station}-{board}" if board else f"dambord-{station}"


def station_device(base: str, station: str) -> dict[str, Any]:
    """The station's message; whether it is connected is a state of its own, so that it says so when it is lost."""
    identity = _identity(station)
    components = {
        "connected": {
            "platform": "binary_sensor",
            "name": "Connected",
            "device_class": "connectivity",
            "entity_category": "diagnostic",
            "state_topic": f"{base}/status",
            "payload_on": "online",
            "payload_off": "offline",
        },
        "not_saving": {
            "platform": "binary_sensor",
            "name": "Games are not saved",
            "device_class": "problem",
            "entity_category": "diagnostic",
            "state_topic": f"{base}/info",
            "value_template": "{{ 'OFF' if value_json.saving else 'ON' }}",
            "availability_topic": f"{base}/status",
        },
    }
    return {
        "device": {
            "identifiers": [identity],
            "name": f"Dambord {station}",
            "manufacturer": "Dambord",
            "model": "station",
            "sw_version": VERSION,
        },
        "origin": {"name": "dambord", "sw_version": VERSION},
        "qos": 1,
        "components": _with_ids(components, identity),
    }


def _with_ids(components: dict[str, dict[str, Any]], identity: str) -> dict[str, dict[str, Any]]:
    """Components with the ids that entities keep for ever, whatever they are called."""
    return {name: {**component, "unique_id": f"{identity}-{name}"} for name, component in components.items()}


def device(base: str, station: str, table: BoardTable) -> dict[str, Any]:
    """A board's message; `base` is the station's topic. Long texts are attributes: a state holds 255 letters."""
    board = f"{base}/{table.id}"
    identity = _identity(station, table.id)
    return {
        "device": {
            "identifiers": [identity],
            "name": f"Dambord {table.id}",
            "manufacturer": "Dambord",
            "model": f"{table.driver} board",
            "sw_version": VERSION,
            "via_device": _identity(station),
        },
        "origin": {"name": "dambord", "sw_version": VERSION},
        "availability": [{"topic": f"{base}/status"}, {"topic": f"{board}/availability"}],
        "availability_mode": "all",
        "qos": 1,
        "components": _with_ids(_components(board), identity),
    }


def _components(board: str) -> dict[str, dict[str, Any]]:
    state, position, game = f"{board}/state", f"{board}/position", f"{board}/game"
    return {
        "phase": _sensor("Phase", state, "value_json.phase", device_class="enum", options=list(PHASES)),
        "turn": _sensor("Turn", state, "value_json.turn", device_class="enum", options=["white", "black"]),
        "ply": _sensor("Moves made", state, "value_json.ply"),
        "last_move": _sensor("Last move", state, "value_json.last_move.text if value_json.last_move else none"),
        "prompt": _sensor("What to do", state, "value_json.guidance.sentence[:255]"),
        "result": _sensor("Result", game, "value_json.result", json_attributes_topic=game),
        "position": _sensor("Variant", position, "value_json.variant", json_attributes_topic=position),
        "picture": {
            "platform": "image",
            "name": "Board",
            "content_type": "image/svg+xml",
            "image_topic": f"{board}/image",
        },
        "problem": {
            "platform": "binary_sensor",
            "name": "Problem",
            "device_class": "problem",
            "entity_category": "diagnostic",
            "state_topic": state,
            "value_template": "{{ 'ON' if value_json.problem else 'OFF' }}",
        },
        "happened": {
            "platform": "event",
            "name": "Game",
            "state_topic": f"{board}/event",
            "event_types": list(EVENT_TYPES),
            "value_template": "{{ dict(value_json, event_type=value_json.type) | to_json }}",
        },
        "take_back": _button("Take back", f"{board}/cmd/take_back"),
        "new_game": _button("New game", f"{board}/cmd/new_game"),
    }


def _sensor(name: str, topic: str, value: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - Home Assistant's keys
    return {"platform": "sensor", "name": name, "state_topic": topic, "value_template": f"{{{{ {value} }}}}", **more}


def _button(name: str, topic: str) -> dict[str, Any]:
    return {"platform": "button", "name": name, "command_topic": topic, "command_template": _COMMAND}
