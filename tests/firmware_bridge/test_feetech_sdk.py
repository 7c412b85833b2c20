"""The simulated servos answer the library of the servos' maker, over a pseudo-terminal."""

from __future__ import annotations

import pytest

from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.pty_wire import PtyWire
from firmware_bridge.simulator.servo_bus import ServoBus

sdk = pytest.importorskip("scservo_sdk", reason="no feetech-servo-sdk in this environment: pip install dambord[test]")

PATIENCE_MS = 5_000
"""The library itself waits some 30 ms, which is little on a busy machine; late answers would be taken for others."""
READINGS = 5000


@pytest.fixture
def bus(tmp_path):
    """(simulated servos, what asks them by the maker's library)."""
    servos = ServoBus(Workshop(Timber(8, 8), Tool((0.0, 0.0, 0.0))))
    with PtyWire(servos, tmp_path / "bus") as wire:
        port, packets = sdk.PortHandler(str(wire.path)), sdk.PacketHandler(0)
        assert port.openPort()
        port.setPacketTimeout = lambda _: port.setPacketTimeoutMillis(PATIENCE_MS)

        def ask(name, *arguments):
            *found, result, errors = getattr(packets, name)(port, *arguments)
            assert result == sdk.COMM_SUCCESS, packets.getTxRxResult(result)
            return (*found, errors)

        yield servos, ask, port, packets
        port.closePort()


def test_they_are_found_and_read(bus):
    servos, ask, _, _ = bus
    assert ask("ping", 1) == (777, 0)
    assert ask("read2ByteTxRx", 6, 56) == (2500, 0)
    assert ask("read1ByteTxRx", 2, 62) == (74, 0)
    servos.servos[3].is_overloaded = True
    assert ask("read1ByteTxRx", 3, 63) == (31, sdk.ERRBIT_OVERLOAD)


def test_they_go_where_they_are_sent_once_they_have_strength(bus):
    servos, ask, port, packets = bus
    assert ask("write2ByteTxRx", 1, 42, 2200) == (0,)
    assert ask("read2ByteTxRx", 1, 56) == (2048, 0)
    assert ask("write1ByteTxRx", 1, 40, 1) == (0,)
    together = sdk.GroupSyncWrite(port, packets, 42, 2)
    for servo, goal in ((1, 2300), (2, 1700)):
        assert together.addParam(servo, [sdk.SCS_LOBYTE(goal), sdk.SCS_HIBYTE(goal)])
    assert together.txPacket() == sdk.COMM_SUCCESS
    for _ in range(READINGS):
        if ask("read2ByteTxRx", 1, 56) == (2300, 0):
            break
    assert (servos.servos[1].position, servos.servos[2].goal) == (2300, 1700)


def test_a_servo_that_is_missing_does_not_answer_it_either(bus):
    servos, _, port, packets = bus
    servos.servos[3].is_missing = True
    port.setPacketTimeout = lambda _: port.setPacketTimeoutMillis(200)
    _, result, _ = packets.ping(port, 3)
    assert result == sdk.COMM_RX_TIMEOUT
