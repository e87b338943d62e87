"""What the scenarios share: programs, files of HAR, and pages."""

import json
import os
import select
import subprocess
import sys
from contextlib import contextmanager

PRODUCTS, FOLDER = sys.argv[2:4]
PICTURES = sys.argv[4] if len(sys.argv) > 4 else None
HERE = os.path.dirname(os.path.abspath(__file__))
STORE = f"{FOLDER}/recorder.sqlite"


def expect(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


def plugboard(*words):
    return subprocess.run([f"{PRODUCTS}/plugboard", *words], check=True, stdout=subprocess.PIPE).stdout


def record(*requests, settings={}):
    """Sends requests, which are recorded in the store; the mock of Examples/Seeing responds."""
    config = f"{FOLDER}/plugboard.json"
    with open(config, "w") as file:
        rules = os.path.join(HERE, "../../../Examples/Seeing/mock.json")
        json.dump(
            {"kernel": {"measureHooks": True, "dataDirectory": FOLDER}, "plugins": [
                {"id": "recorder", "settings": {"persistence": "file", "path": STORE, **settings}}, "redirect", "decode",
                {"id": "retry", "settings": {"delay": "1ms"}}, {"id": "mock", "settings": {"rules": rules}}]}, file)
    for request in requests:
        plugboard(*request, "--config", config, "--output", "/dev/null")
    return config


def line_of(process):
    """The next line that a program writes, which has 30 seconds for it."""
    assert select.select([process.stdout], [], [], 30)[0], "the program has written no line"
    return process.stdout.readline()


@contextmanager
def server(*words):
    """The page's address, and the process that serves it."""
    process = subprocess.Popen(
        [f"{PRODUCTS}/plugboard", "inspect", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = line_of(process).strip()
        assert address.startswith("http://127.0.0.1:"), address
        yield address
    finally:
        process.terminate()
        process.wait()


def entry(url, status=200, fields=(), body=None, method="GET", **more):
    content = {"size": len(body["text"]) if body else 0, "mimeType": "x-unknown", **(body or {})}
    headers = [{"name": name, "value": value} for name, value in fields]
    return {
        "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 12.5,
        "request": {"method": method, "url": url, "httpVersion": "HTTP/1.1", "cookies": [], "headers": headers,
                    "queryString": [], "headersSize": -1, "bodySize": 0},
        "response": {"status": status, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": headers,
                     "content": content, "redirectURL": "", "headersSize": -1, "bodySize": -1},
        "cache": {}, "timings": {"blocked": -1, "dns": 1, "connect": 3, "ssl": 2, "send": 0.5, "wait": 6, "receive": 2},
        **more,
    }


def har(entries, name="file.har"):
    path = f"{FOLDER}/{name}"
    with open(path, "w") as file:
        json.dump({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": entries}}, file)
    return path


def report(entries):
    """The address of the page as one file."""
    config = f"{FOLDER}/report.json"
    with open(config, "w") as file:
        settings = {"limit": 1000000, "size": "4GiB", "persistence": "file", "path": f"{FOLDER}/report.sqlite"}
        json.dump({"plugins": [{"id": "recorder", "settings": settings}]}, file)
    plugboard("recorder", "import", f"path={har(entries)}", "--config", config)
    plugboard("recorder", "report", f"path={FOLDER}/page.html", "--config", config)
    return f"file://{FOLDER}/page.html"


def picture(browser, name):
    if PICTURES:
        browser.picture(f"{PICTURES}/{name}.png")


def shown(browser):
    return browser.run("return document.querySelectorAll('[role=option]').length")


def choose(browser, title):
    """Clicks a button of the exchange that is open."""
    browser.run("[...document.querySelectorAll('.actions button')].find(each => each.textContent === arguments[0]).click()", title)
