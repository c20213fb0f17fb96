# shellcheck shell=bash
# How every script speaks to its user: diagnostics go to stderr under the script's own name,
# with the exit codes of sysexits.h that linkcond itself uses.

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
