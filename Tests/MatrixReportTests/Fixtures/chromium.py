"""Headless Chromium over the DevTools protocol.

Speaks over a pipe, so that nothing but Chromium itself is needed.
"""

import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time


class Refused(SystemExit):
    """What Chromium did not do, as it says it; ends the program where nobody minds."""


class Browser:
    def __init__(self, profile, seconds, arguments):
        self.deadline = time.monotonic() + seconds
        executable = shutil.which("chromium") or shutil.which("chromium-browser")
        if not executable:
            sys.exit("no chromium: apt-get install chromium")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def place():
            # The protocol's descriptors are 3 and 4.
            first, second = os.dup(to_browser), os.dup(from_browser)
            high = max(first, second, 9) + 1
            os.dup2(first, high)
            os.dup2(second, high + 1)
            os.dup2(high, 3)
            os.dup2(high + 1, 4)

        self.process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", *arguments, "about:blank"],
            preexec_fn=place, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.hasScript = True
        self.awaited = "nothing"
        self.events = []

    def message(self):
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                sys.exit(f"Chromium did not answer in time: {self.awaited}")
            data = os.read(self.input, 1 << 20)
            if not data:
                sys.exit("Chromium ended by itself")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        self.awaited = f"{method} {json.dumps(parameters)[:300]}"
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise Refused(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def attach(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def outside(self):
        """What pages asked of the network, and what Chromium complained of."""
        requests, complaints = [], []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent":
                requests.append(parameters["request"]["url"][:200])
            elif event.get("method") == "Runtime.exceptionThrown":
                complaints.append(json.dumps(parameters["exceptionDetails"])[:1000])
            elif event.get("method") == "Log.entryAdded":
                complaints.append(parameters["entry"]["text"])
        return {"requests": sorted({url for url in requests if not url.startswith(("file:", "data:", "about:"))}),
                "complaints": complaints}

    def axe(self):
        """The rules of axe-core that the page breaks, each with an element; the file is in AXE."""
        if not self.evaluate("typeof axe === 'object'"):
            self.evaluate(pathlib.Path(os.environ["AXE"]).read_text() + "; undefined")
        return self.evaluate("""axe.run(document, { resultTypes: ["violations"] }).then((result) =>
            result.violations.map((rule) => `${rule.id}: ${rule.nodes[0].html.slice(0, 200)}`))""")

    def open(self, address):
        first = len(self.events)
        self.call("Page.navigate", url=address)
        self.awaited = f"the load of {address}"
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events[first:]):
            self.events.append(self.message())

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def read(self, expression):
        """Evaluates what changes nothing: once more in the next page if this one is left meanwhile."""
        while True:
            try:
                return self.evaluate(expression)
            except Refused as refusal:
                if "navigated" not in str(refusal):
                    raise

    def settle(self):
        """Waits until the page is drawn; without scripts it cannot tell, and one that is not in front
        may never be."""
        if self.hasScript:
            self.read("""new Promise(done => {
                requestAnimationFrame(() => requestAnimationFrame(done));
                setTimeout(done, 2000);
            })""")

    def until(self, expression):
        """Waits for something that a click or a key brings about."""
        while not self.read(expression):
            if time.monotonic() > self.deadline:
                sys.exit(f"this did not come true: {expression}")
            time.sleep(0.02)
        self.settle()

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    # What a reader does.

    def look(self, width, height, scheme, is_phone):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if is_phone else 1, mobile=is_phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_phone)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def click(self, selector):
        x, y = self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center"}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key, code):
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(data["data"]))

    def full_screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        pathlib.Path(path).write_bytes(base64.b64decode(data["data"]))


@contextlib.contextmanager
def browser(seconds=150, arguments=()):
    """Chromium with a profile of its own, for at most this time; both are gone afterwards."""
    profile = tempfile.mkdtemp(prefix="linkcond-chromium.")
    chromium = Browser(profile, seconds, arguments)
    try:
        yield chromium
    finally:
        chromium.close()
        shutil.rmtree(profile, ignore_errors=True)
