"""Kills prefetch-assets at random moments: asset_kills.py PROGRAM COUNT [SEED]

There are COUNT kills, and more until a quarter of COUNT have interrupted a transfer: on a busy
machine many come too early or too late.

Prints what it found as JSON: `kills`, how many `met` a transfer, how many rounds were `complete`, the
most bytes that a process had read and were not in its file (`mostLost`), and those that its host had
received and it had not read (`mostUnread`), and `faults`.
"""
import json, os, random, signal, subprocess, sys, tempfile, time
from asset_server import Server, unread

program, count = sys.argv[1], int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
chance = random.Random(seed)
sizes = {"intro.pack": 300_001, "level1.pack": 3_000_000, "level2.pack": 2_000_003}
server = Server(sizes).start()
server.rate = 8_000_000
found = {"seed": seed, "kills": 0, "met": 0, "complete": 0, "mostLost": 0, "lost": 0,
         "mostUnread": 0, "faults": []}


def start(directory):
    return subprocess.Popen([program, "app", server.url, directory], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def check(directory, is_complete):
    """Whoever looks sees assets complete or not at all, of this version or of the one before."""
    for name in sizes:
        path = os.path.join(directory, name)
        data = open(path, "rb").read() if os.path.exists(path) else None
        good = [server.content(name)]
        if not is_complete:
            good += [None, server.content(name, server.version - 1)]
        if data not in good:
            found["faults"].append(f"version {server.version}: {name} is wrong")


def kill(process):
    """Kills a process, and notes what it had read in the transfer that this interrupted."""
    os.kill(process.pid, signal.SIGSTOP)
    server.held.clear()
    time.sleep(0.003)
    note = None
    if server.requests:
        entry = server.requests[-1]
        queued = unread(server.server_port, entry["port"])
        if queued is not None:
            note = (entry, entry["acknowledged"]() - queued, queued)
    process.kill()
    process.communicate()
    server.held.set()
    found["kills"] += 1
    return note


def judge(note, first):
    """Compares what a killed process had read with where the next request begins."""
    entry, read, queued = note
    size = sizes[entry["path"].strip("/")]
    if not 0 < read < size - entry["start"]:
        return
    following = [other for other in server.requests[first:]
                 if (other["path"], other["version"]) == (entry["path"], entry["version"])]
    if not following:
        return
    found["met"] += 1
    lost = read - (following[0]["start"] - entry["start"])
    found["lost"] += max(0, lost)
    found["mostLost"] = max(found["mostLost"], lost)
    found["mostUnread"] = max(found["mostUnread"], queued)
    if lost > 65536:
        found["faults"].append(
            f"{lost} bytes lost of {entry['path']} from {entry['start']}: {read} were read, "
            f"{queued} were not, and the next request begins at {following[0]['start']}")


def is_enough():
    kills = found["kills"]
    return kills >= 10 * count or kills >= count and 4 * found["met"] >= count


with tempfile.TemporaryDirectory() as directory:
    while not is_enough() and len(found["faults"]) < 5:
        notes = []
        while not is_enough():
            process = start(directory)
            # Most while it downloads, however long it takes to start.
            begun, downloads = len(server.requests), chance.random() < 0.75
            while downloads and len(server.requests) == begun and process.poll() is None:
                time.sleep(0.002)
            try:
                if process.wait(chance.uniform(0, 0.4)):
                    found["faults"].append(process.communicate()[0])
                break
            except subprocess.TimeoutExpired:
                for note, first in notes:
                    judge(note, first)
                note = kill(process)
                notes = [(note, len(server.requests))] if note else []
                check(directory, False)
        process = start(directory)
        output = process.communicate(timeout=60)[0]
        for note, first in notes:
            judge(note, first)
        if process.returncode:
            found["faults"].append(f"exit code {process.returncode}: {output}")
        check(directory, True)
        found["complete"] += 1
        server.version += 1
    left = os.listdir(os.path.join(directory, ".assets"))
    if len(left) > 3:
        found["faults"].append(f"left behind: {left}")
print(json.dumps(found))
