"""Servers on free ports, and pages in a real Chromium."""

from __future__ import annotations

import pytest

from station.web import WebServer, create_app

from .table import Table


@pytest.fixture
def serve():
    """Serve a table's page; servers end with the test."""
    servers = []

    def start(table, port=0, demo=True, **options):
        app = create_app(table.feed, table.ask, table if demo else None, station="club-1", **options)
        server = WebServer(app, "127.0.0.1", port)
        server.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def table():
    return Table()


@pytest.fixture
def open_page(chromium):
    """Open a page of a given size; anything it complains about in the console fails the test."""
    contexts, complaints = [], []

    def go(server, width=1280, height=800, path="", **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if _is_complaint(line) else None)
        page.goto(server.url + path)
        page.wait_for_selector("#wood-board .cell", state="attached")
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []


def _is_complaint(line):
    # A refused request or a station that is away shows as a failed load; tests bring both about on purpose.
    return line.type == "error" and not line.text.startswith("Failed to load resource")
