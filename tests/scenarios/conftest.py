"""The fixture that sits people down at a board, and sees to it that what holds in every scene held in this one."""

from __future__ import annotations

import pytest

from .scene import Scene


@pytest.fixture
def sit(tmp_path):
    """Makes scenes; at the end of the test, what holds in every scene is checked in each."""
    scenes = []

    def sit_down(*arguments, **settings):
        scenes.append(Scene(*arguments, journals=tmp_path, **settings))
        return scenes[-1]

    yield sit_down
    for scene in scenes:
        scene.check()
