# shellcheck shell=bash
# Diagnostics of all scripts: they go to stderr with the script's name, and use linkcond's exit codes
# from sysexits.h.

# shellcheck disable=SC2034 # for those who source this
readonly exit_usage=64 exit_unavailable=69 exit_internal=70

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# fail CODE MESSAGE...
fail() {
    local code=$1
    shift
    say "$@"
    exit "$code"
}

usage_error() {
    fail "$exit_usage" "$* (try --help)"
}
