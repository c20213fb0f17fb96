# inside.py LINKCOND live|start COMMAND...: runs within linkcond run. Starts a reader, which prints
# what it sees as lines of JSON. start prints that; live changes the network under the reader, and
# prints a line of JSON for each change: what it was, what the reader saw before and after, and
# whether it was told.
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

# Browsers take long to start on a busy machine.
START, QUIET, PATIENCE = 90, 1, 8
linkcond, way, *command = sys.argv[1:]


class Reader:
    def __init__(self):
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True)
        self.rest, self.seen = b"", None

    def read(self, patience):
        """What it says next, or None."""
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], patience)[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line)

    def settle(self, patience):
        """Takes in what it says until it is silent; some say first what they do not know yet."""
        while (seen := self.read(patience)) is not None:
            self.seen, patience = seen, QUIET
        return self.seen

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def steady(seen):
    """Without what differs from run to run by itself."""
    return seen and {name: value for name, value in seen.items() if name[0] != "~"}


def observed():
    reader = Reader()
    seen = reader.settle(START)
    reader.end()
    return seen


def say(what, before, after, told):
    print(json.dumps({"what": what, "before": before, "after": after, "told": told}), flush=True)


def override(*arguments):
    subprocess.run([linkcond, "override", *arguments, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)


def take_link_down():
    """The scenario does that once the interface has carried enough."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(100):
            try:
                sender.sendto(bytes(1000), ("server.linkcond", 9))
            except OSError:
                break
            time.sleep(0.01)


def change(what, act):
    reader = Reader()
    before = reader.settle(START)
    act()
    told = reader.read(PATIENCE)
    if told is not None:
        reader.seen = told
    after = reader.settle(QUIET)
    ended = reader.process.poll() is not None
    reader.end()
    if ended or steady(after) == steady(before):
        after = observed()
        say(what, before, after, False)
    else:
        say(what, before, after, True)


if way == "live":
    change("live --expensive", lambda: override("set", "--expensive"))
    override("clear")
    change("live --kind wired", lambda: override("set", "--kind", "wired"))
    override("clear")
    change("link down", take_link_down)
else:
    say("start", None, observed(), False)
