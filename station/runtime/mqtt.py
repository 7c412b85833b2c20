"""MQTT: state and position retained, events from the outbox, commands in, one answer each; the game never waits."""

from __future__ import annotations

import queue
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from engine.diagram import NO_MARKS, marks_of, svg_diagram
from station import status
from station.config import Config, MqttTable
from station.effects import Announce, Answer
from station.events import Requested
from station.phases import Paused
from station.rates import Rate
from station.runtime import discovery
from station.runtime.broker import GONE, Acknowledged, BrokerClient, Came, Connected, Disconnected, FromBroker
from station.runtime.clock import wall_text
from station.runtime.commands import HALT, Command, Noise, Spoilt, read_command, refusal
from station.runtime.health import PERIOD_S, Health
from station.runtime.info import info
from station.runtime.loop import Loop, Outcome
from station.runtime.outbox import Item, Outbox, OutboxError, item_for
from station.runtime.retained import Retained
from station.state import Session

STATE_PERIOD_S = 0.2
"""At most five states a second and board; the last value is always sent."""
RETRY_S = 2.0
"""How long an outbox that cannot be written to is left alone."""
IN_FLIGHT = 20
GRACE_S = 2.0
"""So long an event is kept after the broker has acknowledged it: a broker that is killed takes with it what it had not
yet handed on, and then has it sent once more."""
MOST_WAITING = 1000
"""Commands that come faster than they can be answered are lost beyond this."""
COMMANDS = Rate(per_s=20, burst=300)
"""How often a station takes commands; what comes faster is left out, as if it had not come."""
RIVALRY = 4
"""So many connections in a row that the broker ended within `BRIEF_S`: another client uses our name."""
BRIEF_S = 2.5
BIRTH_S = 3.0
"""Home Assistant says that it is there; over so long a time our boards' answers to that are spread."""


Message = Outcome | FromBroker


