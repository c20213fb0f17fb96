# Counts the outcome of each test from the event stream of Swift Testing (version 0: one JSON
# record per line). Run with `jq -nR`: a run that crashes leaves its last line incomplete.
#
# The stream names every planned test before it runs anything, so a test that was never finished
# is known and counts as failed. A parametrized test counts once.

def skip_reason:
    .messages[0].text // "" | sub("^.* (skipped|cancelled after [0-9.]+ seconds)(: )?"; "");

[inputs | fromjson?] as $records
| [$records[] | select(.kind == "event").payload] as $events
| [$events[] | select(.kind == "issueRecorded" and .messages[0].symbol == "fail")] as $issues
| (reduce $issues[] as $issue ({}; .[$issue.testID // ""] = {symbol: "fail"})
    | reduce ($events[] | select(.kind == "testEnded")) as $event (.;
        .[$event.testID] = {symbol: $event.messages[0].symbol, reason: ($event | skip_reason)})
    | reduce ($events[] | select(.kind == "testSkipped")) as $event (.;
        .[$event.testID] = {symbol: "skip", reason: ($event | skip_reason)})) as $outcome
| [$records[] | select(.kind == "test").payload | select(.kind == "function").id] | unique
| map({id: ., symbol: "unfinished", reason: null} + $outcome[.]) as $tests
| ([$issues[] | select(.testID == null)] | length) as $issues_outside_tests
| ([$tests[] | select(.symbol | startswith("pass"))] | length),
    ([$tests[] | select(.symbol == "fail" or .symbol == "unfinished")] | length)
        + $issues_outside_tests,
    ([$tests[] | select(.symbol == "skip")] | length),
    ($tests[] | select(.symbol == "unfinished") | "unfinished: " + .id),
    ([$tests[] | select(.symbol == "skip").reason] | group_by(.)[]
        | "skipped: \(length) x \(.[0])")
