"""The page: what people see of the boards in a browser, and where their hands move pieces in the demo."""

from __future__ import annotations

from station.web.app import Ask, create_app
from station.web.arms import Arms
from station.web.cameras import Cameras
from station.web.errors import AddressError
from station.web.feed import Change, Feed
from station.web.hands import Hands
from station.web.rights import Rights
from station.web.serve import WebServer

__all__ = ["AddressError", "Arms", "Ask", "Cameras", "Change", "Feed", "Hands", "Rights", "WebServer", "create_app"]
