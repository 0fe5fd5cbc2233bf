"""A headless Chromium, driven by its DevTools protocol: real clicks, touches and keys."""

import base64
import contextlib
import itertools
import json
import re
import subprocess
import time
import urllib.request

from websockets.sync.client import connect

from tests.needs import program
from tests.waiting import PATIENCE

LONG = 120
"""Seconds in which anything on the page has happened, also on a crowded machine."""

FLAGS = """
--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
--disable-background-networking --disable-component-update --remote-debugging-port=0
--hide-scrollbars --force-color-profile=srgb
"""

DESKTOP, PHONE, WALL = (1280, 800, 1, False), (390, 844, 3, True), (3840, 2160, 1, False)
"""Screens: width, height, device pixels for each, and whether they are touched."""


class Tab:
    """One page of the browser."""

    def __init__(self, socket):
        self._socket = socket
        self._numbers = itertools.count(1)
        self.problems = []
        """Exceptions, errors on the console, and requests that failed."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        """Sends a command and returns its result; events that arrive meanwhile are looked at."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self._look_at(message)

    def _look_at(self, event):
        about = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.problems.append(about["exceptionDetails"])
            case "Runtime.consoleAPICalled" if about["type"] in ("error", "warning"):
                self.problems.append(about["args"])
            case "Log.entryAdded" if about["entry"]["level"] in ("error", "warning"):
                self.problems.append(about["entry"])

    def show(self, width, height, scale, touched, dark=False):
        """Sets the size of the screen, and its colours."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=touched,
        )
        self.send("Emulation.setTouchEmulationEnabled", enabled=touched, maxTouchPoints=1)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.touched = touched

    def go(self, url):
        """Loads a page, and waits until its scripts have run."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        self.until("document.body.dataset.ready === 'yes'")

    def run(self, script):
        """Returns the value of a script, which may be a promise."""
        found = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition):
        """Waits until a script is true."""
        patience = time.monotonic() + LONG
        while True:
            with contextlib.suppress(AssertionError):
                if self.run(f"Boolean({condition})"):
                    return
            assert time.monotonic() < patience, condition
            time.sleep(0.02)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def place(self, selector):
        """The middle of an element, scrolled into view, once nothing moves it any more.

        What comes late, such as a card of answers, would push it away from under a click.
        """
        return self.run(
            f"""(async () => {{
            const frames = async (n) => {{
                while (n--) await new Promise(requestAnimationFrame);
            }};
            for (let was = ""; ; await frames(2)) {{
                const it = document.querySelector({json.dumps(selector)});
                it.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
                const box = it.getBoundingClientRect();
                const middle = [box.x + box.width / 2, box.y + box.height / 2];
                if (String(middle) === was) return middle;
                was = String(middle);
            }} }})()"""
        )

    def click(self, selector, button="left"):
        """Clicks an element; on a screen that is touched, taps it, or for a right click, long."""
        x, y = self.place(selector)
        if self.touched:
            points = [{"x": x, "y": y}]
            self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=points)
            if button == "right":
                time.sleep(0.6)
            self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def choose(self, selector, value):
        """Sets a field, as if it was chosen or typed."""
        self.run(
            f"""(() => {{ const it = document.querySelector({json.dumps(selector)});
            it.value = {json.dumps(value)};
            it.dispatchEvent(new Event("change", {{bubbles: true}})); }})()"""
        )

    def drop(self, data, name):
        """Drops a file on the page."""
        text = base64.b64encode(data).decode()
        self.run(
            f"""(() => {{ const bytes = Uint8Array.from(atob("{text}"), (one) => one.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], "{name}"));
            document.body.dispatchEvent(new DragEvent("drop",
              {{dataTransfer: data, bubbles: true, cancelable: true}})); }})()"""
        )

    def press(self, *keys):
        """Presses keys, one after the other."""
        codes = {" ": "Space", "Enter": "Enter"}
        for key in keys:
            own = {"key": key, "code": codes.get(key, key)}
            if len(key) == 1:
                own["text"] = key
            if key == "Enter":
                own["text"] = "\r"
            self.send("Input.dispatchKeyEvent", type="keyDown", **own)
            self.send("Input.dispatchKeyEvent", type="keyUp", **own)

    def photograph(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))


@contextlib.contextmanager
def opened(folder):
    """A browser with one tab, with a profile in the folder."""
    chromium = program("chromium", "chromium-browser", "google-chrome")
    command = [chromium, *FLAGS.split(), f"--user-data-dir={folder}", "about:blank"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                found = re.search(r"ws://127\.0\.0\.1:(\d+)/", line)
                if found:
                    break
            else:
                raise AssertionError("the browser does not start")
            listed = f"http://127.0.0.1:{found[1]}/json/list"
            targets = json.loads(urllib.request.urlopen(listed).read())
            page = next(target for target in targets if target["type"] == "page")
            with connect(page["webSocketDebuggerUrl"], max_size=None) as socket:
                yield Tab(socket)
        finally:
            process.terminate()
            process.wait(PATIENCE)