class MqttWorker:
    """One thread between the loop and paho's client."""

    def __init__(
        self, config: Config, table: MqttTable, loop: Loop, outbox: Outbox, health: Mapping[str, Health] | None = None
    ) -> None:
        self._config, self._table, self._loop, self._outbox = config, table, loop, outbox
        self._base = f"{table.base}/{config.station.id}"
        self._birth = f"{table.discovery_prefix}/status"
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._sessions: dict[str, Session] = {}
        self._changed_s: dict[str, float] = {}
        """Boards whose state is to be published, and from when."""
        self._told_s: dict[str, float] = {}
        self._retained = Retained(outbox)
        self._finished: dict[str, bytes] = {}
        """The record of each board's game before this one: whoever missed its end hears it."""
        self._records: dict[str, tuple[str, int, str, str]] = {}
        """Which state of each board's record that is: working it out anew takes long."""
        self._health = dict(health or {})
        self._health_due_s = 0.0
        self._discovery_due_s: float | None = None
        self._online = False
        self._said = ""
        self._noise: Counter[str] = Counter()
        self._next = 0
        self._in_flight: dict[int, int] = {}
        self._reached: deque[tuple[float, int]] = deque()
        """Events that the broker has acknowledged, and when they may be forgotten."""
        self._asked: set[str] = set()
        """Commands of this start that the loop has not answered yet."""
        self._answers: dict[int, tuple[str, bytes]] = {}
        """Answers that the broker has not acknowledged."""
        self._unkept: deque[Item] = deque()
        """Events that could not be written down yet, or are not in the journal yet."""
        self._is_saved = True
        self._retry_s = 0.0
        self._commands = COMMANDS
        self._taken_away: dict[int, str] = {}
        """Topics that the broker was told to keep no longer, and has not acknowledged."""
        self._online_s = 0.0
        self._brief = 0
        """How many connections in a row were brief."""
        self._client = BrokerClient(table, f"dambord-{config.station.id}", f"{self._base}/status", self._leave)
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)

    def start(self) -> None:
        """Begin to connect, for ever, in the background."""
        self._client.start()
        self._thread.start()

    def stop(self) -> None:
        """Say offline and disconnect."""
        self._inbox.put(None)
        self._thread.join(timeout=3)
        self._client.stop(self._online)
        self._outbox.close()

    def hear(self, outcome: Outcome) -> None:
        """Take what happened at a board."""
        self._inbox.put(outcome)

    def _leave(self, message: FromBroker) -> None:
        """Take what the client says; a flood is not kept, but for what stops things."""
        is_command = isinstance(message, Came) and not message.topic.endswith(f"/{HALT}")
        if not is_command or self._inbox.qsize() < MOST_WAITING:
            self._inbox.put(message)

    # --- the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            try:
                message = self._inbox.get(timeout=self._wait_s())
            except queue.Empty:
                self._attempt(self._do_what_is_due)
                continue
            if message is None:
                self._attempt(self._say_last_words)
                return
            self._attempt(partial(self._take, message))
            self._attempt(self._do_what_is_due)

    def _attempt(self, act: Callable[[], None]) -> None:
        """Nothing that goes wrong with one message may end the thread."""
        try:
            act()
        except Exception as error:
            self._note(f"{type(error).__name__}: {error}")

    def _note(self, kind: str) -> None:
        """Count a fault, and say so the first time."""
        self._noise[kind] += 1
        if self._noise[kind] == 1:
            print(f"mqtt: left out: {kind}", file=sys.stderr)

    def _now_s(self) -> float:
        return self._loop.clock.now_ms() / 1000

    def _wait_s(self) -> float | None:
        due = [*self._changed_s.values()] if self._online else []
        if self._unkept:
            due += [self._retry_s] if self._is_saved else []
        if self._online:
            due += [self._health_due_s] if self._health else []
            due += [self._reached[0][0]] if self._reached else []
            due += [] if self._discovery_due_s is None else [self._discovery_due_s]
        return max(0.0, min(due) - self._now_s()) if due else None

    def _do_what_is_due(self) -> None:
        now_s = self._now_s()
        if self._unkept and self._retry_s <= now_s:
            self._keep()
        if not self._online:
            return
        self._forget_events(now_s)
        for board in sorted(board for board, due_s in self._changed_s.items() if due_s <= now_s):
            self._publish_state(board)
        if self._health and self._health_due_s <= now_s:
            self._publish_health(now_s)
        if self._discovery_due_s is not None and self._discovery_due_s <= now_s:
            self._publish_discovery()
        self._publish_events()

    def _forget_events(self, now_s: float) -> None:
        while self._reached and self._reached[0][0] <= now_s:
            self._outbox.sent(self._reached.popleft()[1])

    def _say_last_words(self) -> None:
        self._keep()
        if self._online:
            self._forget_events(float("inf"))
            for board in sorted(self._changed_s):
                self._publish_state(board)
            self._publish_events()

    def _take(self, message: Message) -> None:
        match message:
            case Outcome(board=board, session=session):
                before = self._sessions.get(board)
                if before is not None and before.game_id != session.game_id:
                    self._finished[board] = msgspec.json.encode(status.game(before))
                self._sessions[board] = session
                self._changed_s.setdefault(board, self._told_s.get(board, 0.0) + STATE_PERIOD_S)
                if board in self._health:
                    self._health[board].hear(message)
                self._hear(message)
            case Connected():
                self._connected()
            case Disconnected(reason=reason) if reason != GONE or self._online:
                self._disconnected(reason)
            case Acknowledged(message_id=message_id):
                self._answers.pop(message_id, None)
                if message_id in self._taken_away:
                    self._retained.taken_away(self._taken_away.pop(message_id))
                number = self._in_flight.pop(message_id, None)
                if number is not None:
                    self._reached.append((self._now_s() + GRACE_S, number))
            case Came(topic=topic, payload=payload) if topic == self._birth:
                if payload == b"online" and not message.retained:
                    spread = sum(self._base.encode()) % 100 / 100
                    self._discovery_due_s = self._now_s() + BIRTH_S * spread
            case Came():
                self._command(message)
            case Disconnected():
                pass  # a broker that refuses hangs up as well

    def _say(self, sentence: str) -> None:
        """One line for each change of the connection."""
        if sentence != self._said:
            self._said = sentence
            print(f"mqtt: {sentence}", file=sys.stderr)

    def _disconnected(self, reason: str) -> None:
        where = f"the broker at {self._table.host}, port {self._table.port}"
        if self._online:
            is_brief = self._now_s() - self._online_s < BRIEF_S
            self._brief = self._brief + 1 if is_brief else 0
        self._online = False
        is_rivalled = self._brief >= RIVALRY
        self._client.stay_away(is_rivalled)
        if is_rivalled:
            self._say(
                f"{where} ends every connection at once: does another station use the id {self._config.station.id}, "
                "too? It is tried again every minute"
            )
        else:
            self._say(f"waiting for {where}: {reason}")

    # --- out ---------------------------------------------------------------------------------------------------

    def _hear(self, outcome: Outcome) -> None:
        at = wall_text(self._loop.clock.began, outcome.event.at_ms)
        for effect in outcome.effects:
            if isinstance(effect, Announce):
                what = msgspec.to_builtins(effect.what, str_keys=True)
                topic = f"{self._base}/{outcome.board}/event"
                self._unkept.append(item_for(topic, outcome.board, effect.game, effect.seq, what, at))
            elif isinstance(effect, Answer) and effect.request.startswith("mqtt:"):
                self._acknowledge(outcome.board, effect.request.removeprefix("mqtt:"), effect.error)
        self._is_saved = outcome.saved
        self._keep()

    def _keep(self) -> None:
        """Write events down, in order, once the journal has them; those that cannot be written wait."""
        dropped = self._outbox.dropped
        while self._unkept and self._is_saved:
            try:
                self._outbox.put(self._unkept[0])
            except OutboxError as error:
                self._retry_s = self._now_s() + RETRY_S
                self._note(f"the outbox cannot be written, events wait in memory: {error}")
                return
            self._unkept.popleft()
        if self._outbox.dropped and not dropped:
            print("mqtt: the broker has been away for too long, the oldest events are left out", file=sys.stderr)

    def _connected(self) -> None:
        self._online = True
        self._online_s = self._now_s()
        if not self._brief:
            self._say(f"connected to {self._table.host}, port {self._table.port}")
        self._next = 0
        self._in_flight.clear()
        self._reached.clear()
        self._retained.forget_connection()
        self._taken_away.clear()
        self._records.clear()
        self._told_s.clear()
        self._changed_s = dict.fromkeys(self._sessions, 0.0)
        self._health_due_s = self._now_s()
        self._client.subscribe([(f"{self._base}/+/cmd/+", 1), (self._birth, 0)])
        self._take_away()
        self._retain("status", b"online")
        self._publish_discovery()
        waiting, self._answers = list(self._answers.values()), {}
        for topic, answer in waiting:
            self._send_answer(topic, answer)

    def _publish_events(self) -> None:
        while len(self._in_flight) < IN_FLIGHT:
            rows = self._outbox.pending(self._next, IN_FLIGHT - len(self._in_flight))
            if not rows:
                return
            for number, topic, payload in rows:
                self._in_flight[self._client.publish(topic, payload)] = number
                self._next = number

    def _publish_state(self, board: str) -> None:
        session = self._sessions[board]
        del self._changed_s[board]
        self._told_s[board] = self._now_s()
        lost = isinstance(session.phase, Paused) and session.phase.reason == "device"
        self._retain(f"{board}/availability", b"offline" if lost else b"online")
        self._retain(f"{board}/state", msgspec.json.encode(self._state(session)))
        self._retain(f"{board}/position", msgspec.json.encode(status.position(session)))
        record = (session.game_id, session.seq, session.settings.white, session.settings.black)
        if self._records.get(board) != record:
            self._records[board] = record
            self._retain(f"{board}/game", msgspec.json.encode(status.game(session)))
            if board in self._finished:
                self._retain(f"{board}/previous", self._finished[board])
            self._retain(f"{board}/image", _picture(session))
        self._retain("info", msgspec.json.encode(info(self._config, self._sessions, self._is_saved)))

    def _state(self, session: Session) -> dict[str, Any]:
        """A board's state; with the time at which it was so, while a clock runs."""
        state = status.state(session)
        runs = state["clock"] is not None and state["clock"]["running"] is not None
        return {**state, "at": wall_text(self._loop.clock.began, session.at_ms)} if runs else state

    def _publish_health(self, now_s: float) -> None:
        self._health_due_s = now_s + PERIOD_S
        at = wall_text(self._loop.clock.began, self._loop.clock.now_ms())
        for board, health in self._health.items():
            self._retain(f"{board}/health", msgspec.json.encode(health.report(now_s, at)), qos=0)

    def _publish_discovery(self) -> None:
        """Tell Home Assistant again, whatever the broker keeps: it may have come just now."""
        self._discovery_due_s = None
        for topic, device in self._devices().items():
            payload = msgspec.json.encode(device)
            self._retained.give(topic, payload)
            self._client.publish(topic, payload, retain=True)

    def _devices(self) -> dict[str, dict[str, Any]]:
        """Each discovery message by its topic: the station, and every board."""
        station, prefix = self._config.station.id, self._table.discovery_prefix
        return {
            discovery.topic(prefix, station): discovery.station_device(self._base, station),
            **{
                discovery.topic(prefix, station, table.id): discovery.device(self._base, station, table)
                for table in self._config.boards
            },
        }

    def _retain(self, topic: str, payload: bytes, qos: int = 1) -> None:
        """Have the broker keep a payload, unless it does."""
        if self._retained.give(f"{self._base}/{topic}", payload):
            self._client.publish(f"{self._base}/{topic}", payload, qos=qos, retain=True)

    def _take_away(self) -> None:
        """Have the broker keep nothing of boards, names and addresses that are no longer in the configuration."""
        boards = [f"{self._base}/{table.id}/" for table in self._config.boards]
        ours = [*boards, *self._devices(), f"{self._base}/status", f"{self._base}/info"]
        for topic in self._retained.left_over(ours):
            self._taken_away[self._client.publish(topic, b"", retain=True)] = topic

    # --- in ----------------------------------------------------------------------------------------------------

    def _command(self, came: Came) -> None:
        board, _, name = came.topic.removeprefix(f"{self._base}/").partition("/cmd/")
        if all(board != table.id for table in self._config.boards):
            return
        command = read_command(came.payload)
        if isinstance(command, Noise):
            self._note(f"a command with {command.reason}")
            return
        if name != HALT and not self._may_take():
            return
        topic = f"{self._base}/{board}/ack/{command.id}"
        if not self._outbox.is_new(command.id):
            stored = self._outbox.answered(command.id)
            if stored is not None:
                self._send_answer(topic, stored)
            elif command.id not in self._asked:
                self._acknowledge(board, command.id, "not known: the station ended while this was carried out")
            return
        error = (
            command.reason
            if isinstance(command, Spoilt)
            else refusal(name, command, came.retained, self._loop.clock.wall())
        )
        if error is not None or not isinstance(command, Command):
            self._acknowledge(board, command.id, error)
            return
        request = Requested(self._loop.clock.now_ms(), f"mqtt:{command.id}", name, command.args)
        self._asked.add(command.id)
        self._loop.post(board, request)

    def _may_take(self) -> bool:
        """Whether one more command is not too many."""
        after = self._commands.once(self._now_s())
        if after is None:
            self._note(f"commands that come faster than {COMMANDS.per_s:g} a second")
            return False
        self._commands = after
        return True

    def _acknowledge(self, board: str, command_id: str, error: str | None) -> None:
        answer = msgspec.json.encode({"id": command_id, "ok": error is None, "error": error})
        self._asked.discard(command_id)
        self._outbox.answer(command_id, answer)
        self._send_answer(f"{self._base}/{board}/ack/{command_id}", answer)

    def _send_answer(self, topic: str, answer: bytes) -> None:
        self._answers[self._client.publish(topic, answer)] = (topic, answer)


def _picture(session: Session) -> bytes:
    """The game's position with its last move, as SVG."""
    game = session.game
    marks = marks_of(game.moves[-1]) if game.moves else NO_MARKS
    return svg_diagram(game.position, game.ruleset, marks).encode()
