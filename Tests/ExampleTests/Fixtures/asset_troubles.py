"""Brings prefetch-assets into trouble: asset_troubles.py PROGRAM CASE

Prints what happened as JSON: the exit `codes`, the lines of `output` without progress, the `requests`
as [version, start], whether the assets are `right`, and the other `files` in the directory.
"""
import glob, json, os, re, signal, subprocess, sys, tempfile, time
from asset_server import Server

program, case = sys.argv[1:]
server = Server({"a.pack": 1_500_000}).start()
codes, lines = [], []
SLOW = 400_000


def start(*words):
    return subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def end(process):
    output = process.communicate(timeout=60)[0]
    codes.append(process.returncode)
    lines.extend(line for line in output.splitlines() if not line.endswith("%"))


def run(*words):
    end(start(*words))


def app(*words):
    run("app", server.url, directory, *words)


def begin(*words):
    """Starts a slow download, and waits until some of it is there."""
    server.rate, count = SLOW, len(server.requests)
    process = start(*(words or ("app", server.url, directory)))
    while len(server.requests) == count or not any(map(os.path.getsize, parts())):
        time.sleep(0.02)
    time.sleep(0.2)
    server.rate = 0
    return process


def interrupt():
    process = begin()
    process.kill()
    process.communicate()


def parts():
    return glob.glob(f"{directory}/.assets/work-*/*.partial")


def edit_record(old, new):
    [path] = glob.glob(f"{directory}/.assets/work-*/*.resume")
    text = open(path).read()
    with open(path, "w") as record:
        record.write(re.sub(old, new, text))


def two_at_once():
    words = ("extension", "periodic", server.url, directory)
    process = begin(*words)
    run(*words)
    end(process)


def many_at_once():
    for process in [start("app", server.url, directory) for _ in range(3)] + [
            start("extension", "periodic", server.url, directory) for _ in range(3)]:
        end(process)
    left = os.listdir(f"{directory}/.assets")
    assert len(left) == 3 and not any(name.startswith("new-") for name in left), left


def stopped():
    process = begin()
    process.send_signal(signal.SIGSTOP)
    app("--lease", "2")
    process.send_signal(signal.SIGCONT)
    end(process)


def changed_content():
    interrupt()
    server.version += 1
    app()


def old_manifest():
    app()
    server.version += 1
    old = server.manifest(["a.pack"])
    server.manifest = lambda names: old
    server.version += 1
    app()
    server.version = 1


def same_tag():
    server.tag = '"same"'
    interrupt()
    new = server.manifest(["a.pack"]).replace(b'"version": "1"', b'"version": "x"')
    server.manifest = lambda names: new
    with open(parts()[0], "r+b") as part:
        part.write(b"another")
    app()


def wrong_content():
    server.lies = {"a.pack": {"sha256": "0" * 64}}
    app()


def wrong_and_cut():
    server.cuts = {"a.pack": 500_000}
    wrong_content()


def wrong_size():
    server.lies = {"a.pack": {"size": 1_400_000}}
    app()
    server.lies = {"a.pack": {"size": 1 << 60}}
    app()


def other_path():
    server.lies = {"a.pack": {"name": "../a.pack"}}
    app()


def other_record():
    interrupt()
    edit_record('"format":1', '"format":7')
    app()


def other_resume_data():
    interrupt()
    edit_record('"resumeData":"[^"]*"', '"resumeData":"e30="')
    app()


def other_part():
    interrupt()
    open(f"{directory}/precious", "w").write("mine")
    edit_record("NetworkSession-[^\"]*", "../../precious")
    app()
    assert open(f"{directory}/precious").read() == "mine"


def cut():
    server.cuts = {"a.pack": 500_000}
    app()


def clock_set_back():
    app()
    server.version += 1
    interrupt()
    for path in glob.glob(f"{directory}/**", recursive=True, include_hidden=True):
        os.utime(path, (time.time() + 1e6,) * 2)
    app()
    app()


def terminated():
    process = begin("extension", "install", server.url, directory)
    run("simulate", "--terminate", directory)
    end(process)
    process = begin("extension", "install", server.url, directory)
    process.send_signal(signal.SIGSTOP)
    run("simulate", "--terminate", directory)
    end(process)
    run("simulate", "--app-install", server.url, directory)


def limits():
    server.rate = SLOW
    run("simulate", "--app-install", server.url, directory, "--time", "1")
    run("simulate", "--app-install", server.url, directory, "--memory", "1")
    server.rate = 0
    run("simulate", "--app-install", server.url, directory)


def disk_full():
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", directory], check=True)
    app()
    subprocess.run(["mount", "-o", "remount,size=2m", directory], check=True)
    process = begin()
    with open(f"{directory}/filler", "wb") as filler:
        try:
            filler.write(bytes(2_000_000))
        except OSError:
            pass
    end(process)
    os.remove(f"{directory}/filler")
    app()


with tempfile.TemporaryDirectory() as directory:
    globals()[case]()
    path = f"{directory}/a.pack"
    data = open(path, "rb").read() if os.path.exists(path) else b""
    names = {os.path.relpath(path, directory) for path in
             glob.glob(f"{directory}/*") + glob.glob(f"{directory}/.assets/work-*/*.*")}
    print(json.dumps({
        "codes": codes, "output": "\n".join(lines), "right": data == server.content("a.pack"),
        "requests": [[entry["version"], entry["start"]] for entry in server.requests],
        "files": sorted(names - {"a.pack"})}))
    if case == "disk_full":
        subprocess.run(["umount", directory], check=True)
