"""A video of an arm that plays against itself: its bytes, its machine, and a table with weight and friction.

MUJOCO_GL=osmesa python -m benchmarks.arm_video --variant russian --moves 6 --out arm.mp4

In the checkout's root, with the extra `physics`. Session, motion, driver and bytes are those of a station, the machine
is the twin of the tests, and the wood is MuJoCo's. Says what fell over, what was pushed and whether the board is right
in the end; exit code 1 when anything was not as it should be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import mujoco

from engine.ruleset import load_ruleset
from engine.thinking import Thinker
from tests.physics.recording import record
from tests.physics.world import World
from tests.station.arm_games import engine

WIDTH, HEIGHT, FRAMES_PER_S = 960, 540, 25


def main(arguments: Sequence[str]) -> int:
    """Have a game played, play it again in MuJoCo, and write what is seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="russian")
    parser.add_argument("--fen", default="", help="where to begin, other than at the start position")
    parser.add_argument("--moves", type=int, default=6, help="of both sides together (6)")
    parser.add_argument("--seed", type=int, default=1, help="of the opening's moves (1)")
    parser.add_argument("--speed", type=float, default=4.0, help="times as fast as the machine (4)")
    parser.add_argument("--out", type=Path, default=Path("arm.mp4"))
    options = parser.parse_args(arguments)
    chooses = engine(Thinker(load_ruleset(options.variant)), options.seed)
    recording = record(options.variant, options.fen, options.moves, chooses=chooses)
    world = World(recording.timber, recording.wood, recording.dark, recording.slots)
    camera = camera_for(world)
    video = cv2.VideoWriter(str(options.out), cv2.VideoWriter_fourcc(*"mp4v"), FRAMES_PER_S, (WIDTH, HEIGHT))
    with mujoco.Renderer(world.model, HEIGHT, WIDTH) as renderer:
        for _ in world.play(recording.way, options.speed / FRAMES_PER_S):
            renderer.update_scene(world.data, camera)
            video.write(cv2.cvtColor(renderer.render(), cv2.COLOR_RGB2BGR))
    video.release()
    is_right = world.board() == recording.expected
    print(f"{recording.game.ply} moves, {world.data.time:.0f} s: fallen {world.fallen}, pushed {world.pushed}")
    print("the board is as the game says" if is_right else "the board is not as the game says")
    return 0 if is_right and not world.fallen and not world.pushed else 1


def camera_for(world: World) -> mujoco.MjvCamera:
    """White's eye, a little from the right, the board and its tray before it."""
    timber, camera = world.timber, mujoco.MjvCamera()
    x, y = timber.centre((timber.columns - 1) / 2 - 1.8, (timber.rows - 1) / 2 - 0.2)
    camera.lookat[:] = x / 1000, y / 1000, timber.board_z / 1000
    camera.distance = timber.pitch / 1000 * (timber.columns + 8)
    camera.azimuth, camera.elevation = 106.0, -38.0
    return camera


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
