# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages: which are missing, and how they come. Sourced by installer/bootstrap.

REQUIRED_PACKAGES=(
    ca-certificates git python3 python3-venv                               # fetching
    cmake ninja-build g++ pkg-config ccache clang-format                   # building
    qt6-base-dev qt6-svg-dev libqcustomplot-dev libqcustomplot2.1-qt6      # window
    libsqlite3-dev libsqlitecpp-dev nlohmann-json3-dev libtomlplusplus-dev # core
    libcli11-dev libfmt-dev libexpected-dev zlib1g-dev
    libbenchmark-dev xvfb xauth fonts-noto-core                            # tests
)
# Taken where apt has them: the program works without.
OPTIONAL_PACKAGES=(dataset-fashion-mnist)

missing_packages() { # missing_packages PACKAGE...: those not completely installed, one a line
    local installed package
    installed=" $(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii //p' | tr '\n' ' ')"
    for package in "$@"; do
        case "$installed" in *" $package "*) ;; *) echo "$package" ;; esac
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

can_be_root() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null || return 1
    [ -t 0 ] || sudo -n true 2>/dev/null
}

apt_install() { # apt_install PACKAGE...
    # An interrupted installation leaves packages half configured; apt refuses to work before this.
    [ -z "$(dpkg --audit)" ] || as_root dpkg --configure -a || return 1
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 install "$@"
}

install_optional_packages() {
    local package
    for package in $(missing_packages "${OPTIONAL_PACKAGES[@]}"); do
        if [ -n "$(apt-cache madison "$package" 2>/dev/null)" ]; then
            apt_install "$package" || return 1
        else
            say "    $package is not offered by this machine's package sources; generated data is used instead"
        fi
    done
}

install_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        say "==> Not a Debian system: see to it that these or their like are installed: ${REQUIRED_PACKAGES[*]}"
        return
    fi
    mapfile -t missing < <(missing_packages "${REQUIRED_PACKAGES[@]}")
    if [ "${#missing[@]}" -eq 0 ]; then
        say "==> Debian packages: all there"
        [ -e "$DEPS/packages.ok" ] && return
    fi
    if [ "${#missing[@]}" -gt 0 ] && ! can_be_root; then
        say "These Debian packages are missing and installing them needs root. Run this line, then try again:"
        say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
        exit 3
    fi
    if [ "${#missing[@]}" -gt 0 ]; then
        step apt-update "Read the package lists" "check the network and /etc/apt" as_root apt-get -q update
        step apt-install "Install ${#missing[@]} Debian packages: ${missing[*]}" \
            "run 'apt-get -f install', then again" apt_install "${missing[@]}"
    fi
    if can_be_root && [ -n "$(missing_packages "${OPTIONAL_PACKAGES[@]}")" ]; then
        step apt-optional "Install real data where Debian has it: ${OPTIONAL_PACKAGES[*]}" \
            "it is optional: take it out of installer/lib/packages.sh" install_optional_packages
    fi
    : >"$DEPS/packages.ok"
}
