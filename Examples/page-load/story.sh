#!/usr/bin/env bash
# Loads a page of 50 resources on 3G in two ways, explains both, and finds the delay that each bears:
# story.sh DIRECTORY
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
results=$(realpath "${1:?name a directory for the results}")
linkcond=${LINKCOND:-linkcond}
network=(--uplink none --server "exec python3 $here/server.py 8000" --server-ready 8000)
load=(python3 "$here/load.py")
mkdir -p "$results"

"$linkcond" run 3G "${network[@]}" --explain "$results/before.html" -- \
    "${load[@]}" server.linkcond 8000
"$linkcond" run 3G "${network[@]}" --explain "$results/after.html" --counterfactual -- \
    "${load[@]}" --reuse server.linkcond 8000

# A page that takes more than 8 s is too slow.
limit=(--vary delay --from 10ms --to 200ms --precision 10% --trials 40
    --measure duration --limit '8 s' --timeout 9s)
"$linkcond" bisect 3G "${limit[@]}" "${network[@]}" --html "$results/limit-before.html" -- \
    "${load[@]}" server.linkcond 8000
"$linkcond" bisect 3G "${limit[@]}" "${network[@]}" --html "$results/limit-after.html" -- \
    "${load[@]}" --reuse server.linkcond 8000
