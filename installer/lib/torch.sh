# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch from pinned wheels into .deps/torch-site, or an own one checked. Sourced by installer/bootstrap.

TORCH_VERSION=2.11.0
SITE="$DEPS/torch-site"
WHEELS="$DEPS/wheels"
PINS="$ROOT/installer/wheels"
STAMP_NAME=.mantissa-stamp
# Wheels for one kind of machine, whatever this one's Python is; the four names that their files carry.
PLATFORMS=(--platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64
    --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64)
CPU_MIB=2600   # 0.54 GB of wheels, 1.2 GB unpacked, and room to unpack beside an old copy
CUDA_MIB=8000  # 2.1 GB of wheels and 3.6 GB unpacked, the same way
PARITY_MIB=7500

# find_python: sets PYTHON to a Python >= 3.10 that can make virtual environments.
find_python() {
    local candidate
    for candidate in python3 python3.11 python3.12 python3.13 python3.14 python3.10 /usr/bin/python3; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            PYTHON=$candidate
            return
        fi
    done
    die 1 "no Python >= 3.10 with the venv module was found (Debian: python3 python3-venv)"
}

require_disk() { # require_disk MIB FOR_WHAT
    local available
    available=$(df -Pm "$DEPS" | awk 'NR == 2 { print $4 }')
    [ "$available" -ge "$1" ] || die 1 \
        "$2 needs $1 MiB of free disk in $DEPS, which has $available MiB. Free some, or make .deps a link to a larger disk."
}

torch_folder_version() { # torch_folder_version DIR: version from the headers, empty if there are none
    local header
    for header in torch/headeronly/version.h torch/csrc/api/include/torch/version.h; do
        [ -f "$1/include/$header" ] || continue
        sed -n 's/^#define TORCH_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' "$1/include/$header" | paste -sd.
        return
    done
}

check_own_torch() { # check_own_torch DIR
    local version
    version=$(torch_folder_version "$1")
    [ -n "$version" ] || die 2 "MANTISSA_TORCH=$1 is no LibTorch folder: it has no include/torch/... headers. Give the folder that holds include/ and lib/ (in a Python installation: site-packages/torch)."
    [ "$version" = "$TORCH_VERSION" ] || die 2 "MANTISSA_TORCH=$1 holds LibTorch $version, but Mantissa needs $TORCH_VERSION. Unset MANTISSA_TORCH to let installer/bootstrap fetch it."
    [ -e "$1/lib/libtorch_cpu.so" ] || die 2 "MANTISSA_TORCH=$1 has no lib/libtorch_cpu.so"
    say "==> LibTorch: $version in $1 (MANTISSA_TORCH)"
}

# Identity of what should be in the site: the pins, and how many files and bytes there are.
site_pins() { cat "${SETS[@]/#/$PINS/}" | sha256sum | cut -d' ' -f1; }
site_content() { # site_content SITE
    find "$1/" -type f ! -name "$STAMP_NAME" ! -name '*.pyc' -printf '%s\n' | awk '{ n++; s += $1 } END { printf "%d files %.0f bytes\n", n, s }'
}
stamp_text() { printf '%s\n%s\n%s\n' "${SETS[*]}" "$(site_pins)" "$(site_content "$1")"; }

site_is_whole() { [ -f "$SITE/$STAMP_NAME" ] && [ "$(cat "$SITE/$STAMP_NAME")" = "$(stamp_text "$SITE")" ]; }

tools_python() { # pip of our own: Debian's is closed to installations
    "$DEPS/tools/bin/python" -m pip --version >/dev/null 2>&1 || "$PYTHON" -m venv --clear "$DEPS/tools" || return 1
    "$DEPS/tools/bin/python" "$@"
}

download_wheels() { # into WHEELS; pip checks each against its pin
    mkdir -p "$WHEELS" "$DEPS/tmp"
    TMPDIR="$DEPS/tmp" tools_python -m pip --disable-pip-version-check --no-cache-dir download \
        --no-deps --require-hashes --only-binary=:all: --python-version 3.11 --implementation cp "${PLATFORMS[@]}" \
        --progress-bar off --dest "$WHEELS" "${SETS[@]/#/-r$PINS/}"
}

