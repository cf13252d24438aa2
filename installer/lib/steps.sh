# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the scripts of this folder, ./run and ./test: what is said, logged and suggested.
# Set before sourcing: ROOT (the project's folder). LOG_DIR may be set after.

LOG_DIR="$ROOT/build/log"

say() { printf '%s\n' "$@"; }
die() { # die EXIT_CODE MESSAGE...
    local code=$1
    shift
    printf 'error: %s\n' "$@" >&2
    exit "$code"
}

# step NAME WHAT TRY COMMAND...
# Says WHAT, runs the command with its output shown and kept in LOG_DIR/NAME.log. On failure names the
# step, the log and what to TRY, and ends the script with exit status 1.
step() {
    local name=$1 what=$2 try=$3 started=$SECONDS status
    shift 3
    mkdir -p "$LOG_DIR"
    say "==> $what"
    "$@" 2>&1 | tee "$LOG_DIR/$name.log"
    status=${PIPESTATUS[0]}
    if [ "$status" -ne 0 ]; then
        printf '\nThe step "%s" failed (exit status %s, after %s s).\n  command: %s\n  log:     %s\n  try:     %s\n' \
            "$what" "$status" $((SECONDS - started)) "$*" "$LOG_DIR/$name.log" "$try" >&2
        exit 1
    fi
    say "    done in $((SECONDS - started)) s"
}

# Compile jobs: one a core, but no more than memory allows (a LibTorch file takes over 1 GB).
compile_jobs() {
    local cores memory_gib jobs
    cores=$(nproc)
    memory_gib=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    jobs=$((memory_gib * 2 / 3))
    [ "$jobs" -gt "$cores" ] && jobs=$cores
    [ "$jobs" -lt 1 ] && jobs=1
    echo "$jobs"
}

# build_preset PRESET: configures and builds into build/PRESET.
build_preset() {
    local preset=$1 torch=()
    [ -n "${MANTISSA_TORCH:-}" ] && torch=("-DMANTISSA_TORCH=$MANTISSA_TORCH")
    step "configure-$preset" "Configure the build (preset $preset, build/$preset)" \
        "rm -rf build/$preset and run again; installer/bootstrap repairs what is missing" \
        cmake -S "$ROOT" --preset "$preset" "${torch[@]}"
    step "build-$preset" "Build with $(compile_jobs) job(s)" \
        "read the first error in the log; rm -rf build/$preset gives a build from nothing" \
        cmake --build "$ROOT/build/$preset" -j "$(compile_jobs)"
}
