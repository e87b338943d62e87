"""How long answers are fresh: ages, dates, heuristics, and which statuses are kept."""

from .table import *

# Freshness by max-age (RFC 9111 §4.2, §5.2.2.1)

case("freshness: none and no validator", get(), again("asked"))
may("freshness: max-age", get(FRESH), again())
case("freshness: max-age=0", get(("Cache-Control", "max-age=0")), again("asked"))
case("freshness: max-age is over", get(STALE), again("asked"))
for number in ("2147483647", "2147483648", "2147483649", "99999999999"):
    may(f"freshness: max-age={number}", get(("Cache-Control", f"max-age={number}")), again())
case("freshness: Age is more", get(FRESH, ("Age", "12000")), again("asked"))
case("freshness: Date is older", get(FRESH, ("Date", -7200)), again("asked"))
may("freshness: max-age beats Expires", get(FRESH, ("Expires", -7200)), again())
case("freshness: max-age=0 beats Expires", get(("Cache-Control", "max-age=0"), ("Expires", 7200)), again("asked"))
may("freshness: unknown directives", get(("Cache-Control", "foobar, max-age=3600")), again())
may("freshness: any case", get(("Cache-Control", "MaX-AgE=3600")), again())
case("freshness: negative max-age", get(("Cache-Control", "max-age=-3600")), again("asked"))
may("freshness: s-maxage is not for a private cache", get(("Cache-Control", "max-age=3600, s-maxage=1")), again())
may("freshness: s-maxage on a line of its own", get(FRESH, ("Cache-Control", "s-maxage=1")), again())
case("freshness: s-maxage=3600 does not prolong", get(("Cache-Control", "max-age=1, s-maxage=3600")), again("asked"))

# The grammar of Cache-Control

case(
    "parsing: in quotes of another directive",
    get(("Cache-Control", 'extension="max-age=3600", max-age=1')),
    again("asked"),
)
case("parsing: in quotes behind it", get(("Cache-Control", 'max-age=1, extension="max-age=3600"')), again("asked"))
case("parsing: an escaped quote", get(("Cache-Control", r'extension="a\", max-age=3600", max-age=1')), again("asked"))
may("parsing: quoted seconds", get(("Cache-Control", 'max-age="3600"')), again())
may("parsing: leading zeros", get(("Cache-Control", "max-age=003600")), again())
case("parsing: another name around it", get(("Cache-Control", "max-agea=3600, max-age=1")), again("asked"))
case("parsing: a prefix of the name", get(("Cache-Control", "max-ag=3600, max-age=1")), again("asked"))
for value in ("'3600'", "3600a", "a3600", "3600.0", "3600.5", "", '"', "max-age"):
    case(f"parsing: max-age={value}", get(("Cache-Control", f"max-age={value}")), again("asked"))
case("parsing: a blank before =", get(("Cache-Control", "max-age =3600")), again("asked"))
case("parsing: a blank behind =", get(("Cache-Control", "max-age= 3600")), again("asked"))
may("parsing: the first of two counts, fresh", get(("Cache-Control", "max-age=1800, max-age=1")), again())
may("parsing: on two lines too", get(("Cache-Control", "max-age=1800"), ("Cache-Control", "max-age=1")), again())
may("parsing: the first of two counts, stale", get(("Cache-Control", "max-age=1, max-age=1800")), again("asked"))
may(
    "parsing: on two lines, stale",
    get(("Cache-Control", "max-age=1"), ("Cache-Control", "max-age=1800")),
    again("asked"),
)
may("parsing: empty members", get(("Cache-Control", ",, max-age=3600 ,,")), again())
case("parsing: a semicolon is no comma", get(("Cache-Control", "no-cache; max-age=3600")), again("asked"))

# Age (RFC 9111 §5.1, §4.2.3)

for value in ("abc", "-7200", "7200.0", "foo=bar;7200", ""):
    may(f"age: {value!r} is none", get(FRESH, ("Age", value)), again())