unpack_site() {
    rm -rf "$SITE.new" "$SITE.old"
    mkdir -p "$SITE.new"
    "$PYTHON" "$ROOT/installer/lib/wheels.py" unpack "$WHEELS" "$SITE.new" "${SETS[@]/#/$PINS/}" || return 1
    stamp_text "$SITE.new" >"$SITE.new/$STAMP_NAME"
    if [ -e "$SITE" ]; then mv "$SITE" "$SITE.old"; fi
    mv "$SITE.new" "$SITE" && rm -rf "$SITE.old"
}

adopt_site() { # true if what is unpacked is found to be what the pins say, whatever its stamp says
    [ -d "$SITE/torch" ] || return 1
    say "==> Check the unpacked LibTorch file by file"
    "$PYTHON" "$ROOT/installer/lib/wheels.py" verify "$SITE" "${SETS[@]/#/$PINS/}" || return 1
    stamp_text "$SITE" >"$SITE/$STAMP_NAME"
}

install_torch() { # SETS: requirement files that are wanted
    if site_is_whole; then
        say "==> LibTorch: $TORCH_VERSION in .deps/torch-site (${SETS[*]%.txt})"
        return
    fi
    find_python
    adopt_site && return
    require_disk "$(case " ${SETS[*]} " in *" cuda.txt "*) echo $CUDA_MIB ;; *) echo $CPU_MIB ;; esac)" "LibTorch"
    if ! "$PYTHON" "$ROOT/installer/lib/wheels.py" have "$WHEELS" "${SETS[@]/#/$PINS/}" >/dev/null; then
        step wheels "Fetch LibTorch $TORCH_VERSION (${SETS[*]%.txt}): 0.54 GB, with CUDA 2.7 GB" \
            "check the network and run again; or set MANTISSA_TORCH to a LibTorch $TORCH_VERSION folder" download_wheels
    fi
    step unpack "Unpack it into .deps/torch-site" "free some disk, rm -rf .deps/wheels and run again" unpack_site
    rm -rf "$DEPS/tmp"
}

# The parity tests' Python: an environment of its own, with Python's torch.
parity_stamp() { sha256sum <"$PINS/parity.txt"; }
parity_is_whole() { [ "$(cat "$DEPS/parity/stamp" 2>/dev/null)" = "$(parity_stamp)" ] && [ -x "$DEPS/parity/bin/python" ]; }

parity_install() {
    rm -rf "$DEPS/parity"
    mkdir -p "$DEPS/tmp" "$WHEELS"
    "$PYTHON" -m venv "$DEPS/parity" || return 1
    # The large wheel may lie here already; where it is for another Python, the next command fetches one.
    "$DEPS/parity/bin/python" -m pip -q --disable-pip-version-check install --no-deps --no-index --no-compile \
        --find-links "$WHEELS" "torch==$TORCH_VERSION" 2>/dev/null
    TMPDIR="$DEPS/tmp" "$DEPS/parity/bin/python" -m pip --disable-pip-version-check --no-cache-dir install \
        --no-deps --require-hashes --only-binary=:all: --no-compile --progress-bar off \
        -r "$PINS/parity.txt"
}

parity_check() {
    "$DEPS/parity/bin/python" -c 'import numpy, torch; print("Python torch", torch.__version__, "numpy", numpy.__version__)' \
        && parity_stamp >"$DEPS/parity/stamp"
}

install_parity() {
    if parity_is_whole; then
        say "==> Parity: Python torch $TORCH_VERSION in .deps/parity"
        return
    fi
    find_python
    require_disk "$PARITY_MIB" "Python torch with its CUDA libraries"
    step parity "Fetch Python torch $TORCH_VERSION with the libraries that importing it loads: up to 2.2 GB" \
        "check the network and run again" parity_install
    step parity-check "Import it" "rm -rf .deps/parity and run again" parity_check
    rm -rf "$DEPS/tmp"
}
