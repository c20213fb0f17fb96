# path.py LINKCOND: prints the network path that the library NetworkPath tells, as a line of JSON,
# and again after each change.
import json
import subprocess
import sys

watcher = subprocess.Popen([sys.argv[1], "path", "--watch", "--json"], stdout=subprocess.PIPE)
for line in watcher.stdout:
    path = json.loads(line)
    print(json.dumps({
        "status": path["status"], "expensive": path["isExpensive"],
        "constrained": path["isConstrained"],
        "kind": ", ".join(entry["kind"] for entry in path["interfaces"] if entry["isUsed"]),
    }), flush=True)
