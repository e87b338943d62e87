"""What belongs to no other file."""

from .table import *

# Others

may("other: Set-Cookie does not hinder", get(FRESH, ("Set-Cookie", "a=b")), again())
may("other: a Cookie does not", get(FRESH, **req(("Cookie", "a=b"))), again())
may(
    "other: Authorization in a private cache",
    get(FRESH, **req(("Authorization", "Basic dTpw"))),
    again(**req(("Authorization", "Basic dTpw"))),
)
may(
    "other: Authorization and public",
    get(("Cache-Control", "max-age=3600, public"), **req(("Authorization", "Basic dTpw"))),
    again(**req(("Authorization", "Basic dTpw"))),
)
may("other: Content-Disposition", get(FRESH, ("Content-Disposition", "attachment; filename=example.txt")), again())
case("other: another query is another resource", get(FRESH, path="?a"), again("asked", path="?b"))
may("other: the same query", get(FRESH, path="?a=b&c"), again(path="?a=b&c"))
may("other: no Date", get(FRESH, ("Date", None)), again())
case("other: no Date, stale", get(STALE, ("Date", None)), again("asked"))
for status in (102, 103):
    may(
        f"interim: {status} passes",
        get(FRESH, interim=(status, (("Interim", "1"),)), interims=(status,)),
        again(lacks=("Interim",)),
    )
case(
    "interim: its fields are not the answer's",
    get(STALE, interim=(103, (("Cache-Control", "max-age=3600"), ("Link", "</a>")))),
    again("asked"),
)
case(
    "interim: it is not stored for the answer",
    get(("Cache-Control", "no-store"), interim=(103, (FRESH,))),
    again("asked"),
)
for lines in ((("ETag", "a, b"),), (("ETag", '"a'),), (("ETag", ""),)):
    may(f"other: no tag by the grammar, {lines[0][1]!r}", get(FRESH, *lines), again())
