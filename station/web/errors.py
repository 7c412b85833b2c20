"""Errors of the page's server."""

from __future__ import annotations


class AddressError(OSError):
    """The page cannot be served at an address: names host and port, and what to do."""
