"""Builds the kernel: every engine/kernel/*.py that has a .pxd, once for all Pythons from 3.11 (stable ABI).

Modules on bitboards (`BB`) are built twice: as they are for boards of up to 64 bits, and as wide_* for up to 128.
Without a C compiler nothing is built, and the engine plays with its readable search.
"""

import platform
import re
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNEL = Path("engine/kernel")
STABLE_ABI = [("Py_LIMITED_API", "0x030B0000"), ("CYTHON_LIMITED_API", "1")]
FLAGS = ["-O3", "-g0", "-fno-semantic-interposition"]
if platform.machine() in ("x86_64", "AMD64"):
    FLAGS.append("-mpopcnt")  # every x86-64 since 2008

WIDE = """
    typedef unsigned __int128 dambord_bb;
    static inline int dambord_popcount(dambord_bb b) {
        return __builtin_popcountll((unsigned long long)b) + __builtin_popcountll((unsigned long long)(b >> 64));
    }
    static inline int dambord_lowest(dambord_bb b) {
        unsigned long long low = (unsigned long long)b;
        return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((unsigned long long)(b >> 64));
    }
"""


def write_wide() -> None:
    """Write the 128-bit twins of the modules on bitboards."""
    names = [path.stem for path in KERNEL.glob("*.pxd") if not path.stem.startswith("wide_") and _on_bitboards(path)]
    for name in names:
        for suffix in (".py", ".pxd"):
            text = (KERNEL / name).with_suffix(suffix).read_text(encoding="utf-8")
            for twin in names:
                text = re.sub(rf"engine\.kernel\.{twin}\b", f"engine.kernel.wide_{twin}", text)
            text = re.sub(r'""".*?typedef unsigned long long dambord_bb;.*?"""', lambda _: f'"""{WIDE}    """', text, flags=re.S)
            file = KERNEL / f"wide_{name}{suffix}"
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")


def _on_bitboards(path: Path) -> bool:
    return re.search(r"\bBB\b", path.read_text(encoding="utf-8")) is not None


def extensions() -> list[Extension]:
    """The kernel's modules, translated to C."""
    from Cython.Build import cythonize

    write_wide()
    modules = [
        Extension(
            f"engine.kernel.{path.stem}",
            [str(path.with_suffix(".py"))],
            extra_compile_args=FLAGS,
            extra_link_args=["-s"],
            define_macros=STABLE_ABI,
            py_limited_api=True,
            optional=True,
        )
        for path in sorted(KERNEL.glob("*.pxd"))
        if path.with_suffix(".py").exists()
    ]
    return cythonize(modules, build_dir="build/cython", quiet=True, nthreads=0)


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": build_ext},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
