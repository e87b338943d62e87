#!/usr/bin/env python3
"""Runs the cases of the folder `cases` through `plugboard exec`, against a server of its own and in real time.

    cache_cases.py PLUGBOARD [--only TEXT] [--chunked] [--parallel N] [--settings JSON]

Prints each case that fails and the score; the status is 0 if those fail that are known to, and no others.
"""

import argparse, base64, email.utils, itertools, json, os, queue, socketserver, subprocess, sys, tempfile, threading
import time
from concurrent.futures import ThreadPoolExecutor
from cases import CASES

PAUSE = 3.0
REASONS = {200: "OK", 206: "Partial Content", 304: "Not Modified", 503: "Service Unavailable"}
DATES = {"date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"}


def dated(name, value, moment):
    """A field's value; a number is a date so many seconds from the moment."""
    if isinstance(value, int) and name.lower() in DATES:
        return email.utils.formatdate(moment + value, usegmt=True)
    return value


class Run:
    """One case under way: what the server knows of it."""

    def __init__(self, number, case):
        self.number, self.visits, self.lock = number, case["visits"], threading.Lock()
        self.count, self.seen, self.validators = 0, {}, {}
        self.moments = [None] * len(self.visits)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address, request_queue_size = True, True, 512

    def __init__(self, is_chunked):
        super().__init__(("127.0.0.1", 0), Connection)
        self.runs, self.is_chunked = {}, is_chunked
        self.base = f"http://127.0.0.1:{self.server_address[1]}"


class Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while self.answer():
                pass
        except OSError:
            pass

    def answer(self):
        line = self.rfile.readline().decode("latin-1").split()
        if len(line) < 2:
            return False
        fields = []
        while text := self.rfile.readline().decode("latin-1").rstrip("\r\n"):
            name, _, value = text.partition(":")
            fields.append((name.lower(), value.strip()))
        values = dict(fields)
        if length := int(values.get("content-length", 0)):
            self.rfile.read(length)
        run = self.server.runs[values["test-id"]]
        with run.lock:
            run.count += 1
            count = run.count
            index = int(values["req-num"]) - 1
            run.seen.setdefault(index, []).append(fields)
        return self.say(run, count, index, line[0], values)

    def say(self, run, count, index, method, values):
        visit = run.visits[index]
        if interim := visit.get("interim"):
            self.wfile.write(head(interim[0], interim[1]))
            time.sleep(0.05)
        if visit.get("drop"):
            return False
        time.sleep(visit.get("delay", 0))
        status, body = visit.get("status", 200), visit.get("body", f"visit {index + 1}").encode()
        known = {"etag": "if-none-match", "date": "if-modified-since"}.get(visit["expect"])
        if known:
            stored = run.validators.get({"etag": "etag", "date": "last-modified"}[visit["expect"]])
            # The name of a state is all that counts here, not how strong it is.
            asked = (
                [tag.strip() for tag in values.get(known, "").split(",")]
                if visit["expect"] == "etag"
                else [values.get(known)]
            )
            status = 304 if stored in asked else 999
        now = time.time()
        answer = [(name, dated(name, value, now)) for name, value in visit.get("answer", ())]
        path = f"/case/{run.number}"
        answer = [
            (name, value.replace("{base}", self.server.base + path).replace("{path}", path))
            for name, value in answer
            if value is not None
        ]
        names = {name.lower() for name, _ in visit.get("answer", ())}
        with run.lock:
            for name, value in answer:
                if name.lower() in ("etag", "last-modified"):
                    run.validators[name.lower()] = value
            run.moments[index] = now
        if "date" not in names:
            answer.append(("Date", email.utils.formatdate(now, usegmt=True)))
        if "content-type" not in names and status != 304:
            answer.append(("Content-Type", "text/plain"))
        answer += [("Server-Request-Count", str(count)), ("Client-Request-Count", str(index + 1))]
        has_body = method != "HEAD" and status not in (204, 304)
        sent = body[: visit.get("cut", len(body))]
        if "content-length" not in names and status not in (204, 304):
            if self.server.is_chunked:
                answer.append(("Transfer-Encoding", "chunked"))
                sent = b"".join(b"1\r\n%c\r\n" % byte for byte in sent) + (b"" if "cut" in visit else b"0\r\n\r\n")
            else:
                answer.append(("Content-Length", str(len(body))))
        self.wfile.write(head(status, answer) + (sent if has_body else b""))
        return "cut" not in visit and ("connection" not in names or "close" not in dict(answer).get("Connection", ""))


def head(status, fields):
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Other')}"] + [f"{name}: {value}" for name, value in fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Client:
    """`plugboard exec`: a line in, a line out, in any order."""

    def __init__(self, command):
        self.ids, self.waiting, self.lock = itertools.count(1), {}, threading.Lock()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
        )
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            reply = json.loads(line)
            with self.lock:
                box = self.waiting.pop(reply["id"])
            box.put(reply)
        with self.lock:
            for box in self.waiting.values():
                box.put({"error": {"message": "plugboard has ended"}})

    def ask(self, **line):
        box = queue.Queue()
        with self.lock:
            key = str(next(self.ids))
            self.waiting[key] = box
            self.process.stdin.write(json.dumps({"id": key, **line}) + "\n")
        try:
            return box.get(timeout=30)
        except queue.Empty:
            return {"error": {"message": "no reply in 30 s"}}

    def close(self):
        self.process.stdin.close()
        return self.process.wait(10)


