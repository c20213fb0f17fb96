# browser.py WORK LINKCOND chromium|flags|devtools|firefox: has a page in a browser tell what it
# sees, and prints that as a line of JSON, and again after each event of the page. flags are those
# that make Chromium claim another connection, devtools tells Chromium the run's conditions.
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

work, linkcond, way = sys.argv[1:]
PAGE = b"""<script>
const connection = navigator.connection;
function say() {
    const seen = {onLine: navigator.onLine, connection: Boolean(connection)};
    for (const name of ["saveData", "effectiveType", "type", "rtt", "downlink"])
        if (connection && name in connection) seen[name] = connection[name];
    seen.reducedData = matchMedia("(prefers-reduced-data: reduce)").matches;
    fetch("/seen", {method: "POST", body: JSON.stringify(seen)});
}
addEventListener("online", say);
addEventListener("offline", say);
if (connection) connection.addEventListener("change", say);
say();
</script>"""
# Chromium adds noise to these, so that they differ from run to run.
NOISY = ("rtt", "downlink")
HINTS = "Save-Data", "ECT"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(PAGE if self.path == "/" else b"")

    def do_POST(self):
        seen = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for name in NOISY:
            if name in seen:
                seen["~" + name] = seen.pop(name)
        seen |= {name: self.headers[name] for name in HINTS if self.headers[name]}
        print(json.dumps(seen), flush=True)
        self.answer(b"")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Accept-CH", "Save-Data, ECT")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class DevTools:
    """Chromium's protocol for tests, over a pair of pipes."""

    def __init__(self, command):
        ours, theirs = os.pipe(), os.pipe()
        for end in (ours[0], theirs[1]):
            os.set_inheritable(end, True)
        subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]}', "bash", *command,
             "--remote-debugging-pipe"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False)
        os.close(theirs[1])
        self.requests, self.answers = os.fdopen(ours[1], "wb", 0), os.fdopen(theirs[0], "rb")
        self.session, self.count, self.rest = {}, 0, b""

    def send(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters, **self.session}
        self.requests.write(json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.answers.fileno(), 65536) or sys.exit("Chromium has ended")
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.count:
                return answer["result"]

    def attach(self):
        pages = self.send("Target.getTargets")["targetInfos"]
        page = next(target for target in pages if target["type"] == "page")
        self.session = {"sessionId": self.send(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]}


def tell_conditions(devtools):
    show = [linkcond, "show", os.environ["LINKCOND_PROFILE"], "--json"]
    profile = json.loads(subprocess.check_output(show))
    down, up = profile["down"], profile["up"]
    kinds = {"wifi": "wifi", "cellular": "cellular4g", "wired": "ethernet"}
    devtools.send("Network.enable")
    devtools.send(
        "Network.overrideNetworkState", offline=False,
        latency=down["delayMilliseconds"] + up["delayMilliseconds"],
        downloadThroughput=(down["bandwidthBitsPerSecond"] or -8) / 8,
        uploadThroughput=(up["bandwidthBitsPerSecond"] or -8) / 8,
        connectionType=kinds.get(os.environ["LINKCOND_INTERFACE_KIND"], "other"))
    devtools.send(
        "Emulation.setDataSaverOverride",
        dataSaverEnabled=os.environ["LINKCOND_CONSTRAINED"] == "1")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"
profile = tempfile.mkdtemp(dir=work)
chromium = [
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    f"--user-data-dir={profile}",
]
type_flag = "--enable-blink-features=NetInfoDownlinkMax"
commands = {
    "chromium": [*chromium, url],
    "flags": [*chromium, "--force-effective-connection-type=3G", type_flag, url],
    "firefox": ["firefox", "--headless", "--no-remote", "--profile", profile, url],
}
if way == "devtools":
    devtools = DevTools([*chromium, type_flag, "about:blank"])
    devtools.attach()
    tell_conditions(devtools)
    devtools.send("Page.navigate", url=url)
    threading.Event().wait()
else:
    subprocess.run(commands[way], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
