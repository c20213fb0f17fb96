"""Programs that another user starts."""

import os
import pwd
import shutil
import sys
import tempfile
from contextlib import contextmanager


def ordinary_user():
    """How to start a program as whoever called sudo, or as nobody."""
    user = pwd.getpwuid(int(os.environ.get("SUDO_UID", 0)) or 65534)
    environment = {**os.environ, "HOME": "/tmp", "USER": user.pw_name, "SHELL": "/bin/sh"}
    environment.pop("XDG_RUNTIME_DIR", None)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "env": environment}


def linkcond(bench):
    """The program that is measured."""
    path = os.environ.get("LINKCOND_BINARY")
    if not path:
        sys.exit(f"bench {bench}: LINKCOND_BINARY is not set; start this with Scripts/bench {bench}")
    return os.path.abspath(path)


@contextmanager
def executable_by_all(program):
    """A copy of a program where others may execute it, wherever the repository is."""
    with tempfile.TemporaryDirectory(prefix="linkcond-bench.") as directory:
        os.chmod(directory, 0o755)
        copy = shutil.copy(program, os.path.join(directory, "linkcond"))
        os.chmod(copy, 0o755)
        yield copy
