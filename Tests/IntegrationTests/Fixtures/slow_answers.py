"""A program asks for a socket while linkcond is long in answering its request for another, and a
signal comes meanwhile. Prints the protocol of the socket, or why there is none.

usage: slow_answers.py DIRECTORY COMMAND...
"""

import pathlib
import subprocess
import sys
import time

PROGRAM = """
import os, signal, socket, sys, threading, time
def wait_for(name):
    while not os.path.exists(f"{sys.argv[1]}/{name}"):
        time.sleep(0.05)
open(f"{sys.argv[1]}/ready", "w").close()
wait_for("slowed")
# The handler restarts no calls.
signal.signal(signal.SIGALRM, lambda *_: None)
def ask_first():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    socket.socket()
threading.Thread(target=ask_first).start()
time.sleep(0.5)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    print(socket.socket().getsockopt(socket.SOL_SOCKET, 38))
except InterruptedError as error:
    print(error)
"""


def status(process, name):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split()[1]


def descends(process, ancestor):
    while process not in ("0", ancestor):
        process = status(process, "PPid")
    return process == ancestor


def answering_thread(ancestor):
    for comm in pathlib.Path("/proc").glob("[0-9]*/task/*/comm"):
        try:
            if comm.read_text() == "sockets\n" and descends(comm.parts[2], ancestor):
                return comm.parts[4]
        except (FileNotFoundError, ProcessLookupError):
            continue  # It has ended.


directory = pathlib.Path(sys.argv[1])
run = subprocess.Popen(sys.argv[2:] + ["--", "python3", "-c", PROGRAM, str(directory)])
while not (directory / "ready").exists():
    if run.poll() is not None:
        sys.exit("the run has ended")
    time.sleep(0.05)
thread = answering_thread(str(run.pid))
tracer = subprocess.Popen(
    ["strace", "-qq", "-o", "/dev/null", "-p", thread]
    + ["--trace", "socket", "--inject", "socket:delay_enter=2000000"]
)
while status(thread, "TracerPid") == "0":
    time.sleep(0.05)
(directory / "slowed").touch()
sys.exit(run.wait() or tracer.wait())
