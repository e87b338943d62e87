"""What the tests of the page do, by name: scenarios.py NAME FOLDER-OF-PRODUCTS FOLDER [SCREENSHOTS]."""

import http.client
import itertools
import json
import os
import subprocess
import sys
import time
from urllib.parse import urlsplit

from actions import copied, focused, mocked, repeated
from browser import Browser
from page import *


# What a browser does with the server, and what another page or program could try.
def guarded():
    with server(har([entry("http://a.test/1")])) as address:
        parts = urlsplit(address)

        def ask(method, path, fields={}, body=None):
            connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=20)
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            return response.status, response.read().decode(), response.headers

        token = parts.path
        status, page, fields = ask("GET", token)
        expect(status, 200, "the page")
        assert "frame-ancestors 'none'" in fields["Content-Security-Policy"], fields
        assert "default-src 'none'; script-src 'sha256-" in page
        status, text, fields = ask("GET", token + "har?limit=10")
        expect(json.loads(text)["log"]["_exchanges"][0]["url"], "http://a.test/1", "the data")
        expect(fields["Cache-Control"], "no-store", "Cache-Control")
        wrong = token[:-2] + ("0" if token[-2] != "0" else "1") + "/"
        for path in ["/", "/har", wrong, wrong + "har", token[:-1] + "x/", "//", token + "../har", "/%2e%2e/"]:
            expect(ask("GET", path)[0], 403, path)
        expect(ask("GET", token + "other")[0], 404, "another part")
        expect(ask("PUT", token)[0], 405, "another method")
        for host in ["evil.test", f"evil.test:{parts.port}", "127.0.0.1.evil.test", "", "[::1]"]:
            expect(ask("GET", token, {"Host": host})[0], 403, f"Host {host!r}")
        send = '{"id": 1}'
        expect(ask("POST", token + "send", {}, send)[0], 403, "without an origin")
        expect(ask("POST", token + "send", {"Origin": "http://evil.test"}, send)[0], 403, "of another origin")
        own = {"Origin": f"http://127.0.0.1:{parts.port}"}
        for body in ["", "[]", '{"id": 0}', '{"id": "x"}', "{" * 1000]:
            expect(ask("POST", token + "send", own, body)[0], 400, body[:20])
        expect(ask("POST", token + "send", own, " " * 2000)[0], 413, "a long body")
        expect(ask("GET", token + "send", own)[0], 405, "sending by GET")


def used():
    record(
        ["get", "https://api.example.com/users/7"], ["get", "https://api.example.com/flaky"],
        ["get", "https://img.example.com/dot.png"], ["get", "https://api.example.com/missing"])
    with server(STORE) as address, Browser() as browser:
        browser.open(address)
        browser.wait("return document.getElementById('count').textContent === '4 exchanges'")
        expect(shown(browser), 4, "rows")

        # Filters.
        browser.press("/")
        browser.type("#text", "flaky")
        expect(browser.text("#count"), "1 of 4 exchanges", "a text")
        browser.press("Escape", "Escape")
        expect(browser.text("#count"), "4 exchanges", "no filter")
        browser.run("""
            const select = document.getElementById('status'); select.value = '4';
            select.dispatchEvent(new Event('input', {bubbles: true}))""")
        expect(browser.text("#count"), "1 of 4 exchanges", "a status")
        browser.press("Escape")

        # Keyboard: the second exchange from the top is the image.
        browser.press("j", "j", "Enter")
        assert "dot.png" in browser.text("#detail h2"), browser.text("#detail h2")
        expect(browser.run("return document.activeElement.id"), "detail", "the focus")
        browser.press("]", "]")
        expect(browser.text("[role=tab][aria-selected=true]"), "Response", "the part")
        browser.wait("return document.querySelector('#panel img')?.naturalWidth === 8")
        browser.press("Escape")
        expect(browser.run("return document.getElementById('detail').hidden"), True, "closed")

        # A click, and the chain of plugins.
        browser.click("[data-place='2']")
        browser.click("#tab-Chain")
        layers = browser.texts(".layer > h4")
        expect(layers[:3], ["Program", "recorder", "decode"], "layers")
        verdicts = browser.texts(".call.steering .verdict")
        assert "respond 503" in verdicts and "fail transport.reset" in verdicts, verdicts
        picture(browser, "chain")
        browser.click("[data-place='3']")
        browser.click("#tab-Response")
        assert '"Oslo"' not in browser.text(".tree")
        browser.run("document.querySelectorAll('.tree details').forEach(each => each.open = true)")
        browser.wait("return document.querySelector('.tree').textContent.includes('\"Oslo\"')")
        browser.press("t")
        assert "p99" in browser.text("#totals"), browser.text("#totals")
        picture(browser, "wide")

        # New exchanges appear.
        record(["post", "https://api.example.com/orders", "--json", '{"item": 1}'])
        browser.wait("return document.getElementById('count').textContent === '5 exchanges'")
        choose(browser, "Copy as curl")
        browser.wait("return document.getElementById('notice').textContent.includes('copied')")
        expect(browser.complaints(), [], "complaints")


