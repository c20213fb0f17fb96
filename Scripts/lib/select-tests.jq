# The tests of a stage of Scripts/test, by the tags in Tests/LinkTesting/StageTags.swift: for each
# suite that has any a line with its place in the lab (lone, long or short) and a regular
# expression of its tests. Reads the event stream of a run with --list-tests; run with
# `jq -nRr --arg stage STAGE --arg filter REGEX --argjson is_unit_apart true|false`.

[inputs | fromjson | select(.kind == "test").payload
    | {id, kind, tags: [(.tags // ._tags // [])[] | ltrimstr(".")]}] as $records
| if all($records[]; .tags == []) then
    error("Swift Testing tells no tags: no stage can be put together")
  else . end
| ($records | map({(.id): .tags}) | add) as $tags
# A test has its own tags and those of the suites around it.
| [$records[] | select(.kind == "function").id | (. / "/") as $parts
    | {id: ., suite: $parts[0], symbol: ($parts[:-1] | join("/")),
        tags: [range(1; $parts | length + 1) | $tags[$parts[:.] | join("/")][]?]}]
| map(def has_tag($tag): any(.tags[]; . == $tag);
    .is_chosen = (.id | test($filter)) and (has_tag("program") | not) and
        if $stage == "host" then
            (has_tag("measure") or has_tag("paced") or ($is_unit_apart and has_tag("unit"))) | not
        elif $stage == "lab" then
            (.suite | test("^(\\w*KernelTests|IntegrationTests)\\."))
                and (has_tag("anyKernel") or has_tag("unit") | not)
        elif $stage == "measure" then has_tag("measure") and (has_tag("paced") | not)
        else has_tag($stage) end)
| group_by(.suite)[]
| map(select(.is_chosen)) as $chosen
| select($chosen != [])
| ([("lone", "long") | select(IN($chosen[].tags[]))] + ["short"])[0] + " ^"
    + if all(.is_chosen) then "\\Q\(.[0].suite)/\\E"
      else "(" + ($chosen | map("\\Q\(.symbol)/\\E") | join("|")) + ")" end
