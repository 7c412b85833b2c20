"""Values with something changed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(value: object, /, **changes: object) -> object:
        """The value with other fields, as `dataclasses.replace` gives it.

        One without slots is copied at once: a session has some sixty fields, and setting each of them anew, several
        times an event, took a third of a step.
        """
        fields = getattr(value, "__dict__", None)
        if fields is None:
            return dataclasses.replace(value, **changes)
        if unknown := changes.keys() - fields.keys():
            raise TypeError(f"{type(value).__name__} has no field {', '.join(sorted(unknown))}")
        changed = object.__new__(type(value))
        changed.__dict__.update(fields, **changes)
        return changed
