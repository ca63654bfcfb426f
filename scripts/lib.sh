# Sourced by the other scripts: steps with headings and times, and a last line that names what failed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
if [[ "${CI:-}" == true ]]; then
    export CARGO_INCREMENTAL=0
fi

current=""
times=()
notices=()

# step NAME COMMAND...: runs the command under a heading; the first failure ends the script.
step() {
    current="$1"
    shift
    printf '\n=== %s\n' "$current"
    local began=$SECONDS
    "$@"
    times+=("$(printf '%5d s  %s' $((SECONDS - began)) "$current")")
    current=""
}

# fail SENTENCE: ends the script, saying why.
fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

# notice SENTENCE: said at once, and again at the end.
notice() {
    notices+=("$1")
    printf '\n!!! %s\n' "$1"
}

closing() {
    local status=$?
    # The scripts that this one runs have a closing line of their own.
    if ((${#times[@]})); then
        printf '\n=== Times\n'
        printf '%s\n' "${times[@]}"
    fi
    if ((${#notices[@]})); then
        printf '\n!!! %s\n' "${notices[@]}"
    fi
    if ((status == 0)); then
        printf '\n%s: everything passed in %d s\n' "$0" "$SECONDS"
    else
        printf '\n%s: FAILED at: %s\n' "$0" "${current:-start}"
    fi
    exit "$status"
}
trap closing EXIT
