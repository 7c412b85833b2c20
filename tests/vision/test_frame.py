"""Packets with pictures: complete however they are cut; what is no packet is skipped and counted."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from vision.frame import Metadata, Unpacker, packed  # noqa: E402


def picture(seed=0, width=64, height=48):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("step", [1, 97, 4096, 1 << 20])
def test_packets_are_found_however_they_are_cut(step):
    stream = b"".join(packed(picture(seed), age_ms=seed) for seed in range(3))
    unpacker, packets = Unpacker(), []
    for begin in range(0, len(stream), step):
        packets += unpacker.feed(stream[begin : begin + step], 1000)
    frames = [packet.frame() for packet in packets]
    assert [frame.at_ms for frame in frames] == [1000, 999, 998]
    for seed, frame in enumerate(frames):
        assert (frame.image == picture(seed)).all()
    assert not unpacker.faults


def test_metadata_and_camera_come_with_the_picture():
    metadata = Metadata(exposure_us=10_000.0, gain=2.5, red_gain=1.5)
    (packet,) = Unpacker().feed(packed(picture(), camera="imx708", metadata=metadata), 5)
    assert (packet.frame().camera, packet.frame().metadata) == ("imx708", metadata)


def test_a_jpeg_is_unpacked_and_a_torn_one_says_so():
    jpeg = cv2.imencode(".jpg", np.full((48, 64, 3), 90, np.uint8))[1].tobytes()
    (packet,) = Unpacker().feed(packed(jpeg), 0)
    assert np.abs(packet.frame().image.astype(int) - 90).max() <= 2
    (torn,) = Unpacker().feed(packed(jpeg[: len(jpeg) // 2]), 0)
    with pytest.raises(ValueError, match="torn"):
        torn.frame()


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\n",
        b"no packet\n",
        b"\xff" * 20_000 + b"\n",
        b'{"camera":"x","format":"bgr","width":9,"height":9,"bytes":7}\n',
        b'{"camera":"x","format":"bgr","width":-1,"height":-1,"bytes":3}\n',
        b'{"camera":"x","format":"jpeg","bytes":99999999999}\n',
        b'{"camera":7,"format":"jpeg","bytes":9}\n',
        b'["camera"]\n',
    ],
)
def test_what_is_no_packet_is_skipped_and_counted(rubbish):
    unpacker = Unpacker()
    (packet,) = unpacker.feed(rubbish + packed(picture()), 0)
    assert (packet.frame().image == picture()).all()
    assert unpacker.faults["no_packet"] >= 1


def test_a_packet_that_waited_is_older():
    (packet,) = Unpacker().feed(packed(picture(), age_ms=20), 1000)
    (again,) = Unpacker().feed(packet.with_age(1150), 1150)
    assert again.frame().at_ms == 980