def attached():
    """A program that runs `plugboard exec` with a socket, and is asked for more while the page is open."""
    config, rules = f"{FOLDER}/exec.json", f"{FOLDER}/rules.json"
    with open(os.path.join(HERE, "../../../Examples/Seeing/mock.json")) as file:
        all_rules = json.load(file)
    stream = {"chunks": [{"text": "one"}, {"pause": "8s", "text": "two"}]}
    all_rules["rules"].insert(0, {"request": {"url": "https://api.example.com/stream"}, "response": stream})
    with open(rules, "w") as file:
        json.dump(all_rules, file)
    with open(config, "w") as file:
        json.dump({"kernel": {"control": f"{FOLDER}/control.sock", "dataDirectory": FOLDER},
                   "plugins": ["recorder", {"id": "mock", "settings": {"rules": rules}}]}, file)

    def start():
        words = [f"{PRODUCTS}/plugboard", "exec", "--config", config]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def begin(url):
        program.stdin.write(json.dumps({"id": "1", "url": url}) + "\n")
        program.stdin.flush()

    def send(url):
        begin(url)
        assert json.loads(line_of(program))["id"] == "1"

    program = start()
    try:
        send("https://api.example.com/users/7")
        with server("--attach", f"{FOLDER}/control.sock") as address, Browser() as browser:
            browser.open(address)
            browser.wait("return document.getElementById('count').textContent === '1 exchange'")
            send("https://api.example.com/missing")
            browser.wait("return document.getElementById('count').textContent === '2 exchanges'")
            browser.press("j", "Enter")
            buttons = browser.texts(".actions button")
            assert "Copy as curl" in buttons and "Send again" not in buttons, buttons

            # A stream is shown while it is open. Its end changes the same row.
            tags = "[...document.querySelectorAll('.row .tag')].filter(each => each.textContent === 'under way').length"
            begin("https://api.example.com/stream")
            browser.wait(f"return {tags} === 1")
            browser.press("g")
            browser.click("#tab-Response")
            expect(browser.text(".content pre.text"), "one", "the body so far")
            assert json.loads(line_of(program))["id"] == "1"
            browser.wait(f"return {tags} === 0")
            browser.wait("return document.querySelector('.content pre.text').textContent === 'onetwo'")
            expect(browser.text("#count"), "3 exchanges", "exchanges")
            expect(browser.complaints(), [], "complaints")

            # A program that has started anew counts from 1 again.
            program.stdin.close()
            program.wait()
            program = start()
            send("https://api.example.com/users/8")
            browser.wait("return document.getElementById('count').textContent === '4 exchanges'")
    finally:
        program.stdin.close()
        program.wait()


SCRIPT = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'></script>"


def hostile():
    bodies = [
        {"mimeType": "text/html", "text": SCRIPT}, {"mimeType": "image/svg+xml", "text": f"<svg xmlns='http://www.w3.org/2000/svg' onload='window.attacked=1'>{SCRIPT}</svg>"},
        {"mimeType": "image/png", "text": "not an image"}, {"mimeType": "application/json", "text": json.dumps({SCRIPT: [SCRIPT, {"__proto__": 1}]})},
        {"mimeType": "application/json", "text": "[" * 100000 + "]" * 100000}, {"mimeType": "text/plain", "text": "x" * (10 << 20)},
        {"mimeType": "application/octet-stream", "text": "AAECAwQF" * 200000, "encoding": "base64"},
        {"mimeType": "application/json", "text": json.dumps(["y" * 100] * 100000)}, {"mimeType": SCRIPT, "text": "\u202e\u0000"},
    ]
    entries = [entry(f"http://{SCRIPT}/{SCRIPT}", body=body, fields=[(SCRIPT, SCRIPT)], method=SCRIPT,
                     _error=SCRIPT, _label=SCRIPT, _respondedBy=SCRIPT,
                     _events=[{"id": SCRIPT, "at": 1, SCRIPT: SCRIPT}],
                     _calls=[{"plugin": SCRIPT, "hook": "onRequest", "verdict": SCRIPT, "took": 1, "changed": [SCRIPT]}])
               for body in bodies]
    entries.append(entry("javascript:window.attacked=1//" + "z" * 100000, fields=[(f"n{i}", "v" * 100) for i in range(10000)]))
    odd = {"toString": None, "valueOf": None}
    entries.append(entry("http://odd.test/", _label=odd, _error=odd, _interim=[odd, {"status": odd, "headers": odd}],
                         _calls=odd, _events=[odd, {"id": odd, "x": odd}], _trailers=[odd], _attempt=odd, _reason=odd))
    entries[-1].update(timings={"connect": odd, "ssl": odd, "wait": odd}, cache=odd, serverIPAddress=odd)
    entries[-1]["response"].update(headers=odd, content={"text": "x", "mimeType": odd, "size": odd, "_cut": odd})
    entries.append(entry("http://many.test/", _calls=[
        {"plugin": f"p{number}", "hook": "onRequest", "verdict": "next", "took": 1, "step": number} for number in range(20000)]))
    address = report(entries)
    with Browser() as browser:
        browser.open(address)
        expect(browser.text("#count"), f"{len(entries)} exchanges", "exchanges")
        for place in range(len(entries)):
            browser.run("document.querySelector(arguments[0]).click()", f"[data-place='{place}']")
            for tab in ["Overview", "Request", "Response", "Chain", "HAR"]:
                begin = time.monotonic()
                browser.run("document.getElementById(arguments[0]).click()", f"tab-{tab}")
                count = browser.run("return document.querySelectorAll('*').length")
                assert count < 4000, f"{count} elements for {place} {tab}"
                assert "cannot be shown:" not in browser.text("#panel")[:100], browser.text("#panel")
                assert time.monotonic() - begin < 10, f"{place} {tab} took {time.monotonic() - begin} s"
            browser.run("document.getElementById('tab-Response').click()")
            for button in range(browser.run("return document.querySelectorAll('.ways button').length")):
                browser.run("document.querySelectorAll('.ways button')[arguments[0]].click()", button)
        browser.press("t")
        expect(browser.run("return window.attacked ?? 'no'"), "no", "a script of the data")
        expect(browser.run("return document.scripts.length"), 2, "scripts")
        expect(browser.run("return document.images.length + document.querySelectorAll('iframe, object, embed, base, link').length <= 1"), True, "elements of the data")
        picture(browser, "hostile")
        # What is no entry does not hide the others.
        odd = [None, 7, "text", {"request": 1, "response": [], "timings": 3}, entry("http://good.test/")]
        count = browser.run("const all = new Exchanges(); all.add({ log: { entries: arguments[0] } }); return all.order.length", odd)
        expect(count, 2, "exchanges")


