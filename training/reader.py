"""Trains the networks that read squares, from labelled photographs and changed copies of them.

    python -m training.reader ../shared/vision [--copies 8] [--networks 5] [--seed 1] [--held-out 8]

The same command makes the same file, `vision/trained/squares.npz`. With `--held-out N` nothing is written: scenes are
put into N groups, each is read by networks that saw none of its pictures, and the share of squares right is printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.features import Cells, Numbers, features
from vision.locate import Image
from vision.reader import TRAINED, Network, judged
from vision.rectify import rectified, shrunk

KIND = {"-": 0, "w": 1, "W": 1, "b": 2, "B": 2}
HIDDEN, EPOCHS, BATCH, RATE, DROPPED, DECAY, SMOOTHED = 40, 40, 256, 2e-3, 0.1, 1e-4, 0.02


@dataclass(frozen=True, slots=True)
class Examples:
    """Squares of pictures: measures, kinds, scenes and pictures by number; copy 0 is the photograph itself."""

    numbers: Numbers
    kinds: NDArray[np.int64]
    scenes: NDArray[Any]
    pictures: NDArray[np.int64]
    copies: NDArray[np.int64]

    def where(self, mask: NDArray[np.bool_]) -> Examples:
        """Some of them."""
        return Examples(*(getattr(self, name)[mask] for name in Examples.__slots__))


def played_cells(label: dict[str, Any]) -> Cells:
    """The cells of a labelled picture that are played on."""
    parity = label["playable_parity"]
    return tuple((r, c) for r in range(label["rows"]) for c in range(label["cols"]) if (r + c) % 2 == parity)


def usable(labels: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pictures of draughts: known which squares are played on, and nothing strange on them."""
    return [label for label in labels if label["playable_parity"] is not None and "?" not in "".join(label["cells"])]


def examples(folder: Path, labels: Sequence[dict[str, Any]], copies: int, seed: int) -> Examples:
    """Measures of every square of every picture, and of changed copies."""
    chance = np.random.default_rng(seed)
    parts = []
    for number, label in enumerate(labels):
        picture = np.asarray(cv2.imread(str(folder / label["file"])), np.uint8)
        image, corners = shrunk(picture, np.array(label["corners"], np.float64), label["cols"])
        cells = played_cells(label)
        kinds = np.array([KIND[label["cells"][row][column]] for row, column in cells])
        side = float(np.hypot(*(corners[1] - corners[0]))) / label["cols"]
        for copy in range(copies + 1):
            shown = changed(image, chance) if copy else image
            at = corners + chance.normal(0, 0.05 * side, (4, 2)) if copy else corners
            numbers = features(rectified(shown, at, label["cols"], label["rows"]), cells, label["cols"], label["rows"])
            same = np.full(len(cells), 1)
            parts.append((numbers, kinds, np.array([label["scene"]] * len(cells)), number * same, copy * same))
    return Examples(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def changed(image: Image, chance: np.random.Generator) -> Image:
    """A copy in other light: gamma, exposure, cast, shade, a lamp's spot, other hues, blur and noise."""
    height, width = image.shape[:2]
    light = np.asarray(image, np.float32) / 255
    if chance.random() < 0.08:
        hsv = np.asarray(cv2.cvtColor(light, cv2.COLOR_BGR2HSV), np.float32)
        hsv[..., 0] = (hsv[..., 0] + chance.uniform(0, 360)) % 360
        hsv[..., 1] *= chance.uniform(0.3, 1.1)
        light = np.asarray(cv2.cvtColor(np.clip(hsv, 0, [360, 1, 1]).astype(np.float32), cv2.COLOR_HSV2BGR), np.float32)
    strength = (
        chance.uniform(0.35, 1.25)
        * chance.uniform(0.85, 1.15, 3).astype(np.float32)
        * np.ones((height, width, 1), np.float32)
    )
    if chance.random() < 0.6:
        shade = cv2.resize(chance.standard_normal((4, 4), np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
        strength = strength * np.exp(chance.uniform(0, 0.35) * np.asarray(shade, np.float32))[..., None]
    light = np.clip(np.clip(light, 0, 1) ** chance.uniform(0.6, 1.7) * strength, 0, 1).astype(np.float32)
    if chance.random() < 0.3:
        across, down = np.meshgrid(np.arange(width), np.arange(height))
        wide = chance.uniform(0.05, 0.2) * max(height, width)
        away = (across - chance.uniform(0, width)) ** 2 + (down - chance.uniform(0, height)) ** 2
        light = light + (chance.uniform(0.2, 1.0) * np.exp(-away / (2 * wide**2)))[..., None].astype(np.float32)
    if chance.random() < 0.4:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), chance.uniform(0.5, 2.5)), np.float32)
    noisy = light + chance.uniform(0, 0.03) * chance.standard_normal(light.shape, np.float32)
    return np.asarray(np.clip(noisy, 0, 1) * 255, np.uint8)


