# The tests that failed in an event stream of Swift Testing, as one regular expression that
# matches just them: nothing where none failed, or more than $limit. Run with `jq -nRr`.

[inputs | fromjson? | select(.kind == "event").payload
    | select(.kind == "testEnded" and .messages[0].symbol == "fail").testID]
# Suites fail with their tests; the last part of an identifier is the place in the source.
| map(select(contains("(")) | "\\Q" + sub("[^/]*$"; "") + "\\E") | unique
| select(length > 0 and length <= $limit)
| "^(" + join("|") + ")"
