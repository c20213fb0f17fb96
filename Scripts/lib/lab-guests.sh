# shellcheck shell=bash
# Runs tests in chunks, each in a kernel lab of its own. A lab has one processor: where there are
# more, two of them run at a time and take the next chunk whenever one is done. The caller sets
# `scripts`, `test_bundle` and `work`, and has `run_bundle`.

readonly most_guests=2
# Two of these have the memory that one lab has by default.
readonly guest_memory=1G
# What these measure goes through the packet engine, a process that needs its processor in time: no
# other lab runs beside them.
readonly lone_suites='\.(Run\w*Accuracy|ApplyEngineAccuracy|MultipathAccuracy|Verify)Tests$'
# Each of these takes a good part of a minute, or more, and is a chunk: the longest come first, so
# that the guests end at about the same time.
readonly slow_suites=(
    LeftoverTests AccuracyTests RunServerTests RunDrainTests SelectorAccuracyTests
    DefaultRouteTests RunLeftoverTests BadInputTests LiveChangeTests ApplyKernelTests
)
# How many chunks the others make: each boots a lab, which takes about 2 s.
readonly quick_chunks=6
# Of the labs that run now, by their processes: the processor and the directory of files.
declare -A guests=()

# run_in_labs EVENTS SECONDS FILTER [ARGUMENT...]: the tests that match. Prints what they say chunk
# by chunk, and returns the highest of their exit codes.
run_in_labs() {
    local events=$1 deadline=$((SECONDS + $2)) filter=$3 chunks code=0
    shift 3
    local suites lone others processors
    suites=$(suites_with_tests "$filter") || return
    [[ -n $suites ]] || return "${exit_unavailable:?}"
    mapfile -t lone < <(grep --perl-regexp -e "$lone_suites" <<<"$suites")
    mapfile -t others < <(grep --perl-regexp --invert-match -e "$lone_suites" <<<"$suites")
    mapfile -t processors < <(usable_processors | head -n "$most_guests")
    make_chunks "$quick_chunks" "${others[@]}"
    run_chunks "${#processors[@]}" "$@"
    make_chunks 1 "${lone[@]}"
    run_chunks 1 "$@"
    return "$code"
}

# Prints the number of each.
usable_processors() {
    local ranges range
    IFS=, read -ra ranges < <(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    for range in "${ranges[@]}"; do seq "${range%-*}" "${range#*-}"; done
}

# suites_with_tests FILTER: prints Target.Suite of each suite that has a test which matches.
suites_with_tests() {
    local tests
    tests=$("${test_bundle:?}" --testing-library swift-testing --list-tests --verbose </dev/null) \
        || return
    { grep --perl-regexp -e "$1" <<<"$tests" || true; } | sed 's|/.*||' | sort --unique
}

# make_chunks COUNT SUITE...: sets `chunks`, which are regular expressions of suites: one for each
# slow suite, and COUNT for all others.
make_chunks() {
    local count=$1 name suite number=0 slow_chunks
    shift
    chunks=()
    for name in "${slow_suites[@]}"; do
        for suite in "$@"; do
            [[ ${suite#*.} != "$name" ]] || chunks+=("\\Q$suite\\E")
        done
    done
    slow_chunks=${#chunks[@]}
    for suite in "$@"; do
        [[ " ${slow_suites[*]} " != *" ${suite#*.} "* ]] || continue
        chunks[slow_chunks + number]+=${chunks[slow_chunks + number]:+|}\\Q$suite\\E
        number=$(((number + 1) % count))
    done
}

# run_chunks GUESTS [ARGUMENT...]: so many at a time.
run_chunks() {
    local most=$1 chunk
    shift
    for chunk in "${chunks[@]}"; do
        ((${#guests[@]} < most)) || finish_chunk
        start_chunk "^(?=(?:$chunk)/)(?=.*(?:$filter))" "$@"
    done
    while ((${#guests[@]})); do finish_chunk; done
}

# start_chunk FILTER [ARGUMENT...]: on a processor of its own. The lab's kernel and its processes are
# processes here that run in turn: waking each other on another processor takes a quarter longer.
start_chunk() {
    local left=$((deadline > SECONDS ? deadline - SECONDS : 1)) files processor=${processors[0]}
    processors=("${processors[@]:1}")
    files=$(mktemp -d "${work:?}/chunk.XXXXXX")
    (
        # In place of this shell, so that the process is the lab's.
        # shellcheck disable=SC2034 # for run_bundle
        runner=(
            exec taskset --cpu-list "$processor"
            "$scripts/kernel-lab" --timeout "$left" --memory "$guest_memory" --
        )
        run_bundle "$files/events" --filter "$@"
    ) >"$files/output" &
    guests[$!]="$processor $files"
}

# Waits for any of the chunks that run.
finish_chunk() {
    local guest files chunk_code=0
    wait -n -p guest "${!guests[@]}" || chunk_code=$?
    files=${guests[$guest]#* }
    processors+=("${guests[$guest]%% *}")
    unset "guests[$guest]"
    cat "$files/output"
    cat "$files/events" >>"$events"
    code=$((chunk_code > code ? chunk_code : code))
}

# Ends the labs that still run, where the whole is broken off.
stop_guests() {
    ((${#guests[@]})) || return 0
    kill "${!guests[@]}" 2>/dev/null || true
    wait "${!guests[@]}" || true
}
