"""What can be done with an exchange: sending it again, copying it, making a mock of it; and where the focus goes."""

import json
import os
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browser import Browser
from page import *


@contextmanager
def origin():
    """A server on the loopback address that responds with 201: its address, and the requests that it has got."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def respond(self):
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            got.append((self.command, self.path, body))
            self.send_response(201)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        do_GET = do_POST = respond

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()


def shows(browser, text):
    browser.wait("return document.getElementById('notice').textContent.includes(arguments[0])", text)


def repeated():
    def file(address, **more):
        post = entry(f"{address}/post", 201, method="POST")
        post["request"].update(more)
        return har([post, entry(f"{address}/get", 201)])

    def open_exchange(browser, address, text):
        browser.open(address)
        browser.wait("return document.getElementById('count').textContent.startsWith('2 ')")
        browser.run("[...document.querySelectorAll('.row')].find(each => each.textContent.includes(arguments[0])).click()", text)

    with origin() as (address, got), Browser() as browser:
        data = {"postData": {"mimeType": "text/plain", "text": "body"}, "bodySize": 4}
        with server(file(address, **data)) as page:
            open_exchange(browser, page, "/get")
            choose(browser, "Send again")
            shows(browser, "Status 201, 2 bytes")
            expect(got, [("GET", "/get", "")], "a safe request is sent at once")

            browser.run(
                "[...document.querySelectorAll('.row')].find(each => each.textContent.includes('/post')).click()")
            choose(browser, "Send again")
            expect(browser.text("#confirm p"), f"POST {address}/post", "what it asks")
            browser.press("Escape")
            browser.wait("return !document.getElementById('confirm').open")
            expect(len(got), 1, "requests after Escape")
            choose(browser, "Send again")
            browser.click("#confirm button[value=send]")
            browser.wait("return document.getElementById('count').textContent === '4 exchanges'")
            expect(got[1:], [("POST", "/post", "body")], "the request with its body")
        with server(file(address, bodySize=-1)) as page:
            open_exchange(browser, page, "/post")
            choose(browser, "Send again")
            browser.click("#confirm button[value=send]")
            shows(browser, "its body is not recorded")
            expect(len(got), 2, "requests without the body")
        with server(file(address, **data, _route="own")) as page:
            open_exchange(browser, page, "/post")
            choose(browser, "Send again")
            browser.click("#confirm button[value=send]")
            shows(browser, "it took a proxy, a socket or other options")
            expect(len(got), 2, "requests by another route")


def copied():
    """Runs command lines with a program in the place of curl that writes its arguments."""
    stub = f"{FOLDER}/curl"
    with open(stub, "w") as file:
        file.write("#!/usr/bin/env python3\nimport json, sys\njson.dump(sys.argv[1:], sys.stdout)\n")
    os.chmod(stub, 0o700)

    def line(browser, request):
        made = browser.run("return curlLine(arguments[0])", request)
        environment = {**os.environ, "PATH": f"{FOLDER}:{os.environ['PATH']}"}
        words = subprocess.run(["bash", "-c", made["line"]], env=environment, check=True, stdout=subprocess.PIPE).stdout
        return json.loads(words), made["isWhole"]

    url = "http://a.test/?q='$(id)`id`"
    end = ["-g", "--url", url]
    cases = [
        ({"method": "GET"}, [], True),
        ({"method": "HEAD"}, ["-I"], True),
        ({"method": "GET", "headers": [{"name": ":path", "value": "/"}, {"name": "@file", "value": "x"}, {"name": "X", "value": ""},
                                       {"name": "Y", "value": "a\r\nB: c"}, {"name": "Z", "value": "\t'\\"}, None, 1]},
         ["-H", "X;", "-H", "Z: \t'\\"], True),
        ({"method": "POST", "postData": {"text": "a\n\u0085\u00011'"}}, ["-H", "Content-Type:", "--data-raw", "a\n\u0085\u00011'"], True),
        ({"method": "PUT", "headers": [{"name": "content-type", "value": "a/b"}], "postData": {"text": "@x"}},
         ["-X", "PUT", "-H", "content-type: a/b", "--data-raw", "@x"], True),
        ({"method": "POST", "postData": {"text": "AAEC", "_encoding": "base64"}}, ["-X", "POST"], False),
        ({"method": "POST", "postData": {"text": "part", "_cut": 10}}, ["-X", "POST"], False),
        ({"method": "POST", "bodySize": -1}, ["-X", "POST"], False),
    ]
    address = report([entry("http://a.test/")])
    with Browser() as browser:
        browser.open(address)
        for request, words, is_whole in cases:
            expect(line(browser, {**request, "url": url}), (words + end, is_whole), f"curl for {request}")


def mocked():
    fields = [(":status", "200"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Vary", "a\nb"), ("X", "\x01"), ("Content-Length", "9")]
    entries = [
        entry("http://a.test/?key=…", 101), entry("http://a.test/?key=…", 0, _error="timeout.connect: no reply"),
        entry("http://a.test/?key=…", 200, fields, {"text": "part", "_cut": 5}),
        entry("http://a.test/b", 200, body={"text": "not Base64!", "encoding": "base64"})]
    address = report([entry("http://a.test/", 200, body={"text": "there"})])
    with Browser() as browser:
        browser.open(address)
        made = browser.run("return mockRules(arguments[0])", entries)
        first, second = made["rules"]
        expect(first["request"], {"method": "GET", "url": "http://a.test/?key=*"}, "the rule")
        expect(first["responses"], [
            {"fail": "timeout.connect"},
            {"status": 200, "fields": {"Set-Cookie": "a=1", "Vary": "a, b"}, "text": "part"}], "the responses")
        expect(second["responses"], [{"status": 200, "fields": {}}], "a response without a valid body")
        expect(len(made["notes"]), 4, f"notes {made['notes']}")
        with open(f"{FOLDER}/mock.json", "w") as file:
            json.dump({"rules": made["rules"]}, file)
        config = f"{FOLDER}/mock-config.json"
        with open(config, "w") as file:
            json.dump({"plugins": [{"id": "mock", "settings": {"rules": f"{FOLDER}/mock.json"}}]}, file)
        plugboard("mock", "check", f"path={FOLDER}/mock.json", "--config", config)

        # What the page saves is what the recorder reads.
        browser.run("window.saved = []; window.save = (...file) => saved.push(file)")
        browser.press("j", "Enter")
        choose(browser, "Save HAR")
        choose(browser, "Make a mock")
        browser.click("#save-all")
        saved = browser.run("return window.saved")
        expect([name for name, _, _ in saved][1:], ["mock.json", "exchanges.har"], "names")
        for name, _, text in saved:
            if name.endswith(".har"):
                expect(json.loads(text)["log"]["entries"][0]["response"]["content"]["text"], "there", name)
                with open(f"{FOLDER}/{name}", "w") as file:
                    file.write(text)
                words = ["recorder", "import", f"path={FOLDER}/{name}", "--config", f"{FOLDER}/report.json"]
                expect(json.loads(plugboard(*words)), {"imported": 1}, name)


def focused():
    """The focus is never lost while parts of the page are replaced."""
    address = report([entry("http://user:http@http.test/path", fields=[(f"n{number}", "v") for number in range(500)])])
    with Browser() as browser:
        browser.open(address)
        expect(browser.texts(".row .host, .row .path"), ["http://user:http@http.test", "/path"], "the parts of the URL")
        browser.press("j")
        active = "return document.getElementById(document.getElementById('rows').getAttribute('aria-activedescendant')) === window.row"
        browser.run("window.row = document.querySelector('[aria-selected=true]'); document.getElementById('rows').dispatchEvent(new Event('scroll'))")
        expect(browser.run(active), True, "the active option stays the same element")
        browser.press("Enter", "]")
        expect(browser.run("return getComputedStyle(document.getElementById('notice')).display"), "block", "the notice")
        browser.run("document.querySelector('button.more').focus()")
        browser.press("Enter")
        expect(browser.run("return document.activeElement.className"), "more", "the focus, after more fields")
        expect(len(browser.texts("#panel tbody tr")), 400, "fields")
        browser.press("Enter")
        expect(browser.run("return document.activeElement.localName"), "tr", "the focus, after all fields")
        expect(len(browser.texts("#panel tbody tr")), 500, "fields")
        times = [119999, 59999, 59990, 999.6, 999.4, 61000]
        expect(browser.run("return arguments[0].map(timeText)", times), ["2 min 0 s", "1 min 0 s", "59.99 s", "1.00 s", "999 ms", "1 min 1 s"], "times")
