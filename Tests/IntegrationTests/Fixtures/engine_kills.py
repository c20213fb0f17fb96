"""Kills the packet engine while conditions are applied, again and again, in a network namespace of
its own, and looks whether they can be applied and cleared afterwards.

    engine_kills.py PROGRAM HOOKS random COUNT
    engine_kills.py PROGRAM HOOKS calls SYSTEM_CALL FAULT COUNT

The first kind kills at moments that are drawn; the second one has an engine meet a fault at its
first, second, third... call of a kind, for which it takes strace. Prints a JSON object.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

program, hooks, kind = sys.argv[1:4]
environment = dict(os.environ, LINKCOND_ENGINE_HOOKS=hooks)
apply = ["apply", "LTE", "-i", "x0", "--backend", "engine"]
here = os.stat("/proc/self/ns/net").st_ino


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, env=environment)


def linkcond(*words):
    result = run(program, *words)
    return result.returncode, result.stderr.strip()


def processes(name):
    """Those of this network namespace with a name."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/comm") as file:
                found = file.read().strip()
            if found == name and os.stat(f"/proc/{number}/ns/net").st_ino == here:
                yield int(number)
        except OSError:
            pass


def state():
    return "\n".join(
        run(*words.split()).stdout
        for words in ("ip -br link", "tc qdisc show", "nft list tables", "tc filter show dev x0 egress",
                      "tc filter show dev x0 ingress"))


def check(faults, where):
    """Whether the engine's interface can be conditioned and cleared now."""
    code, said = linkcond(*apply, "--replace")
    if code != 0:
        faults.append(f"{where}: apply ended with {code}: {said}")
    code, said = linkcond("clear")
    if code != 0:
        faults.append(f"{where}: clear ended with {code}: {said}")
    deadline = time.monotonic() + 20
    while any(processes("linkcond-engine")) or any(processes("linkcond-guard")):
        if time.monotonic() > deadline:
            faults.append(f"{where}: an engine is left")
            break
        time.sleep(0.01)
    after = state()
    if after != before:
        faults.append(f"{where}: not everything is gone")
        run(program, "clear")
        for wire in ("lcu100", "lcd100"):
            run("ip", "link", "del", wire)


def kill_at_random(count, whole, faults):
    killed = 0
    for number in range(count):
        moment = random.uniform(0, whole)
        begin = time.monotonic()
        process = subprocess.Popen(
            [program, *apply], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment)
        if number % 4:
            # Most of the time goes by before there is an engine, and what it does is quick.
            while process.poll() is None and not any(processes("linkcond-engine")):
                pass
            begin, moment = time.monotonic(), moment / 4
        while time.monotonic() - begin < moment and process.poll() is None:
            time.sleep(0.0005)
        for name in random.sample(["linkcond-engine", "linkcond-guard"], random.choice([1, 1, 2])):
            for engine in processes(name):
                try:
                    os.kill(engine, signal.SIGKILL)
                    killed += 1
                except OSError:
                    pass
        if number % 2 == 0 and process.poll() is None:
            process.kill()
        process.wait(60)
        check(faults, f"kill {number} after {moment:.4f} s")
    return killed


def fail_calls(call, fault, count, faults):
    met = 0
    for number in range(1, count + 1):
        with tempfile.TemporaryDirectory() as directory:
            trace, ready = f"{directory}/trace", f"{directory}/ready"
            engine = subprocess.Popen(
                ["sh", "-c", 'exec 3>"$1"; shift; exec "$@"', "sh", ready, "strace", "-f", "-qq", "-o", trace,
                 "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}", program,
                 "engine"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=environment)
            deadline = time.monotonic() + 20
            while engine.poll() is None and time.monotonic() < deadline:
                if os.path.exists(ready) and os.path.getsize(ready):
                    break
                time.sleep(0.01)
            code, said = linkcond(*apply)
            # Where nft was killed it says so, and nothing is conditioned.
            if code != 0 and (fault != "signal=SIGKILL" or "nft has ended" not in said):
                faults.append(f"{call} {number}: the first apply ended with {code}: {said}")
            check(faults, f"{call} {number}")
            engine.terminate()
            engine.wait(60)
            with open(trace) as file:
                text = file.read()
            met += "SIGKILL" in text or "INJECTED" in text
    return met


run("ip", "link", "set", "lo", "up")
run("ip", "link", "add", "x0", "index", "100", "type", "veth", "peer", "name", "x1", "index", "101")
run("ip", "link", "set", "x0", "addrgenmode", "none", "up")
run("ip", "link", "set", "x1", "addrgenmode", "none", "up")
# Both are known by then, and what is made once is made.
linkcond(*apply)
linkcond("clear")
before = state()
begin = time.monotonic()
code, said = linkcond(*apply)
whole = time.monotonic() - begin
assert code == 0, said
linkcond("clear")
faults = []
if kind == "random":
    met = kill_at_random(int(sys.argv[4]), 1.1 * whole, faults)
else:
    met = fail_calls(sys.argv[4], sys.argv[5], int(sys.argv[6]), faults)
print(json.dumps({"met": met, "faults": faults}))
