# shellcheck shell=bash
# Runs tests in chunks, each in its own kernel lab. A lab has one processor: with more processors, two
# labs run at a time and take the next chunk whenever one is done. The caller sets `scripts`, `suites`
# and `work`, and defines `run_bundle`.

readonly most_guests=2
# Two of these have the memory that one lab has by default.
readonly guest_memory=1G
# How many chunks the short suites make: each boots a lab, which takes about 2 s.
readonly short_chunks=6
# For each running lab, by its process: the processor and the directory of files.
declare -A guests=()

# run_in_labs EVENTS SECONDS [ARGUMENT...]: the tests of `suites`, which are lines of
# select-tests.jq. Prints what they say chunk by chunk, and returns the highest of their exit codes.
run_in_labs() {
    local events=$1 deadline=$((SECONDS + $2)) chunks lone='' processors code=0
    shift 2
    mapfile -t processors < <(usable_processors | head -n "$most_guests")
    make_chunks
    run_chunks "${#processors[@]}" "$@"
    chunks=(${lone:+"$lone"})
    run_chunks 1 "$@"
    return "$code"
}

# Prints the number of each.
usable_processors() {
    local ranges range
    IFS=, read -ra ranges < <(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    for range in "${ranges[@]}"; do seq "${range%-*}" "${range#*-}"; done
}

# Sets `chunks` and `lone`, regular expressions of tests. Each long suite is a chunk and comes first,
# so that the guests end at about the same time.
make_chunks() {
    local place pattern number=0 short=()
    chunks=()
    while read -r place pattern; do
        case $place in
            lone) lone+=${lone:+|}$pattern ;;
            long) chunks+=("$pattern") ;;
            *) short[number]+=${short[number]:+|}$pattern
                number=$(((number + 1) % short_chunks)) ;;
        esac
    done < <(printf '%s\n' "${suites[@]:?}")
    chunks+=("${short[@]}")
}

# run_chunks GUESTS [ARGUMENT...]: runs GUESTS chunks at a time.
run_chunks() {
    local most=$1 chunk
    shift
    for chunk in "${chunks[@]}"; do
        ((${#guests[@]} < most)) || finish_chunk
        start_chunk "$chunk" "$@"
    done
    while ((${#guests[@]})); do finish_chunk; done
}

# start_chunk FILTER [ARGUMENT...]: on one processor. The lab's kernel and its processes are
# processes here that run in turn: waking each other on another processor takes a quarter longer.
start_chunk() {
    local left=$((deadline > SECONDS ? deadline - SECONDS : 1)) files processor=${processors[0]}
    processors=("${processors[@]:1}")
    files=$(mktemp -d "${work:?}/chunk.XXXXXX")
    (
        # Replaces this shell, so that the process is the lab's.
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

# Ends the remaining labs after an interruption.
stop_guests() {
    ((${#guests[@]})) || return 0
    kill "${!guests[@]}" 2>/dev/null || true
    wait "${!guests[@]}" || true
}
