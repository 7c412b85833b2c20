"""The kernel's files as Python runs them, beside the compiled modules of the same names."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

import engine.kernel

KERNEL = Path(engine.kernel.__file__).parent
PREFIX = "engine.kernel."


class _SourceFinder:
    """Finds the kernel's modules in their source files only."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        file = KERNEL / f"{name.removeprefix(PREFIX)}.py"
        if not name.startswith(PREFIX) or not file.exists():
            return None
        return spec_from_file_location(name, file, loader=SourceFileLoader(name, str(file)))


@contextmanager
def _kernel_from_source():
    here = vars(engine.kernel)
    names, attributes = [name for name in sys.modules if name.startswith(PREFIX)], dict(here)
    compiled = {name: sys.modules.pop(name) for name in names}
    sys.meta_path.insert(0, _SourceFinder)
    try:
        yield
    finally:
        sys.meta_path.remove(_SourceFinder)
        for name in [name for name in sys.modules if name.startswith(PREFIX)]:
            del sys.modules[name]
        sys.modules.update(compiled)
        here.clear()
        here.update(attributes)


@cache
def interpreted(*names: str) -> tuple[ModuleType, ...]:
    """Modules of the kernel, interpreted: those named, which see one another and never a compiled one."""
    with _kernel_from_source():
        return tuple(import_module(PREFIX + name) for name in names)
