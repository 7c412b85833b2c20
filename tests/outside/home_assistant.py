"""What Home Assistant's MQTT integration takes as device discovery, written from its published fields.

Source: home-assistant.io, integration MQTT, "Device discovery payload" and the pages of the platforms binary_sensor,
button, event, image and sensor; home-assistant/core, components/mqtt/schemas.py and these platforms. The integration
itself (2026.11) needs a later Python than ours. Where it drops a key silently, here it is a fault.
"""

from __future__ import annotations

import re
from typing import Any

import jinja2

AVAILABILITY = {
    "availability", "availability_mode", "availability_template", "availability_topic", "payload_available",
    "payload_not_available",
}  # fmt: skip
TOP = AVAILABILITY | {"device", "origin", "components", "state_topic", "command_topic", "qos", "encoding"}
DEVICE = {
    "identifiers", "connections", "manufacturer", "model", "model_id", "name", "hw_version", "serial_number",
    "sw_version", "via_device", "suggested_area", "configuration_url",
}  # fmt: skip
ORIGIN = {"name", "sw_version", "support_url"}
COMMON = AVAILABILITY | {
    "platform", "unique_id", "name", "icon", "entity_category", "enabled_by_default", "default_entity_id",
    "device_class", "json_attributes_topic", "json_attributes_template", "qos", "encoding",
}  # fmt: skip
PLATFORMS: dict[str, tuple[set[str], set[str]]] = {
    # platform: keys that must be there, keys that may be
    "sensor": (
        {"state_topic"},
        {"value_template", "options", "expire_after", "force_update", "state_class", "unit_of_measurement",
         "suggested_display_precision", "last_reset_value_template"},
    ),
    "binary_sensor": (
        {"state_topic"},
        {"value_template", "payload_on", "payload_off", "expire_after", "force_update", "off_delay"},
    ),
    "button": ({"command_topic"}, {"command_template", "payload_press", "retain"}),
    "event": ({"state_topic", "event_types"}, {"value_template"}),
    "image": (set(), {"image_topic", "url_topic", "content_type", "image_encoding", "url_template"}),
}  # fmt: skip
CLASSES = {
    "binary_sensor": {"connectivity", "problem", "running", "update", "battery", "battery_charging"},
    "sensor": {"enum", "temperature", "duration", "timestamp", "battery"},
}
LONGEST_STATE = 255
_ENVIRONMENT = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
_ENVIRONMENT.filters["to_json"] = jinja2.filters.FILTERS["tojson"]


def faults(topic: str, payload: dict[str, Any]) -> list[str]:
    """Why a discovery message would not be taken, or not as it is meant."""
    found = []
    if not re.fullmatch(r"homeassistant/device/([a-zA-Z0-9_-]+/)?[a-zA-Z0-9_-]+/config", topic):
        found.append(f"topic {topic}")
    found += [f"unknown key {key}" for key in payload.keys() - TOP]
    device, origin = payload.get("device", {}), payload.get("origin", {})
    found += [f"device: unknown key {key}" for key in device.keys() - DEVICE]
    if not device.get("identifiers") and not device.get("connections"):
        found.append("device: neither identifiers nor connections")
    found += [f"origin: unknown key {key}" for key in origin.keys() - ORIGIN]
    if not origin.get("name"):
        found.append("origin: no name")
    found += _available(payload)
    components = payload.get("components") or {}
    if not components:
        found.append("no components")
    identities = [component.get("unique_id") for component in components.values() if component.keys() != {"platform"}]
    if None in identities or len({*identities}) != len(identities):
        found.append("unique_id missing or twice")
    for name, component in components.items():
        found += [f"{name}: {fault}" for fault in _component(component)]
    return found


def _available(table: dict[str, Any]) -> list[str]:
    found = []
    if "availability" in table and "availability_topic" in table:
        found.append("availability twice")
    if table.get("availability_mode", "latest") not in ("all", "any", "latest"):
        found.append("availability_mode")
    for entry in table.get("availability", []):
        if not _is_topic(entry.get("topic")) or entry.keys() - {
            "topic", "payload_available", "payload_not_available", "value_template",
        }:  # fmt: skip
            found.append(f"availability {entry}")
    return found + ([] if table.get("qos", 0) in (0, 1, 2) else ["qos"])


def _component(component: dict[str, Any]) -> list[str]:
    platform = component.get("platform")
    if platform not in PLATFORMS:
        return [f"platform {platform}"]
    if component.keys() == {"platform"}:
        return []  # this component is removed
    must, may = PLATFORMS[platform]
    found = [f"{key} is missing" for key in must - component.keys()]
    found += [f"unknown key {key}" for key in component.keys() - must - may - COMMON]
    found += [f"topic {key}" for key in component if key.endswith("_topic") and not _is_topic(component[key])]
    found += _available(component)
    kind = component.get("device_class")
    if kind is not None and kind not in CLASSES.get(platform, set()):
        found.append(f"device_class {kind}")
    if component.get("entity_category", "diagnostic") != "diagnostic" and platform in ("sensor", "binary_sensor"):
        found.append("entity_category: only diagnostic for what cannot be set")
    if platform == "sensor" and ("options" in component) != (kind == "enum"):
        found.append("options and device_class enum belong together")
    if platform == "image" and ("image_topic" in component) == ("url_topic" in component):
        found.append("exactly one of image_topic and url_topic")
    if platform == "event" and not component.get("event_types"):
        found.append("no event_types")
    return found


def _is_topic(topic: object) -> bool:
    return isinstance(topic, str) and 0 < len(topic) < 65536 and not set(topic) & {"+", "#", "\0"}


def rendered(template: str, value: Any) -> str:
    """What a template makes of a payload."""
    return str(_ENVIRONMENT.from_string(template).render(value_json=value)).strip()


def shown(component: dict[str, Any], value: Any) -> str | None:
    """The state that a component shows for the payload of its topic; ValueError for one that would not be shown."""
    template = component.get("value_template")
    state = rendered(template, value) if template else str(value)
    platform = component["platform"]
    if platform == "sensor":
        if state.lower() == "none":
            return None
        if len(state) > LONGEST_STATE:
            raise ValueError(f"{len(state)} letters")
        if "options" in component and state not in component["options"]:
            raise ValueError(f"{state} is no option")
    elif platform == "binary_sensor" and state not in (
        component.get("payload_on", "ON"),
        component.get("payload_off", "OFF"),
    ):
        raise ValueError(f"{state} is neither on nor off")
    return state
