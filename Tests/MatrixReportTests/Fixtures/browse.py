"""Opens a report in headless Chromium as a reader would, and prints what was found as JSON.

usage: browse.py REPORT.html [SCREENSHOT_DIRECTORY]

Speaks the DevTools protocol over a pipe, so that nothing but Chromium itself is needed.
"""

import base64
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

DEADLINE = time.monotonic() + 150


class Browser:
    def __init__(self, profile):
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
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.hasScript = True
        self.events = []

    def message(self):
        while b"\0" not in self.buffer:
            left = DEADLINE - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                sys.exit("Chromium did not answer in time")
            data = os.read(self.input, 1 << 20)
            if not data:
                sys.exit("Chromium ended by itself")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, address):
        first = len(self.events)
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events[first:]):
            self.events.append(self.message())

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self):
        """Waits until the page is drawn; without scripts it cannot tell."""
        if self.hasScript:
            self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, expression):
        """Waits for something that a click or a key brings about."""
        while not self.evaluate(expression):
            if time.monotonic() > DEADLINE:
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


VISIBLE = """(() => ({
    overview: getComputedStyle(document.querySelector(".overview")).display !== "none",
    cells: [...document.querySelectorAll(".cell")]
        .filter(cell => getComputedStyle(cell).display !== "none")
        .map(cell => cell.querySelector("h2").textContent),
    title: document.title,
    tooWide: document.documentElement.scrollWidth - innerWidth,
    small: [...document.querySelectorAll("a.sign, button, a.step")]
        .map(element => element.getBoundingClientRect())
        .filter(box => box.width && Math.min(box.width, box.height) < 24).length,
}))()"""

IN_CELL = "document.activeElement === document.querySelector('.cell:target')"
IN_MATRIX = "document.querySelector('.cell:target') === null"

# The least contrast of visible text with what is behind it (WCAG 2.1, section 1.4.3).
CONTRAST = """(() => {
    const channel = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = color => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] / 255 + below[i] * (1 - top[3] / 255));
    const light = color => 0.2126 * channel(color[0] / 255) + 0.7152 * channel(color[1] / 255)
        + 0.0722 * channel(color[2] / 255);
    const ground = element => {
        const chain = [];
        for (let parent = element; parent; parent = parent.parentElement) chain.unshift(parent);
        return chain.reduce((below, parent) => over(rgba(getComputedStyle(parent).backgroundColor), below),
            [255, 255, 255]);
    };
    let least = [99, ""];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const text = walker.currentNode.textContent.trim();
        if (!text || !element.checkVisibility() || element.closest("[aria-hidden]")) continue;
        const behind = ground(element);
        const [a, b] = [light(over(rgba(getComputedStyle(element).color), behind)), light(behind)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < least[0]) least = [ratio, `${element.tagName}.${element.className}: ${text.slice(0, 40)}`];
    }
    return least;
})()"""

# Texts of drawings that reach beyond the drawing. Those in a span of a band end with the span.
CUT_OFF = """[...document.querySelectorAll(".cell:target .timeline text:not(.t-word)")]
    .filter(text => {
        const drawing = text.closest(".timeline").getBoundingClientRect();
        const box = text.getBoundingClientRect();
        return box.right > drawing.right - 14 || box.left < drawing.left + 14;
    }).map(text => text.textContent)"""


