"""What HEAD and unsafe methods do to what is stored."""

from .table import *

# HEAD (RFC 9111 §4.3.5)

case("HEAD: goes to the server when what is stored is stale", get(STALE), again("asked", method="HEAD"))
may("HEAD: is answered by what GET brought", get(FRESH), again(method="HEAD", gives=200, text=""))
may("HEAD: makes fresh", get(STALE, TAG), get(("Cache-Control", "max-age=1000"), TAG, method="HEAD"), again())
may(
    "HEAD: updates",
    get(STALE, TAG, ("A", "1")),
    get(("Cache-Control", "max-age=1000"), TAG, ("A", "2"), method="HEAD"),
    again(has=(("A", "2"),)),
)
may(
    "HEAD: keeps what it does not have",
    get(STALE, TAG, ("A", "1"), ("B", "2")),
    get(("Cache-Control", "max-age=1000"), TAG, ("A", "2"), method="HEAD"),
    again(has=(("B", "2"),)),
)
may(
    "HEAD: 410 is another answer",
    get(STALE, ("A", "1")),
    get(("Cache-Control", "max-age=1000"), method="HEAD", status=410),
    again("asked"),
)
case("HEAD: its answer is none to GET", get(FRESH, method="HEAD"), again("asked"))

# Invalidation (RFC 9111 §4.4)

for method in ("POST", "PUT", "DELETE", "M-SEARCH"):
    case(f"invalidation: {method}", get(FRESH), get(method=method), again("asked"))
    may(f"invalidation: a failed {method} does not", get(FRESH), get(method=method, status=500), again())
    for name in ("Location", "Content-Location"):
        may(
            f"invalidation: {method} and its {name}",
            get(FRESH, path="/a"),
            get((name, "{base}/a"), method=method, path="/b"),
            again("asked", path="/a"),
        )
        may(
            f"invalidation: {method} and its relative {name}",
            get(FRESH, path="/a"),
            get((name, "{path}/a"), method=method, path="/b"),
            again("asked", path="/a"),
        )
case("methods: POST goes to the server", get(FRESH), again("asked", method="POST"))
may(
    "methods: POST stores what it gives as its own state",
    get(FRESH, ("Content-Location", "{path}"), method="POST"),
    again(),
)
case("methods: POST stores nothing else", get(FRESH, method="POST"), again("asked"))
case("methods: POST is not answered by itself", get(FRESH, method="POST"), again("asked", method="POST"))
