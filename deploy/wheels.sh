#!/bin/sh
# Builds wheels of Dambord into dist/, for this machine and for 64-bit Raspberry Pis; one each serves Python 3.11 and
# later (stable ABI). With --with-dependencies everything they need lies beside them, for machines without a network.
# What is newer than its sources stays; to have newer releases of dependencies, remove dist/ first.
#
#   deploy/wheels.sh [--with-dependencies] [x86_64] [aarch64]
#
# For aarch64 on another machine: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-.venv/bin/python}
[ -x "$PYTHON" ] || PYTHON=python3
DEPENDENCIES='' MACHINES=''
for word in "$@"; do
    case $word in
        --with-dependencies) DEPENDENCIES=1 ;;
        x86_64 | aarch64) MACHINES="$MACHINES $word" ;;
        *) echo "wheels.sh: found $word, expected x86_64, aarch64 or --with-dependencies" >&2; exit 2 ;;
    esac
done
# is_newer FILE: than all that the wheel is made of
is_newer() {
    [ -e "$1" ] && [ -z "$(find engine firmware_bridge station vision pyproject.toml setup.py -type f -newer "$1" \
        ! -name '*.so' ! -name '*.pyc' ! -name 'wide_*' | head -n 1)" ]
}

for machine in ${MACHINES:-x86_64 aarch64}; do
    if is_newer "dist/.$machine${DEPENDENCIES:+.whole}"; then echo "dist/$machine: as it was"; continue; fi
    if [ "$machine" != "$(uname -m)" ]; then
        compiler=$machine-linux-gnu-gcc
        command -v "$compiler" >/dev/null || { echo "wheels.sh: found no $compiler, expected a cross compiler" >&2; exit 1; }
        # setuptools takes the tag from the first and the compiler from the others; the stable ABI has one set of headers.
        export _PYTHON_HOST_PLATFORM="linux-$machine" CC="$compiler" LDSHARED="$compiler -shared"
    fi
    rm -rf build/lib* build/temp* build/bdist*
    rm -f dist/dambord-*_"$machine".whl dist/"$machine"/dambord-*.whl
    # In place compiled modules of this machine are no part of the other's wheel.
    "$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir dist .
    unset _PYTHON_HOST_PLATFORM CC LDSHARED
    wheel=$(ls dist/dambord-*_"$machine".whl)
    echo "$wheel"
    touch "dist/.$machine"
    [ -n "$DEPENDENCIES" ] || continue
    # What reads pictures comes along, and what reads a Raspberry Pi's pins where its library is built: up to Python 3.12.
    for version in 3.11 3.12 3.13 3.14; do
        for extra in vision pi5; do
            case $extra:$version in pi5:3.1[34]) continue ;; esac
            "$PYTHON" -m pip download --quiet --only-binary :all: --dest "dist/$machine" --python-version "$version" \
                --platform "manylinux2014_$machine" --platform "manylinux_2_28_$machine" \
                --platform "manylinux_2_34_$machine" --platform "linux_$machine" "$wheel[$extra]"
        done
    done
    touch "dist/.$machine.whole"
    echo "dist/$machine: $(ls "dist/$machine" | wc -l) wheels"
done