def visit(run, index, client, base):
    """Sends one request, and returns all that is wrong with what came of it."""
    visit = run.visits[index]
    moment = next((moment for moment in reversed(run.moments[:index]) if moment), time.time())
    fields = [[name, dated(name, value, moment)] for name, value in visit.get("req", ())]
    fields += [["Test-ID", str(run.number)], ["Req-Num", str(index + 1)]]
    line = {
        "method": visit.get("method", "GET"),
        "url": f"{base}/case/{run.number}{visit.get('path', '')}",
        "headers": fields,
    }
    if "mode" in visit:
        line["cache"] = visit["mode"]
    if line["method"] in ("POST", "PUT"):
        line["body_b64"] = base64.b64encode(b"body").decode()
    reply = client.ask(**line)
    if "error" in reply and visit["expect"] == "any" and "gives" not in visit:
        return []
    if "error" in reply:
        return [f"error: {reply['error']['message']}"]
    return list(wrongs(run, index, visit, reply, moment))


def wrongs(run, index, visit, reply, moment):
    got = {}
    for name, value in reply["headers"]:
        got.setdefault(name.lower(), []).append(value)
    with run.lock:
        seen = [dict(fields) for fields in run.seen.get(index, [])]
    origin = int(got.get("client-request-count", ["0"])[0])
    expect = visit["expect"]
    if expect == "cached" and not (0 < origin <= index or reply["status"] == 304 and not seen):
        yield "the server was asked"
    if expect == "asked" and origin != index + 1:
        yield f"answered from the store ({reply['status']})"
    if expect in ("etag", "date") and not any(
        {"etag": "if-none-match", "date": "if-modified-since"}[expect] in fields for fields in seen
    ):
        yield "the server was not asked by its validator"
    if expect in ("etag", "date") and reply["status"] == 999:
        yield "the server was asked by another validator"
    if expect in ("etag", "date") and reply["status"] not in (200, 304, 999):
        yield f"status {reply['status']}"
    if visit.get("asks") and not seen:
        yield "the server was not asked"
    if "gives" in visit and reply["status"] != visit["gives"]:
        yield f"status {reply['status']}, not {visit['gives']}"
    if "text" in visit and base64.b64decode(reply.get("body_b64", "")).decode() != visit["text"]:
        yield f"body {base64.b64decode(reply.get('body_b64', ''))!r}"
    for status in visit.get("interims", ()):
        if status not in [interim["status"] for interim in reply.get("interim", [])]:
            yield f"no {status}"
    for name, value in visit.get("has", ()):
        value = dated(name, value, moment)
        values = got.get(name.lower(), [])
        if value.startswith(">"):
            if not values or not values[0].isdigit() or int(values[0]) <= int(value[1:]):
                yield f"{name}: {values}, not {value}"
        elif ", ".join(values) != value:
            yield f"{name}: {values}, not {value}"
    for name in visit.get("lacks", ()):
        if name.lower() in got:
            yield f"{name} is there"
    for name, value in visit.get("sees", ()):
        if not any(fields.get(name.lower()) == dated(name, value, moment) for fields in seen):
            yield f"the server saw {name}: {[fields.get(name.lower()) for fields in seen]}"
    for name in visit.get("unseen", ()):
        if any(name.lower() in fields for fields in seen):
            yield f"the server saw {name}"


def run_case(number, case, server, client):
    run = Run(number, case)
    server.runs[str(number)] = run
    for index, step in enumerate(case["visits"]):
        if found := visit(run, index, client, server.base):
            return f"visit {index + 1}: {'; '.join(found)}"
        if step.get("wait"):
            time.sleep(PAUSE)
    return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("plugboard")
    options.add_argument("--only", default="")
    options.add_argument("--chunked", action="store_true", help="bodies come in chunks, and not by their length")
    options.add_argument("--parallel", type=int, default=96)
    options.add_argument("--settings", default="{}")
    options = options.parse_args()

    cases = [case for case in CASES if options.only in case["name"]]
    server = Server(options.chunked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plugboard.json")
        with open(path, "w") as file:
            json.dump(
                {
                    "kernel": {"dataDirectory": folder},
                    "plugins": [{"id": "cache", "settings": json.loads(options.settings)}],
                },
                file,
            )
        client = Client([options.plugboard, "exec", "--config", path])
        assert client.ask(op="reset").get("ok"), "op reset"
        with ThreadPoolExecutor(options.parallel) as pool:
            results = list(pool.map(lambda pair: run_case(*pair, server, client), enumerate(cases)))
        status = client.close()

    unexpected = 0
    for case, wrong in zip(cases, results):
        if (wrong is None) != (case["known"] is None):
            unexpected += 1
        if wrong is not None:
            print(
                f"{'optional' if case['optional'] else 'required'}  {case['name']}: {wrong}"
                + (f" ({case['known']})" if case["known"] else "")
            )
        elif case["known"]:
            print(f"passes    {case['name']}, known to fail: {case['known']}")
    for word, kind in (("required", False), ("optional", True)):
        of_kind = [wrong for case, wrong in zip(cases, results) if case["optional"] == kind]
        print(f"{word} {of_kind.count(None)}/{len(of_kind)}", end=", " if not kind else "\n")
    sys.exit(1 if unexpected or status else 0)


if __name__ == "__main__":
    main()
