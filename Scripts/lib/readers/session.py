# session.py PROBE URL: prints what comes of a request of NetworkPathSession that may use neither
# expensive nor constrained networks, as a line of JSON.
import json
import subprocess
import sys

probe, url = sys.argv[1:]
reasons = {None: None, 0: "cellular", 1: "expensive", 2: "constrained"}
for line in subprocess.run(
        [probe, "data", url, "allowed=no"], capture_output=True, text=True).stdout.splitlines():
    if line.startswith("{"):
        report = json.loads(line)
        print(json.dumps({"outcome": report["outcome"], "reason": reasons[report.get("reason")]}))
