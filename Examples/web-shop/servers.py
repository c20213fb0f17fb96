"""PostgreSQL and Redis as plain processes of an ordinary user, in a directory that goes with them."""

import contextlib
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time

# Servers refuse to be root; nobody is a user everywhere.
USER = "nobody" if os.geteuid() == 0 else None


def find(program):
    """The path of a server's program, which Debian keeps out of PATH."""
    found = shutil.which(program)
    others = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{program}"))
    if others:
        return others[-1]
    if found is None:
        raise RuntimeError(f"{program} is missing: apt-get install postgresql redis-server")
    return found


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def directory():
    with tempfile.TemporaryDirectory(prefix="shop-") as path:
        if USER is not None:
            shutil.chown(path, USER)
        yield path


@contextlib.contextmanager
def process(command, port, path):
    """A server, once its port is open."""
    with open(os.path.join(path, "log"), "ab") as log:
        # The kernel ends it with its parent, also if that is killed.
        server = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command], cwd=path, user=USER, stdout=log,
            stderr=log)
    try:
        end = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if server.poll() is not None or time.monotonic() > end:
                with open(os.path.join(path, "log")) as log:
                    raise RuntimeError(f"{command[0]} has not started: {log.read()}")
            time.sleep(0.02)
        yield
    finally:
        # PostgreSQL: disconnect clients, shut down, leave no shared memory.
        server.send_signal(2)
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@contextlib.contextmanager
def postgres():
    """The port of a PostgreSQL whose superuser is `shop`."""
    with directory() as path:
        data = os.path.join(path, "data")
        subprocess.run(
            [find("initdb"), "--pgdata", data, "--username", "shop", "--auth", "trust",
             "--no-sync", "--locale", "C.UTF-8"],
            check=True, user=USER, cwd=path, stdout=subprocess.DEVNULL)
        port = free_port()
        command = [
            find("postgres"), "-D", data, "-p", str(port), "-k", path, "-F",
            "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"]
        with process(command, port, path):
            yield port


@contextlib.contextmanager
def redis_server():
    """The port of a Redis that stores nothing."""
    with directory() as path:
        port = free_port()
        command = [
            find("redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--dir", path,
            "--save", "", "--appendonly", "no"]
        with process(command, port, path):
            yield port
