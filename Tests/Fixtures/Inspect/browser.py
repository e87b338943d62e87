"""A small client of WebDriver (W3C): headless Chromium, driven by Debian's chromium-driver over HTTP."""

import base64
import json
import re
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Tab": "\ue004"}


def started():
    """A driver and its address.

    The port that it finds free for IPv4 can be taken for IPv6. Then it ends, and is started again.
    """
    said = b""
    for _ in range(5):
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in driver.stdout:
            if found := re.search(rb"started successfully on port (\d+)", line):
                return driver, f"http://127.0.0.1:{found[1].decode()}"
            said += line
        driver.wait()
    raise RuntimeError(f"chromedriver has not started: {said.decode(errors='replace')}")


class Browser:
    def __init__(self, width=1280, height=800, dark=False):
        self.driver, self.address = started()
        self.session = None
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}"],
            "prefs": {"profile.default_content_setting_values.automatic_downloads": 1},
        }
        capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
        self.session = self.call("POST", "/session", {"capabilities": capabilities}, root=True)["sessionId"]
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None, root=False):
        data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        url = self.address + ("" if root else f"/session/{self.session}") + path
        request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {json.load(error)['value']['message']}") from None

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value that the script returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Presses keys, one after the other, where the focus is."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def texts(self, selector):
        return self.run("return Array.from(document.querySelectorAll(arguments[0]), each => each.textContent)", selector)

    def wait(self, script, *arguments):
        """Waits until the script returns something that is true, and returns that."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if value := self.run(script, *arguments):
                return value
            time.sleep(0.02)
        raise AssertionError(f"did not become true: {script}")

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """What the page has written to its console, and what the policy has refused."""
        return [line["message"] for line in self.call("POST", "/se/log", {"type": "browser"}) if "favicon" not in line["message"]]
