# client.py REQUESTS COMMAND...: runs the command, which asks the server that notes each request in
# the file REQUESTS, and prints its exit code and first request, as a line of JSON.
import json
import os
import subprocess
import sys

requests, *command = sys.argv[1:]
if os.path.exists(requests):
    os.remove(requests)
code = subprocess.run(
    command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
).returncode
seen = {"exit": code, "request": None}
if os.path.exists(requests):
    with open(requests) as file:
        seen["request"] = file.readline().strip()
print(json.dumps(seen))
