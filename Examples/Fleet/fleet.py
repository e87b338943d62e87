"""Runs a fleet: an origin, Redis and PostgreSQL of its own, and workers that are killed while they work.

    fleet.py WORKER     ends with a table, and with status 1 where an order is lost or sent twice, or a request fails

Exit status 77: an engine is not installed.
"""

import collections, contextlib, http.server, itertools, json, os, pathlib, pwd, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time

WORKERS, RATE = 4, 50


class Origin(http.server.BaseHTTPRequestHandler):
    """Counts what it is asked for. Items can be cached, need the token, and are limited; orders have a key."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    items, orders, tokens, times, order_of_arrival = collections.Counter(), collections.Counter(), 0, [], []

    def log_message(self, *_):
        pass

    def reply(self, status, text, **fields):
        body = text.encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        with contextlib.suppress(ConnectionError):  # of a worker that was killed
            self.end_headers()
            self.wfile.write(body)

    def do_GET(self):
        with Origin.lock:
            Origin.items[self.path] += 1
            Origin.times.append(time.monotonic())
        if self.headers.get("Authorization") != "Bearer fleet-token":
            return self.reply(401, "", WWW_Authenticate="Bearer")
        time.sleep(0.05)
        self.reply(200, f"item {self.path}" * 1000, Cache_Control="public, max-age=3600", Content_Type="text/plain")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/token":
            with Origin.lock:
                Origin.tokens += 1
            time.sleep(0.1)
            return self.reply(
                200, json.dumps({"access_token": "fleet-token", "token_type": "Bearer", "expires_in": 3600}),
                Content_Type="application/json")
        key = self.headers["Idempotency-Key"]
        with Origin.lock:
            # As a server does that honours the key: the same key again is not another order.
            if Origin.orders[key] == 0:
                Origin.order_of_arrival.append(body)
            Origin.orders[key] += 1
        self.reply(201, "", Location=f"/orders/{body}")


class Engine:
    """A program that is started, killed and started again in the same folder."""

    def __init__(self, folder, name, words, is_ready):
        self.words, self.is_ready, self.log = words, is_ready, open(folder / f"{name}.log", "ab")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.words, stdout=self.log, stderr=self.log, user=USER, group=GROUP, extra_groups=[] if USER else None,
            start_new_session=True)
        wait_for(self.is_ready, "an engine to start")

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Worker:
    def __init__(self, number, words):
        self.number, self.words = number, words
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.open, self.results = set(), {}
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            verb, name, result = line.split()
            self.results[verb, name] = result
            self.open.discard((verb, name))

    def tell(self, verb, name):
        self.open.add((verb, name))
        self.process.stdin.write(f"{verb} {name}\n")

    def kill(self):
        """Kills it, and returns what it had not ended."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        return list(self.open)


def wait_for(condition, what, limit=60):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {limit} s for {what}")
        time.sleep(0.05)


def answers(path):
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(7) == b"+PONG\r\n"
        except OSError:
            return False