may("age: with a parameter it is none", get(FRESH, ("Age", "7200;foo=bar")), again())
case("age: very large", get(FRESH, ("Age", "2147483649")), again("asked"))
case("age: larger than any number", get(FRESH, ("Age", "99999999999999999999")), again("asked"))
may("age: 0, 0", get(FRESH, ("Age", "0, 0")), again())
may("age: 0 twice", get(FRESH, ("Age", "0"), ("Age", "0")), again())
case("age: the first of a list, old", get(FRESH, ("Age", "7200, 0")), again("asked"))
case("age: the first of two lines, old", get(FRESH, ("Age", "7200"), ("Age", "0")), again("asked"))
may("age: the first of a list, young", get(FRESH, ("Age", "0, 7200")), again())
may("age: the first of two lines, young", get(FRESH, ("Age", "0"), ("Age", "7200")), again())
may("age: it is given", get(FRESH), again(has=(("Age", ">2"),)))
may("age: it goes on from what came, max-age", get(FRESH, ("Age", "30")), again(has=(("Age", ">32"),)))
may(
    "age: it goes on from what came, Expires", get(("Expires", 30 * 86400), ("Age", "30")), again(has=(("Age", ">32"),))
)
case("age: the delay counts", get(("Cache-Control", "max-age=3"), ("Age", "0"), delay=4, wait=False), again("asked"))
may("age: Date is not made new", get(FRESH, ("Date", -5)), again(has=(("Date", -5),)))
may("age: nor with Expires", get(("Expires", 300), ("Date", -5)), again(has=(("Date", -5),)))

# Expires (RFC 9111 §5.3)

may("expires: ahead", get(("Expires", 30 * 86400)), again())
case("expires: past", get(("Expires", -30 * 86400)), again("asked"))
case("expires: now", get(("Expires", 0)), again("asked"))
case("expires: before Date", get(("Expires", 300), ("Date", 400)), again("asked"))
case("expires: no date", get(("Expires", "0")), again("asked"))
case("expires: Age counts, the clock is slow", get(("Expires", 10), ("Date", -10), ("Age", "25")), again("asked"))
case("expires: Age counts, the clock is fast", get(("Expires", 20), ("Date", 10), ("Age", "25")), again("asked"))
for text in (
    "Thu, 18 Aug 2050 02:01:18 GMT",
    "Thursday, 18-Aug-50 02:01:18 GMT",
    "Thu Aug 18 02:01:18 2050",
    "Thu, 18 Aug 2050 02:01:18 gMT",
    "tHU, 18 Aug 2050 02:01:18 GMT",
    "Thu, 18 aUG 2050 02:01:18 GMT",
    "Fri, 19 Jan 2040 14:14:09 GMT",
    "Sun, 21 Nov 2286 04:46:39 GMT",
):
    may(f"expires: {text}", get(("Expires", text)), again())
for text in (
    "Thu, 18 Aug 2050 2:01:18 GMT",
    "Thu, 18 Aug 50 02:01:18 GMT",
    "Thu,  18  Aug  2050  02:01:18  GMT",
    "Thu 18 Aug 2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 02.01.18 GMT",
    "Thu, 18-Aug-2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 02:01:18 AEST",
    "Thu, 18 Aug 2050 02:01:18 UTC",
    "Thu, 18 Aug 2050 02:01:18",
    "-1",
    "",
    "Thu, 18 Aug 2050 02:01:18 +0000",
    "Thu, 32 Aug 2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 25:01:18 GMT",
):
    case(f"expires: {text!r} is none", get(("Expires", text)), again("asked"))
case("expires: two lines, the first is past", get(("Expires", -100), ("Expires", 3600)), again("asked"))

# Heuristics (RFC 9111 §4.2.2)

for status in (200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501):
    may(f"heuristic: {status}", get(("Last-Modified", -3 * HOURS), status=status), again(status=status, gives=status))
for status in (201, 202, 302, 303, 307, 400, 403, 500, 502, 503, 504):
    case(f"heuristic: not {status}", get(("Last-Modified", -3 * HOURS), status=status), again("asked", status=status))
case("heuristic: not an unknown status", get(("Last-Modified", -3 * HOURS), status=599), again("asked", status=599))
may(
    "heuristic: an unknown status that is public",
    get(("Last-Modified", -3 * HOURS), ("Cache-Control", "public"), status=599),
    again(status=599),
)
for delta in (300, 600, 1800, 3600, 12 * HOURS, 24 * HOURS):
    may(f"heuristic: changed {delta} seconds ago", get(("Last-Modified", -delta)), again())
for delta in (5, 10, 60):
    may(f"heuristic: changed {delta} seconds ago", get(("Last-Modified", -delta)), again("any"))
may(
    "heuristic: with Content-Disposition",
    get(("Last-Modified", -100000), ("Content-Disposition", "attachment; filename=example.txt")),
    again(),
)

# Statuses with explicit freshness (RFC 9111 §3)

for status in (
    200,
    203,
    204,
    299,
    300,
    301,
    302,
    303,
    307,
    308,
    400,
    404,
    405,
    410,
    414,
    451,
    499,
    500,
    501,
    502,
    503,
    504,
    599,
):
    location = (("Location", "{base}"),) if 300 < status < 309 else ()
    may(f"status: {status} fresh", get(FRESH, *location, status=status), again(status=status, gives=status))
    case(f"status: {status} stale", get(STALE, *location, status=status), again("asked", status=status))
