"""What answers and requests say by directives."""

from .table import *

# Other directives of answers (RFC 9111 §5.2.2)

case("answer: no-store", get(("Cache-Control", "no-store")), again("asked"))
case("answer: no-store, any case", get(("Cache-Control", "No-StOrE")), again("asked"))
case("answer: no-store, though fresh", get(("Cache-Control", "max-age=10000, no-store")), again("asked"))
case("answer: no-store with Expires", get(("Cache-Control", "no-store"), ("Expires", 10000)), again("asked"))
case("answer: no-cache", get(("Cache-Control", "no-cache, max-age=3600")), again("asked"))
case("answer: no-cache, any case", get(("Cache-Control", "No-CaChE, max-age=3600")), again("asked"))
case(
    "answer: no-cache beats max-stale",
    get(("Cache-Control", "no-cache, max-age=1")),
    again("asked", req=(("Cache-Control", "max-stale=1000"),)),
)
may("answer: no-cache is validated", get(("Cache-Control", "no-cache"), TAG), again("etag"))
may(
    "answer: no-cache is validated, though fresh", get(("Cache-Control", "max-age=10000, no-cache"), TAG), again("etag")
)
may("answer: must-revalidate while fresh", get(("Cache-Control", "max-age=10000, must-revalidate")), again())
case("answer: must-revalidate, stale", get(("Cache-Control", "max-age=2, must-revalidate"), TAG), again("etag"))
case(
    "answer: must-revalidate beats max-stale",
    get(("Cache-Control", "max-age=2, must-revalidate")),
    again("asked", req=(("Cache-Control", "max-stale=1000"),)),
)
may("answer: private", get(("Cache-Control", "private, max-age=3600")), again())
may("answer: public", get(("Cache-Control", "public, max-age=3600")), again())
may("answer: immutable", get(("Cache-Control", "max-age=10000, immutable"), TAG), again(mode="no-cache"))
may(
    "answer: immutable, the caller's max-age=0",
    get(("Cache-Control", "max-age=10000, immutable"), TAG),
    again(req=(("Cache-Control", "max-age=0"),)),
)
case("answer: immutable, stale", get(("Cache-Control", "max-age=2, immutable"), TAG), again("etag", mode="no-cache"))
may(
    "answer: a fresh one stays though a newer was no-store",
    get(FRESH),
    get(("Cache-Control", "no-store"), mode="no-cache"),
    again("any"),
)
case("answer: no-store comes for a stale one", get(STALE), get(("Cache-Control", "no-store")), again("asked"))
may("answer: Pragma means nothing", get(FRESH, ("Pragma", "no-cache")), again())
may("answer: Pragma and a heuristic", get(("Last-Modified", -100000), ("Pragma", "no-cache")), again("any"))
may(
    "answer: no-cache with fields",
    get(("Cache-Control", 'no-cache="a, b", max-age=3600'), ("a", "1"), ("b", "2"), ("c", "3")),
    again(lacks=("a", "b"), has=(("c", "3"),)),
)
may(
    "answer: no-cache with one field",
    get(("Cache-Control", 'no-cache="a", max-age=3600'), ("a", "1"), ("b", "2")),
    again(lacks=("a",), has=(("b", "2"),)),
)
may("answer: private with fields", get(("Cache-Control", 'private="a", max-age=3600'), ("a", "1")), again())
may(
    "answer: must-understand with a known status",
    get(("Cache-Control", "max-age=3600, no-store, must-understand")),
    again(),
)
case(
    "answer: must-understand with an unknown one",
    get(("Cache-Control", "max-age=3600, no-store, must-understand"), status=599),
    again("asked", status=599),
)
case(
    "answer: must-understand alone with an unknown one",
    get(("Cache-Control", "max-age=3600, must-understand"), status=599),
    again("asked", status=599),
)
may("answer: CDN-Cache-Control is for others", get(FRESH, ("CDN-Cache-Control", "max-age=1")), again())
case(
    "answer: CDN-Cache-Control does not prolong",
    get(("Cache-Control", "max-age=1"), ("CDN-Cache-Control", "max-age=3600")),
    again("asked"),
)
may("answer: Surrogate-Control is for others", get(FRESH, ("Surrogate-Control", "no-store")), again())

# Directives of requests (RFC 9111 §5.2.1, §5.4)


def wish(value):
    return {"req": (("Cache-Control", value),)}


may("request: max-age=0", get(FRESH), again("asked", **wish("max-age=0")))
may("request: max-age=1", get(FRESH), again("asked", **wish("max-age=1")))
may("request: max-age below Age", get(FRESH, ("Age", "1800")), again("asked", **wish("max-age=600")))
may("request: max-stale", get(("Cache-Control", "max-age=1")), again(**wish("max-stale=1000")))
may("request: max-stale without a number", get(("Cache-Control", "max-age=1")), again(**wish("max-stale")))
may(
    "request: max-stale and Age",
    get(("Cache-Control", "max-age=1500"), ("Age", "2000")),
    again(**wish("max-stale=1000")),
)
may(
    "request: max-stale is not enough",
    get(("Cache-Control", "max-age=1500"), ("Age", "3000")),
    again("asked", **wish("max-stale=1000")),
)
may("request: min-fresh", get(("Cache-Control", "max-age=1500")), again("asked", **wish("min-fresh=2000")))
may(
    "request: min-fresh and Age",
    get(("Cache-Control", "max-age=1500"), ("Age", "1000")),
    again("asked", **wish("min-fresh=1000")),
)
may("request: no-cache", get(FRESH), again("asked", **wish("no-cache")))
may("request: no-cache by date", get(FRESH, ("Last-Modified", -10000)), again("date", **wish("no-cache")))
may("request: no-cache by tag", get(FRESH, TAG), again("etag", **wish("no-cache")))
may("request: no-store stores nothing", get(FRESH, **wish("no-store")), again("asked"))
may("request: no-store uses nothing", get(FRESH), again("asked", **wish("no-store")))
may("request: only-if-cached", again("any", gives=504, **wish("only-if-cached")))
may("request: only-if-cached with something", get(FRESH), again(**wish("only-if-cached")))
may("request: Pragma: no-cache", get(FRESH), again("asked", req=(("Pragma", "no-cache"),)))
may(
    "request: Pragma beside Cache-Control",
    get(FRESH),
    again(req=(("Pragma", "no-cache"), ("Cache-Control", "nothing-to-see-here"))),
)
may(
    "request: unknown words",
    get(FRESH, req=(("Pragma", "foo"), ("Cache-Control", "nothing-to-see-here"))),
    again(req=(("Pragma", "foo"), ("Cache-Control", "nothing-to-see-here"))),
)
may("request: mode reload", get(FRESH), again("asked", mode="reload"))
may("request: mode no-store", get(FRESH), again("asked", mode="no-store"))
may("request: mode no-cache", get(FRESH, TAG), again("etag", mode="no-cache"))
may("request: mode force-cache", get(STALE), again(mode="force-cache"))
may("request: mode only-if-cached", again("any", gives=504, mode="only-if-cached"))