def tool(name):
    """PostgreSQL's programs lie in a folder of their version."""
    folders = [os.environ.get("PATH", "")] + sorted(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin")))
    found = shutil.which(name, path=":".join(folders))
    if found is None:
        print(f"skipped: {name} is not installed")
        sys.exit(77)
    return found


# PostgreSQL refuses to be run by root.
USER, GROUP = ("nobody", pwd.getpwnam("nobody").pw_gid) if os.geteuid() == 0 else (None, None)


def main(program):
    redis, postgres, initdb, psql = tool("redis-server"), tool("postgres"), tool("initdb"), tool("psql")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if USER:
            os.chown(folder, pwd.getpwnam(USER).pw_uid, GROUP)
        environment = {"user": USER, "group": GROUP, "extra_groups": [] if USER else None}
        subprocess.run(
            [initdb, "-D", folder / "data", "-U", "fleet", "-A", "trust", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, cwd=folder, **environment)

        def accepts():
            return subprocess.run(
                [psql, "-h", folder, "-U", "fleet", "-d", "postgres", "-c", "select 1"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

        store = Engine(
            folder, "redis",
            [redis, "--port", "0", "--unixsocket", folder / "redis.sock", "--unixsocketperm", "777", "--save", "",
             "--dir", folder],
            lambda: answers(folder / "redis.sock"))
        database = Engine(
            folder, "postgres",
            [postgres, "-D", folder / "data", "-k", folder, "-c", "listen_addresses=", "-c", "unix_socket_permissions=0777"],
            accepts)
        # With the usual 5, connections that come together are lost.
        http.server.ThreadingHTTPServer.request_queue_size = 1024
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        engines = [store, database]
        for engine in engines:
            engine.start()
        (folder / "key").write_text("%064x" % random.getrandbits(256))
        configuration = folder / "plugboard.json"
        configuration.write_text(json.dumps({
            "plugins": [
                {"id": "redis", "settings": {"url": f"unix://{folder}/redis.sock"}},
                {"id": "limit", "settings": {"shared": True, "rules": {f"GET {origin}/*": f"{RATE}/s"}}, "priority": 850},
                {"id": "authentication", "settings": {"fleetKeyFile": f"{folder}/key"}},
                {"id": "cache", "settings": {"persistence": "shared"}},
                {"id": "retry", "settings": {"shared": True}},
                {"id": "queue", "settings": {"store": f"postgresql:///postgres?host={folder}&user=fleet"}},
            ],
            "origins": {origin: {"authentication": {
                "scheme": "oauth", "tokenURL": f"{origin}/token", "clientID": "fleet", "clientSecret": "secret"}}},
        }))
        workers = [Worker(number, [program, configuration, origin]) for number in range(WORKERS)]
        workers[0].tell("migrate", "queue")
        try:
            ended(workers, "the tables of the queue")
            run(workers, store, database)
        finally:
            for worker in workers:
                worker.process.kill()
            for engine in engines:
                engine.kill()


def ended(workers, what):
    """Waits until the workers have ended all that they were told."""
    try:
        wait_for(lambda: not any(worker.open for worker in workers), what)
    except TimeoutError as error:
        sys.exit(f"{error}: {[sorted(worker.open)[:5] for worker in workers]}")


def queue_again(workers, orders, gather):
    """Whether no order is left."""
    for order in orders:
        workers[0].tell("queue", order)
    ended(workers, "orders that are queued again")
    gather(workers[0])
    return not orders


def run(workers, store, database):
    failed, queued, refused = collections.Counter(), set(), set()

    def gather(worker):
        for (verb, name), result in worker.results.items():
            if verb == "queue":
                (queued if result == "done" else refused).add(name)
            elif result not in ("200", "done"):
                failed[result] += 1
        worker.results = {}

    def everywhere(items, orders, meanwhile={}):
        """All workers get all items, each in an order of its own, and queue a quarter of the orders, one each 20 ms."""
        orders = [orders[number::WORKERS] for number in range(WORKERS)]
        items = [random.sample(items, len(items)) for _ in workers]
        for step in itertools.count():
            if not any(items) and not any(orders):
                return
            meanwhile.get(step, lambda: None)()
            for number, worker in enumerate(workers):
                if items[number]:
                    worker.tell("get", items[number].pop())
                if orders[number]:
                    worker.tell("queue", orders[number].pop(0))
            time.sleep(0.02)

    def replace(worker):
        repeated = worker.kill()
        gather(worker)
        worker.start()
        for verb, name in repeated:
            worker.tell(verb, name)

    def names(kind, first, count):
        return [f"{kind}-{number}" for number in range(first, first + count)]

    # 1. All work.
    everywhere(names("item", 0, 60), names("order", 0, 200))
    ended(workers, "the first requests")
    # 2. Workers are killed while they work; others take their places.
    everywhere(
        names("item", 100, 60), names("order", 200, 200),
        {10: lambda: replace(workers[0]), 30: lambda: replace(workers[1])})
    ended(workers, "the requests of workers that were killed")
    seen, begun = Origin.items.copy(), len(Origin.times)
    # 3. Redis is killed, and started again without its keys: each worker acts for itself.
    everywhere(names("item", 0, 60), [], {10: store.kill, 40: store.start})
    ended(workers, "the requests without Redis")
    # 4. PostgreSQL is killed: orders that it has not confirmed are queued again.
    everywhere([], names("order", 400, 200), {10: database.kill, 20: database.start})
    ended(workers, "the orders while PostgreSQL starts again")
    for worker in workers:
        gather(worker)
    # A worker asks a database that has failed again after a pause.
    wait_for(lambda: queue_again(workers, refused - queued, gather), "the orders that are queued again")
    wait_for(lambda: queued <= set(Origin.order_of_arrival), "the orders to be delivered")

    def most(items, first):
        return max(items[f"/{item}"] for item in names("item", first, 60))

    def in_a_second(times):
        greatest, start = 0, 0
        for end, moment in enumerate(times):
            while moment - times[start] >= 1:
                start += 1
            greatest = max(greatest, end - start + 1)
        return greatest

    delivered = set(Origin.order_of_arrival)
    # Where the machine is so busy that Redis needs longer than 50 ms, workers act alone: these numbers can be greater.
    usual = [
        ("requests of one item at the origin", most(seen, 0), 1),
        ("… whose worker was killed meanwhile", most(seen, 100), 2),
        (f"requests in one second, of {RATE} and what is at hand", in_a_second(Origin.times[:begun]), 2 * RATE),
        ("requests of one item while Redis was down", most(Origin.items - seen, 0), WORKERS),
        ("tokens fetched", Origin.tokens, 1),
    ]
    always = [
        ("orders lost", len(queued - delivered), 0),
        ("orders sent twice under different keys", len(Origin.order_of_arrival) - len(delivered), 0),
        ("requests that failed because of an engine or a worker", sum(failed.values()), 0),
    ]
    print(f"| {sum(Origin.items.values())} requests and {len(queued)} orders of {WORKERS} workers | seen | expected |")
    print("|---|---:|---:|")
    for row in usual + always:
        print("| %s | %d | %d |" % row)
    if failed:
        print(dict(failed))
    sys.exit(any(seen > expected for _, seen, expected in always))


main(sys.argv[1])
