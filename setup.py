"""Builds the kernel: every engine/kernel/*.py that has a .pxd, once for all Pythons from 3.11 (stable ABI).

Modules on bitboards (`BB`) are built twice: as they are for boards of up to 64 bits, and as wide_* for up to 128.
Without a C compiler nothing is built, the installation says so, and the engine plays with its readable search.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNEL = Path("engine/kernel")
STABLE_ABI = [("Py_LIMITED_API", "0x030B0000"), ("CYTHON_LIMITED_API", "1")]
FLAGS = ["-O3", "-g0", "-fno-semantic-interposition"]
if sysconfig.get_platform().endswith(("x86_64", "amd64")):
    FLAGS.append("-mpopcnt")  # every x86-64 since 2008

NARROW = re.compile(r'""".*?typedef unsigned long long dambord_bb;.*?"""', re.DOTALL)
WIDE = '''"""
    typedef unsigned __int128 dambord_bb;
    static inline int dambord_popcount(dambord_bb b) {
        return __builtin_popcountll((unsigned long long)b) + __builtin_popcountll((unsigned long long)(b >> 64));
    }
    static inline int dambord_lowest(dambord_bb b) {
        unsigned long long low = (unsigned long long)b;
        return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((unsigned long long)(b >> 64));
    }
    """'''


class BuildKernel(build_ext):
    """Builds what can be built; a module that cannot is left out, and the engine does without."""

    def run(self) -> None:
        """Build, then say what is missing."""
        super().run()
        missing = [module.name for module in self.extensions if not Path(self.get_ext_fullpath(module.name)).exists()]
        if missing:
            print(
                f"dambord: not compiled: {', '.join(missing)}. The engine plays with its readable search, much weaker; "
                "for the compiled one install a C compiler and Python's headers (Debian: gcc libc6-dev python3-dev) "
                "and install again.",
                file=sys.stderr,
            )


def write_wide() -> None:
    """Write the 128-bit twins of the modules on bitboards."""
    names = [path.stem for path in sources() if re.search(r"\bBB\b", path.read_text(encoding="utf-8"))]
    for name in names:
        for suffix in (".py", ".pxd"):
            text = (KERNEL / name).with_suffix(suffix).read_text(encoding="utf-8")
            for twin in names:
                text = re.sub(rf"engine\.kernel\.{twin}\b", f"engine.kernel.wide_{twin}", text)
            text = NARROW.sub(lambda _: WIDE, text)
            file = KERNEL / f"wide_{name}{suffix}"
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")


def sources() -> list[Path]:
    """The .pxd of every module that is written by hand and compiled."""
    found = sorted(path for path in KERNEL.glob("*.pxd") if not path.stem.startswith("wide_"))
    return [path for path in found if path.with_suffix(".py").exists()]


def extensions() -> list[Extension]:
    """The kernel's modules, translated to C."""
    write_wide()
    wanted = {path.stem for path in sources()}
    modules = [
        Extension(
            f"engine.kernel.{path.stem}",
            [str(path.with_suffix(".py"))],
            extra_compile_args=FLAGS,
            extra_link_args=["-s"],
            define_macros=STABLE_ABI,
            py_limited_api=True,
        )
        for path in sorted(KERNEL.glob("*.pxd"))
        if path.stem.removeprefix("wide_") in wanted
    ]
    translated: list[Extension] = cythonize(modules, build_dir="build/cython", quiet=True)
    for module in translated:
        module.optional = True  # said here: cythonize forgets it
    return translated


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildKernel},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
