"""Opens a report in headless Chromium as a reader would, and prints what was found as JSON.

usage: browse.py REPORT.html [SCREENSHOT_DIRECTORY]

AXE=FILE checks accessibility with axe-core as well.
"""

import base64
import json
import pathlib
import sys

sys.dont_write_bytecode = True

from chromium import browser  # noqa: E402

VISIBLE = """(() => ({
    overview: getComputedStyle(document.querySelector(".overview")).display !== "none",
    cells: [...document.querySelectorAll(".cell")]
        .filter(cell => getComputedStyle(cell).display !== "none")
        .map(cell => cell.querySelector("h1").textContent),
    title: document.title,
    tooWide: document.documentElement.scrollWidth - innerWidth,
    small: [...document.querySelectorAll("a.sign, button, a.step")]
        .map(element => element.getBoundingClientRect())
        .filter(box => box.width && Math.min(box.width, box.height) < 24).length,
}))()"""

# Rows in the order and as far as they are shown.
ROWS = """[...document.querySelectorAll("%s tbody tr")].filter(row => !row.hidden)
    .map(row => row.querySelector("%s").textContent)"""
PROFILES = ROWS % (".matrix", ".name")
TESTS = ROWS % (".tests-grid", "th b")

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
        return box.right > drawing.right - 4 || box.left < drawing.left + 4;
    }).map(text => text.textContent)"""


def choose(browser, name, value):
    browser.evaluate(f"""(() => {{
        const field = document.querySelector({json.dumps(name)});
        field.value = {json.dumps(value)};
        field.dispatchEvent(new Event(field.matches("select") ? "change" : "input"));
    }})()""")
    browser.settle()


def use_tables(browser, page):
    """The tests, the search, the orders, and links that keep them."""
    found = {}
    if not browser.evaluate("!!document.querySelector('.tests-grid')"):
        return found
    found["grid"] = browser.evaluate("""[...document.querySelectorAll(".tests-grid tr")]
        .map(row => [...row.cells].map(cell => (cell.querySelector("b") ?? cell).textContent))""")
    found["reasons"] = browser.evaluate(
        "[...document.querySelectorAll('.tests-grid .reason')].map(reason => reason.textContent)")
    choose(browser, "#filter", "TIMED out")
    found["searched"] = browser.evaluate(TESTS)
    found["told"] = browser.evaluate("document.querySelector('.hidden-rows').textContent")
    choose(browser, "#filter", "")
    choose(browser, "select[data-sort=tests]", "name")
    choose(browser, "select[data-sort=profiles]", "-seconds")
    browser.evaluate("document.querySelector('button[data-show=failed]').click()")
    found["sorted"] = [browser.evaluate(PROFILES), browser.evaluate(TESTS)]
    address = browser.evaluate("location.href")
    found["address"] = address.partition("#")[2]

    # From a failed test to its place in the cell, and back to what was chosen.
    browser.click(".tests-grid td.f a")
    browser.until("document.querySelector('.cell :target') !== null")
    found["failedTest"] = browser.evaluate("""(() => {
        const row = document.querySelector(".cell tr:target");
        return [row.closest(".cell").querySelector("h1").textContent, row.querySelector("b").textContent,
            String(row.querySelector("details")?.open ?? true), String(document.activeElement === row)];
    })()""")
    browser.press("Escape", 27)
    browser.until("document.querySelector('.cell :target') === null && location.hash.includes('show')")
    found["afterTest"] = [browser.evaluate(PROFILES), browser.evaluate(TESTS)]

    # Somebody else opens the link.
    browser.open("about:blank")
    browser.open(address)
    found["linked"] = [browser.evaluate(PROFILES), browser.evaluate(TESTS)]
    browser.open("about:blank")
    browser.open(page.as_uri() + "#show=<img>&tests=constructor&q=%FF")
    found["hostileLink"] = browser.evaluate("location.href.length") and browser.evaluate(PROFILES)
    browser.open("about:blank")
    browser.open(page.as_uri())

    # Paper.
    browser.call("Emulation.setEmulatedMedia", media="print")
    found["printed"] = browser.evaluate(VISIBLE)["cells"]
    browser.call("Emulation.setEmulatedMedia", media="")
    found["pages"] = base64.b64decode(browser.call("Page.printToPDF")["data"]).count(b"/Type /Page\n")
    return found


def browse(browser, page, pictures):
    found = {}
    browser.attach()
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

    found.update(use_tables(browser, page))

    views = [("matrix", "matrix"), ("cell", "")]
    timeline = browser.evaluate("document.querySelector('.cell .timeline')?.closest('.cell').id")
    if timeline:
        views.append(("timeline", timeline))
    found["looks"] = {}
    for device, width, height in (("desktop", 1280, 900), ("phone", 360, 800)):
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
                # Takes seconds: once for each width, and once for each scheme.
                look["axe"] = browser.axe() if (device == "phone") == (scheme == "dark") else []
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
    with browser() as chromium:
        found = browse(chromium, page, pictures)
        found.update(chromium.outside())
        print(json.dumps(found))


main()