def train(data: Examples, seed: int) -> Network:
    """One network, by Adam on cross entropy; scenes with many pictures weigh less than their number."""
    chance = np.random.default_rng(seed)
    mean, deviation = data.numbers.mean(axis=0), data.numbers.std(axis=0) + 1e-3
    inputs = ((data.numbers - mean) / deviation).astype(np.float32)
    _, of, counts = np.unique(data.scenes, return_inverse=True, return_counts=True)
    weights = (1 / np.sqrt(counts))[of]
    weights = (weights / weights.mean()).astype(np.float32)
    wanted = (np.eye(3)[data.kinds] * (1 - SMOOTHED) + SMOOTHED / 3).astype(np.float32)
    measures = inputs.shape[1]
    parts = [
        (chance.normal(0, 1, (measures, HIDDEN)) * np.sqrt(2 / measures)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (chance.normal(0, 1, (HIDDEN, 3)) * np.sqrt(1 / HIDDEN)).astype(np.float32),
        np.zeros(3, np.float32),
    ]
    first, second = ([np.zeros_like(part) for part in parts] for _ in range(2))
    batches = max(len(inputs) // BATCH, 1)
    for step in range(EPOCHS * batches):
        if step % batches == 0:
            order = chance.permutation(len(inputs))
        chosen = order[step % batches * BATCH : (step % batches + 1) * BATCH]
        kept = chance.random((len(chosen), measures), np.float32) > DROPPED
        slopes = _slopes(parts, inputs[chosen] * kept / (1 - DROPPED), wanted[chosen], weights[chosen])
        rate = RATE * (1 - step / (EPOCHS * batches)) + 1e-5
        for number, slope in enumerate(slopes):
            first[number] = 0.9 * first[number] + 0.1 * slope
            second[number] = 0.999 * second[number] + 0.001 * slope**2
            usual = first[number] / (1 - 0.9 ** (step + 1))
            parts[number] -= rate * usual / (np.sqrt(second[number] / (1 - 0.999 ** (step + 1))) + 1e-8)
    return Network(mean.astype(np.float32), deviation.astype(np.float32), *parts)


def _slopes(
    parts: list[NDArray[np.float32]],
    inputs: NDArray[np.float32],
    wanted: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> list[NDArray[np.float32]]:
    """The slope of the mean cross entropy in each part of a network."""
    inner, inner_bias, outer, outer_bias = parts
    hidden = np.maximum(inputs @ inner + inner_bias, 0)
    scores = hidden @ outer + outer_bias
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    error = (likely - wanted) * weights[:, None] / len(inputs)
    back = (error @ outer.T) * (hidden > 0)
    slopes = (inputs.T @ back + DECAY * inner, back.sum(axis=0), hidden.T @ error + DECAY * outer, error.sum(axis=0))
    return [np.asarray(slope, np.float32) for slope in slopes]


def held_out(data: Examples, groups: int, networks: int, seed: int) -> Numbers:
    """What is read of each photograph's own squares by networks that saw no picture of its scene; nan for copies."""
    names = np.unique(data.scenes)
    group = dict(zip(names, np.random.default_rng(seed).permutation(len(names)) % groups, strict=True))
    of = np.array([group[scene] for scene in data.scenes])
    read = np.full((len(data.kinds), 3), np.nan)
    for number in range(groups):
        trained = tuple(train(data.where(of != number), seed + which) for which in range(networks))
        for picture in np.unique(data.pictures[of == number]):
            own = (data.pictures == picture) & (data.copies == 0)
            read[own] = judged(trained, data.numbers[own], most_pieces(int(own.sum())))
    return read


def most_pieces(squares: int) -> int:
    """Pieces of a colour at the start on a board with so many squares played on: three or four rows of each side."""
    return {32: 12, 50: 20, 40: 15, 64: 16}.get(squares, squares // 2)


def main() -> None:
    """Train, and write the file or say how well unseen scenes are read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with labels.json and the photographs it names")
    parser.add_argument("--copies", type=int, default=8, help="changed copies of each (default: %(default)s)")
    parser.add_argument("--networks", type=int, default=5, help="networks that are averaged (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", type=int, default=0, metavar="GROUPS", help="only say how unseen scenes are read")
    options = parser.parse_args()
    labels = usable(json.loads((options.folder / "labels.json").read_text(encoding="utf-8"))["images"])
    data = examples(options.folder, labels, options.copies, options.seed)
    if options.held_out:
        own = data.copies == 0
        wrong = held_out(data, options.held_out, options.networks, options.seed)[own].argmax(axis=1) != data.kinds[own]
        print(f"{own.sum()} squares of {len(labels)} pictures: {100 * (1 - wrong.mean()):.2f} % right")
        for scene in np.unique(data.scenes[own][wrong]):
            print(f"  {scene}: {wrong[data.scenes[own] == scene].sum()} wrong")
        return
    networks = [train(data, options.seed + number) for number in range(options.networks)]
    parts = {f"{name}{n}": getattr(network, name) for n, network in enumerate(networks) for name in Network.__slots__}
    TRAINED.parent.mkdir(exist_ok=True)
    np.savez_compressed(TRAINED, count=np.array(len(networks)), **parts)
    print(f"{TRAINED}: {len(networks)} networks from {len(data.kinds)} squares, {TRAINED.stat().st_size} bytes")


if __name__ == "__main__":
    main()
