"""Stale answers."""

from .table import *

# Stale answers (RFC 9111 §4.2.4, RFC 5861)

may("stale: the server is gone", get(STALE), again(drop=True))
for words in ("must-revalidate", "no-cache"):
    case(
        f"stale: {words} and the server is gone",
        get(("Cache-Control", f"max-age=2, {words}")),
        again("any", drop=True, gives=504),
    )
may(
    "stale: proxy-revalidate is not for a private cache",
    get(("Cache-Control", "max-age=2, proxy-revalidate")),
    again(drop=True),
)
may("stale: s-maxage is not for a private cache", get(("Cache-Control", "max-age=2, s-maxage=2")), again(drop=True))
may("stale: an error is an answer", get(STALE), again("any", status=503))
may(
    "stale: stale-if-error and the server is gone",
    get(("Cache-Control", "max-age=2, stale-if-error=60")),
    again(drop=True),
)
for status in (500, 502, 503, 504):
    may(
        f"stale: stale-if-error and {status}",
        get(("Cache-Control", "max-age=2, stale-if-error=60")),
        again(status=status, gives=200, asks=True),
    )
case("stale: stale-if-error is over", get(("Cache-Control", "max-age=1, stale-if-error=1")), again("asked", status=503))
may("stale: stale-while-revalidate", get(("Cache-Control", "max-age=1, stale-while-revalidate=3600")), again())
may(
    "stale: and the server is asked",
    get(("Cache-Control", "max-age=1, stale-while-revalidate=3600"), TAG, body="one"),
    {"expect": "cached", "answer": (FRESH,), "body": "two", "text": "one", "wait": True},
    again(text="two"),
)
case(
    "stale: stale-while-revalidate is over",
    get(("Cache-Control", "max-age=1, stale-while-revalidate=1")),
    again("asked"),
)
case(
    "stale: must-revalidate is stronger",
    get(("Cache-Control", "max-age=1, stale-while-revalidate=3600, must-revalidate")),
    again("asked"),
)