def browse(browser, page, pictures):
    found = {}
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Network", "Log"):
        browser.call(f"{domain}.enable")
    browser.look(1280, 900, "light", False)
    browser.open(page.as_uri())
    browser.settle()

    found["matrix"] = browser.evaluate("""(() => {
        const table = document.querySelector("table.matrix");
        return { label: table.getAttribute("aria-label"),
                 rows: [...table.tBodies[0].rows].map(row => row.querySelector(".name").textContent),
                 signs: [...table.querySelectorAll(".sign")].map(sign => sign.getAttribute("aria-label")) };
    })()""")
    found["verdict"] = browser.evaluate("document.querySelector('.verdict').textContent")
    found["start"] = browser.evaluate(VISIBLE)
    found["loadMilliseconds"] = browser.evaluate(
        "(t => t.loadEventEnd - t.startTime)(performance.getEntriesByType('navigation')[0])")

    browser.click(".sign.failed")
    browser.until(IN_CELL)
    found["clicked"] = browser.evaluate(VISIBLE)
    found["cell"] = browser.evaluate("""(() => {
        const cell = document.querySelector(".cell:target");
        return { command: cell.querySelector(".command code").textContent,
                 log: cell.querySelector(".log pre").textContent,
                 plots: [...cell.querySelectorAll(".plot svg")].map(svg => svg.getAttribute("aria-label")),
                 isFocused: document.activeElement === cell,
                 colours: new Set([...cell.querySelectorAll(".log pre span")]
                     .map(span => getComputedStyle(span).color)).size };
    })()""")
    x, y = browser.evaluate("""(() => {
        const box = document.querySelector(".cell:target .box");
        box.scrollIntoView({block: "center"});
        const area = box.getBoundingClientRect();
        return [area.x + area.width / 2, area.y + area.height / 2];
    })()""")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.settle()
    found["underPointer"] = browser.evaluate(
        "[...document.querySelectorAll('.cell:target .plot figcaption span')].map(span => span.textContent)")
    browser.press("Escape", 27)
    browser.until(IN_MATRIX)
    found["afterEscape"] = browser.evaluate(VISIBLE)
    browser.evaluate("document.querySelector('.sign').focus()")
    browser.press("Enter", 13)
    browser.until(IN_CELL)
    found["afterEnter"] = browser.evaluate(VISIBLE)
    browser.press("ArrowRight", 39)
    browser.until("location.hash === '#cell-2'")
    browser.until(IN_CELL)
    found["afterArrow"] = browser.evaluate(VISIBLE)
    browser.press("Escape", 27)
    browser.until(IN_MATRIX)

    browser.evaluate("document.querySelector('button[data-show=failed]').click()")
    found["filtered"] = browser.evaluate(
        "[...document.querySelectorAll('.matrix tbody tr')].filter(row => !row.hidden)"
        ".map(row => row.dataset.name)")
    browser.evaluate("document.querySelector('button[data-show=all]').click()")

    tree = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node.get("role", {}).get("value") for node in tree if not node.get("ignored")]
    found["roles"] = {role: roles.count(role) for role in ("table", "row", "rowheader", "columnheader")}
    found["namelessLinks"] = sum(
        1 for node in tree if node.get("role", {}).get("value") in ("link", "button")
        and not node.get("ignored") and not node.get("name", {}).get("value"))

    views = [("matrix", "matrix"), ("cell", "")]
    timeline = browser.evaluate("document.querySelector('.cell .timeline')?.closest('.cell').id")
    if timeline:
        views.append(("timeline", timeline))
    found["looks"] = {}
    for device, width, height in (("desktop", 1280, 900), ("phone", 390, 844)):
        for scheme in ("light", "dark"):
            browser.look(width, height, scheme, device == "phone")
            for name, hash in views:
                number = browser.evaluate("document.querySelector('.sign.failed').getAttribute('href')")
                browser.evaluate(f"location.hash = {json.dumps(hash or number)}")
                browser.until(IN_MATRIX if name == "matrix" else IN_CELL)
                look = browser.evaluate(VISIBLE)
                look["cutOff"] = browser.evaluate(CUT_OFF)
                look["ground"] = browser.evaluate("getComputedStyle(document.body).backgroundColor")
                look["contrast"] = browser.evaluate(CONTRAST)
                found["looks"][f"{name}-{device}-{scheme}"] = look
                if pictures:
                    browser.full_screenshot(f"{pictures}/{name}-{device}-{scheme}.png")

    # Some CI engines let no script run.
    browser.look(1280, 900, "light", False)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.hasScript = False
    browser.open("about:blank")
    browser.open(page.as_uri())
    browser.click(".sign.failed")
    browser.until("document.querySelector('.cell:target') !== null")
    found["withoutScript"] = browser.evaluate(VISIBLE)

    found["hacked"] = browser.evaluate("String(window.hacked)")
    return found


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    pictures = sys.argv[2] if len(sys.argv) > 2 else None
    profile = tempfile.mkdtemp(prefix="linkcond-chromium.")
    browser = Browser(profile)
    try:
        found = browse(browser, page, pictures)
        requests, complaints = [], []
        for event in browser.events:
            parameters = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent":
                requests.append(parameters["request"]["url"][:200])
            elif event.get("method") == "Runtime.exceptionThrown":
                complaints.append(json.dumps(parameters["exceptionDetails"])[:1000])
            elif event.get("method") == "Log.entryAdded":
                complaints.append(parameters["entry"]["text"])
        found["requests"] = sorted({url for url in requests if not url.startswith(("file:", "data:", "about:"))})
        found["complaints"] = complaints
        print(json.dumps(found))
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)


main()
