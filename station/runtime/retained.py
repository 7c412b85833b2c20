"""What brokers keep of this station: each payload is given once a connection, and nothing that is not ours stays."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from station.runtime.outbox import Outbox, OutboxError


class Retained:
    """Topics by name, whole. Those of earlier starts are known from the outbox."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._given: dict[str, bytes] = {}
        self._known = set(outbox.topics())

    def forget_connection(self) -> None:
        """Another broker, or the same without its memory: it has been given nothing."""
        self._given.clear()

    def give(self, topic: str, payload: bytes) -> bool:
        """Whether the broker lacks this payload; from now on it does not."""
        if self._given.get(topic) == payload:
            return False
        self._given[topic] = payload
        if topic not in self._known:
            self._known.add(topic)
            try:
                self._outbox.add_topic(topic)
            except OutboxError as error:
                print(
                    f"mqtt: {topic} cannot be noted, it would stay when its board is removed: {error}", file=sys.stderr
                )
        return True

    def left_over(self, ours: Iterable[str]) -> list[str]:
        """Topics of an earlier configuration: neither below one of these, which end in a slash, nor one of them."""
        ends = tuple(ours)
        return sorted(topic for topic in self._known if not any(_belongs(topic, end) for end in ends))

    def taken_away(self, topic: str) -> None:
        """The broker has been told to keep a topic no longer."""
        self._known.discard(topic)
        self._outbox.remove_topic(topic)


def _belongs(topic: str, ours: str) -> bool:
    return topic.startswith(ours) if ours.endswith("/") else topic == ours