def looks():
    entries = [
        entry(f"https://api.example.com/items/{number}?page={number % 7}", [200, 200, 304, 404, 500][number % 5],
              [("Content-Type", "application/json")], {"mimeType": "application/json", "text": '{"a": [1, true, null, "text"]}'})
        for number in range(200)]
    for number, each in enumerate(entries):
        each["startedDateTime"] = f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z"
        each["time"] = number % 37 * 5
    address = report(entries)
    for width, height in [(1280, 800), (420, 800)]:
        for dark in [False, True]:
            with Browser(width, height, dark) as browser:
                browser.open(address)
                overflow = "return document.documentElement.scrollWidth - innerWidth"
                expect(max(browser.run(overflow), 0), 0, f"pixels beyond {width}")
                name = f"{'narrow' if width < 1000 else 'wide'}-{'dark' if dark else 'light'}"
                picture(browser, f"{name}-list")
                browser.press("j", "Enter")
                expect(max(browser.run(overflow), 0), 0, f"pixels beyond {width} with an exchange")
                expect(browser.run("return getComputedStyle(document.getElementById('list')).display === 'none'"), width < 1000, "the list is hidden")
                picture(browser, name)
                background = browser.run("return getComputedStyle(document.body).backgroundColor")
                expect(background == "rgb(255, 255, 255)", not dark, f"the background {background}")
                phases = browser.run("""
                    const style = getComputedStyle(document.documentElement);
                    return PHASES.map(([name]) => style.getPropertyValue(`--${name}`).trim())""")
                for one, other in itertools.combinations([bytes.fromhex(each[1:]) for each in phases], 2):
                    assert sum(abs(a - b) for a, b in zip(one, other)) > 70, f"colours of the waterfall are too similar: {phases}"
                expect(browser.complaints(), [], "complaints")


def many():
    hosts = [f"host{number}.example.com" for number in range(50)]
    entries = [entry(f"https://{hosts[number % 50]}/path/{number}?q=a{number * 7919 % 100003}", [200, 404, 500][number % 3]) for number in range(100000)]
    # Without the recorder, which would need a minute in a build for debugging.
    address = report([])
    with open(f"{FOLDER}/page.html") as file:
        head, rest = file.read().split('id="data">', 1)
    with open(f"{FOLDER}/page.html", "w") as file:
        file.write(head + 'id="data">' + json.dumps({"log": {"entries": entries}}) + rest[rest.index("</script>"):])
    with Browser() as browser:
        browser.open(address)
        expect(browser.text("#count"), "100,000 exchanges", "exchanges")
        times = browser.run("""
            const field = document.getElementById('text'), times = [];
            for (const text of ['a', 'a1', 'a12', 'a123', 'nothing', 'host7 q=a9', '']) {
              field.value = text;
              const begin = performance.now();
              field.dispatchEvent(new Event('input', {bubbles: true}));
              document.body.offsetHeight;
              times.push(performance.now() - begin);
            }
            return times""")
        # Far above what a filter takes, for machines that are busy.
        assert max(times) < 5000, f"milliseconds for a filter of 100,000 exchanges: {times}"
        assert shown(browser) < 100, "rows that are elements"
        browser.press("G")
        chosen = "return document.querySelector('[aria-selected=true]').getAttribute('aria-posinset')"
        expect(browser.run(chosen), "100000", "the last exchange")


globals()[sys.argv[1]]()
