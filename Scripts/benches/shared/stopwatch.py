"""Times commands from a process of a user: a line of JSON in, with the words of a command, and one out.

A process of root that starts a program as somebody else copies itself for it (fork), which takes Python
longer than the start of a small program (vfork), and would count.
"""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path


def serve():
    for line in sys.stdin:
        command = json.loads(line)
        begin = time.perf_counter()
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        elapsed = (time.perf_counter() - begin) * 1000
        print(json.dumps({"milliseconds": elapsed, "code": done.returncode,
                          "errors": done.stderr.decode(errors="replace").strip()}), flush=True)


@contextmanager
def stopwatch(bench, **user):
    """A function from a command to the milliseconds that it takes; ends the bench if it fails."""
    # The user need not be able to read this file, nor to execute root's own Python.
    program = Path(__file__).read_text(encoding="utf-8")
    with subprocess.Popen(
            ["/usr/bin/python3", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, **user) as process:
        def milliseconds(command):
            process.stdin.write(json.dumps(command) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if answer["code"] != 0:
                sys.exit(f"bench {bench}: {' '.join(command)} ended with {answer['code']}: "
                         f"{answer['errors']}")
            return answer["milliseconds"]

        try:
            yield milliseconds
        finally:
            process.stdin.close()


if __name__ == "__main__":
    serve()
