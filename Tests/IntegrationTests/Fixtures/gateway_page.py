"""The page of a gateway in Chromium, as one device sees it that may change all.

usage: gateway_page.py DEVICES COMMAND

Runs in the namespace of device1, while device2 is there. DEVICES others come, then device3 by COMMAND.
Prints what it found as JSON.
"""

import json
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "MatrixReportTests/Fixtures"))
import chromium  # noqa: E402

GATEWAY = "192.168.77.1"


def article(name):
    return f"[...document.querySelectorAll('article')].find((each) => each.querySelector('h2').textContent === '{name}')"


def see(browser, name):
    """What the page says of a device, once it knows it."""
    while not browser.evaluate(f"Boolean({article(name)})"):
        browser.open("http://linkcond.box/")
    return browser.evaluate(f"""(() => {{
        const article = {article(name)};
        return {{ now: article.querySelector(".now").textContent, alert: article.querySelector("[role=alert]")?.textContent ?? "",
            hasForm: article.querySelector("form") !== null }};
    }})()""")


def come(count):
    """Asks for the gateway by ARP as so many devices with addresses of their own would."""
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    frames.bind(("eth0", 0))
    for number in range(count):
        hardware = bytes((2, 0, 0, 0, 1, number))
        frames.send(b"\xff" * 6 + hardware + b"\x08\x06" + b"\x00\x01\x08\x00\x06\x04\x00\x01" + hardware
                    + socket.inet_aton(f"192.168.77.{2 + number}") + bytes(6) + socket.inet_aton(GATEWAY))


def main():
    found = {}
    with chromium.browser(240, [f"--host-resolver-rules=MAP linkcond.box {GATEWAY}"]) as browser:
        browser.attach()
        browser.look(360, 800, "light", True)
        browser.open("http://linkcond.box/")
        found["schedule"] = see(browser, "device1")
        see(browser, "device2")
        browser.evaluate(f"""(() => {{
            const form = {article("device2")}.querySelector("form");
            form.id = "wish";
            const choices = [...form.profile.options];
            form.profile.value = choices.find((each) => each.textContent === "apple/Edge").value;
            form.minutes.value = "10";
        }})()""")
        browser.click("#wish button")
        browser.until(f"{article('device2')}?.querySelector('.now').textContent.startsWith('apple/Edge')")
        found["limit"] = see(browser, "device2")
        found["axe"] = browser.axe()
        come(int(sys.argv[1]))
        while browser.evaluate("document.querySelectorAll('article').length") < 2 + int(sys.argv[1]):
            browser.open("http://linkcond.box/")
        subprocess.run(sys.argv[2], shell=True, check=True, stdout=subprocess.DEVNULL)
        found["last"] = see(browser, "device3")
        found["articles"] = browser.evaluate("document.querySelectorAll('article').length")
        found["tooWide"] = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
        found["axe"] += browser.axe()
        found.update(browser.outside())
    print(json.dumps(found))


main()
