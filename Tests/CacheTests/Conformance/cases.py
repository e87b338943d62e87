"""What a private cache must do, or had better do: sequences of requests to one server, as a table.

A case is a name, whether it is required, and its visits. A visit is one request, what the server would say to it, and what must
come of it:

    expect     "cached": the server is not asked; "asked": its answer is the caller's; "etag", "date": it is asked by its
               validator, and says 304; "any"
    wait       three seconds pass before the next visit
    req        the request's fields                  answer   the answer's fields; of fields that hold a date, a number is
    method     GET, unless said                               the seconds between now and that date
    mode       Fetch's cache mode                    status, body, delay (seconds before the answer), interim (a 1xx before it)
    path       another resource of the same server   drop     the server closes the connection without an answer
    sees       fields that must reach the server     unseen   fields that must not
    gives      the status that the caller must get   has      fields it must get; ("Age", ">2") is more than
    lacks      fields it must not get                text     the body it must get

`{path}` in an answer's field is the case's own path, `{base}` its origin too.
"""

FRESH = ("Cache-Control", "max-age=3600")
STALE = ("Cache-Control", "max-age=2")
TAG = ("ETag", '"abcdef"')
HOURS = 3600

CASES = []


def case(name, *visits, optional=False, known=None):
    """`known` says why a case is expected to fail."""
    CASES.append({"name": name, "optional": optional, "visits": visits, "known": known})


def may(name, *visits, **more):
    case(name, *visits, optional=True, **more)


def get(*answer, **more):
    """A request that the server must be asked for; then it waits."""
    return {"answer": answer, "expect": "asked", "wait": True, **more}


def again(expect="cached", *answer, **more):
    """The last request of a case."""
    return {"answer": answer, "expect": expect, **more}


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

case("parsing: in quotes of another directive", get(("Cache-Control", 'extension="max-age=3600", max-age=1')), again("asked"))
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
may("parsing: on two lines, stale", get(("Cache-Control", "max-age=1"), ("Cache-Control", "max-age=1800")), again("asked"))
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
may("age: it goes on from what came, Expires", get(("Expires", 30 * 86400), ("Age", "30")), again(has=(("Age", ">32"),)))
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
    "Thu, 18 Aug 2050 02:01:18 GMT", "Thursday, 18-Aug-50 02:01:18 GMT", "Thu Aug 18 02:01:18 2050",
    "Thu, 18 Aug 2050 02:01:18 gMT", "tHU, 18 Aug 2050 02:01:18 GMT", "Thu, 18 aUG 2050 02:01:18 GMT",
    "Fri, 19 Jan 2040 14:14:09 GMT", "Sun, 21 Nov 2286 04:46:39 GMT",
):
    may(f"expires: {text}", get(("Expires", text)), again())
for text in (
    "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT", "Thu,  18  Aug  2050  02:01:18  GMT",
    "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18", "-1", "",
    "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 32 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 25:01:18 GMT",
):
    case(f"expires: {text!r} is none", get(("Expires", text)), again("asked"))
case("expires: two lines, the first is past", get(("Expires", -100), ("Expires", 3600)), again("asked"))

# Other directives of answers (RFC 9111 §5.2.2)

case("answer: no-store", get(("Cache-Control", "no-store")), again("asked"))
case("answer: no-store, any case", get(("Cache-Control", "No-StOrE")), again("asked"))
case("answer: no-store, though fresh", get(("Cache-Control", "max-age=10000, no-store")), again("asked"))
case("answer: no-store with Expires", get(("Cache-Control", "no-store"), ("Expires", 10000)), again("asked"))
case("answer: no-cache", get(("Cache-Control", "no-cache, max-age=3600")), again("asked"))
case("answer: no-cache, any case", get(("Cache-Control", "No-CaChE, max-age=3600")), again("asked"))
case("answer: no-cache beats max-stale", get(("Cache-Control", "no-cache, max-age=1")), again("asked", req=(("Cache-Control", "max-stale=1000"),)))
may("answer: no-cache is validated", get(("Cache-Control", "no-cache"), TAG), again("etag"))
may("answer: no-cache is validated, though fresh", get(("Cache-Control", "max-age=10000, no-cache"), TAG), again("etag"))
may("answer: must-revalidate while fresh", get(("Cache-Control", "max-age=10000, must-revalidate")), again())
case("answer: must-revalidate, stale", get(("Cache-Control", "max-age=2, must-revalidate"), TAG), again("etag"))
case("answer: must-revalidate beats max-stale", get(("Cache-Control", "max-age=2, must-revalidate")), again("asked", req=(("Cache-Control", "max-stale=1000"),)))
may("answer: private", get(("Cache-Control", "private, max-age=3600")), again())
may("answer: public", get(("Cache-Control", "public, max-age=3600")), again())
may("answer: immutable", get(("Cache-Control", "max-age=10000, immutable"), TAG), again(mode="no-cache"))
may("answer: immutable, the caller's max-age=0", get(("Cache-Control", "max-age=10000, immutable"), TAG), again(req=(("Cache-Control", "max-age=0"),)))
case("answer: immutable, stale", get(("Cache-Control", "max-age=2, immutable"), TAG), again("etag", mode="no-cache"))
may("answer: a fresh one stays though a newer was no-store", get(FRESH), get(("Cache-Control", "no-store"), mode="no-cache"), again("any"))
case("answer: no-store comes for a stale one", get(STALE), get(("Cache-Control", "no-store")), again("asked"))
may("answer: Pragma means nothing", get(FRESH, ("Pragma", "no-cache")), again())
may("answer: Pragma and a heuristic", get(("Last-Modified", -100000), ("Pragma", "no-cache")), again("any"))
may("answer: no-cache with fields", get(("Cache-Control", 'no-cache="a, b", max-age=3600'), ("a", "1"), ("b", "2"), ("c", "3")), again(lacks=("a", "b"), has=(("c", "3"),)))
may("answer: no-cache with one field", get(("Cache-Control", 'no-cache="a", max-age=3600'), ("a", "1"), ("b", "2")), again(lacks=("a",), has=(("b", "2"),)))
may("answer: private with fields", get(("Cache-Control", 'private="a", max-age=3600'), ("a", "1")), again())
may("answer: must-understand with a known status", get(("Cache-Control", "max-age=3600, no-store, must-understand")), again())
case("answer: must-understand with an unknown one", get(("Cache-Control", "max-age=3600, no-store, must-understand"), status=599), again("asked", status=599))
case("answer: must-understand alone with an unknown one", get(("Cache-Control", "max-age=3600, must-understand"), status=599), again("asked", status=599))
may("answer: CDN-Cache-Control is for others", get(FRESH, ("CDN-Cache-Control", "max-age=1")), again())
case("answer: CDN-Cache-Control does not prolong", get(("Cache-Control", "max-age=1"), ("CDN-Cache-Control", "max-age=3600")), again("asked"))
may("answer: Surrogate-Control is for others", get(FRESH, ("Surrogate-Control", "no-store")), again())

# Directives of requests (RFC 9111 §5.2.1, §5.4)

def wish(value): return {"req": (("Cache-Control", value),)}

may("request: max-age=0", get(FRESH), again("asked", **wish("max-age=0")))
may("request: max-age=1", get(FRESH), again("asked", **wish("max-age=1")))
may("request: max-age below Age", get(FRESH, ("Age", "1800")), again("asked", **wish("max-age=600")))
may("request: max-stale", get(("Cache-Control", "max-age=1")), again(**wish("max-stale=1000")))
may("request: max-stale without a number", get(("Cache-Control", "max-age=1")), again(**wish("max-stale")))
may("request: max-stale and Age", get(("Cache-Control", "max-age=1500"), ("Age", "2000")), again(**wish("max-stale=1000")))
may("request: max-stale is not enough", get(("Cache-Control", "max-age=1500"), ("Age", "3000")), again("asked", **wish("max-stale=1000")))
may("request: min-fresh", get(("Cache-Control", "max-age=1500")), again("asked", **wish("min-fresh=2000")))
may("request: min-fresh and Age", get(("Cache-Control", "max-age=1500"), ("Age", "1000")), again("asked", **wish("min-fresh=1000")))
may("request: no-cache", get(FRESH), again("asked", **wish("no-cache")))
may("request: no-cache by date", get(FRESH, ("Last-Modified", -10000)), again("date", **wish("no-cache")))
may("request: no-cache by tag", get(FRESH, TAG), again("etag", **wish("no-cache")))
may("request: no-store stores nothing", get(FRESH, **wish("no-store")), again("asked"))
may("request: no-store uses nothing", get(FRESH), again("asked", **wish("no-store")))
may("request: only-if-cached", again("any", gives=504, **wish("only-if-cached")))
may("request: only-if-cached with something", get(FRESH), again(**wish("only-if-cached")))
may("request: Pragma: no-cache", get(FRESH), again("asked", req=(("Pragma", "no-cache"),)))
may("request: Pragma beside Cache-Control", get(FRESH), again(req=(("Pragma", "no-cache"), ("Cache-Control", "nothing-to-see-here"))))
may("request: unknown words", get(FRESH, req=(("Pragma", "foo"), ("Cache-Control", "nothing-to-see-here"))), again(req=(("Pragma", "foo"), ("Cache-Control", "nothing-to-see-here"))))
may("request: mode reload", get(FRESH), again("asked", mode="reload"))
may("request: mode no-store", get(FRESH), again("asked", mode="no-store"))
may("request: mode no-cache", get(FRESH, TAG), again("etag", mode="no-cache"))
may("request: mode force-cache", get(STALE), again(mode="force-cache"))
may("request: mode only-if-cached", again("any", gives=504, mode="only-if-cached"))

# Heuristics (RFC 9111 §4.2.2)

for status in (200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501):
    may(f"heuristic: {status}", get(("Last-Modified", -3 * HOURS), status=status), again(status=status, gives=status))
for status in (201, 202, 302, 303, 307, 400, 403, 500, 502, 503, 504):
    case(f"heuristic: not {status}", get(("Last-Modified", -3 * HOURS), status=status), again("asked", status=status))
case("heuristic: not an unknown status", get(("Last-Modified", -3 * HOURS), status=599), again("asked", status=599))
may("heuristic: an unknown status that is public", get(("Last-Modified", -3 * HOURS), ("Cache-Control", "public"), status=599), again(status=599))
for delta in (60, 300, 600, 1800, 3600, 12 * HOURS, 24 * HOURS):
    may(f"heuristic: changed {delta} seconds ago", get(("Last-Modified", -delta)), again())
for delta in (5, 10):
    may(f"heuristic: changed {delta} seconds ago", get(("Last-Modified", -delta)), again("any"))
may("heuristic: with Content-Disposition", get(("Last-Modified", -100000), ("Content-Disposition", "attachment; filename=example.txt")), again())

# Statuses with explicit freshness (RFC 9111 §3)

for status in (200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 451, 499, 500, 501, 502, 503, 504, 599):
    location = (("Location", "{base}"),) if 300 < status < 309 else ()
    may(f"status: {status} fresh", get(FRESH, *location, status=status), again(status=status, gives=status))
    case(f"status: {status} stale", get(STALE, *location, status=status), again("asked", status=status))

# Vary (RFC 9111 §4.1)

def req(*fields): return {"req": tuple(fields)}
def vary(*names): return tuple(("Vary", name) for name in names)

FOO1, FOO2, BAR1, BAR2, BAZ1, BAZ2 = (("Foo", "1"), ("Foo", "2"), ("Bar", "abc"), ("Bar", "abcde"), ("Baz", "789"), ("Baz", "7890"))
may("vary: the same", get(FRESH, *vary("Foo"), **req(FOO1)), again(**req(FOO1)))
case("vary: another", get(FRESH, *vary("Foo"), **req(FOO1)), again("asked", **req(FOO2)))
case("vary: the request has none", get(FRESH, *vary("Foo"), **req(FOO1)), again("asked"))
case("vary: the stored one had none", get(FRESH, *vary("Foo")), again("asked", **req(FOO1)))
may("vary: neither has one", get(FRESH, *vary("Foo")), again())
may("vary: several variants", get(FRESH, *vary("Foo"), body="one", **req(FOO1)), get(FRESH, *vary("Foo"), body="two", **req(FOO2)), again(text="one", **req(FOO1)))
may("vary: other fields do not count", get(FRESH, *vary("Foo"), **req(FOO1, ("Other", "2"))), again(**req(FOO1, ("Other", "3"))))
may("vary: two", get(FRESH, *vary("Foo, Bar"), **req(FOO1, BAR1)), again(**req(FOO1, BAR1)))
case("vary: two, one differs", get(FRESH, *vary("Foo, Bar"), **req(FOO1, BAR1)), again("asked", **req(FOO2, BAR1)))
case("vary: two, one is missing", get(FRESH, *vary("Foo, Bar"), **req(FOO1)), again("asked", **req(FOO1, BAR1)))
may("vary: two, one is missing in both", get(FRESH, *vary("Foo, Bar"), **req(FOO1)), again(**req(FOO1)))
may("vary: three", get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)), again(**req(FOO1, BAR1, BAZ1)))
may("vary: three, in another order", get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)), again(**req(BAZ1, FOO1, BAR1)))
case("vary: three, the last differs", get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)), again("asked", **req(FOO1, BAR1, BAZ2)))
case("vary: three, the last is missing", get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)), again("asked", **req(FOO1, BAR1)))
case("vary: three on three lines", get(FRESH, *vary("Foo", "Bar", "Baz"), **req(FOO1, BAR1, BAZ1)), again("asked", **req(FOO1, BAR2, BAZ1)))
case("vary: any case", get(FRESH, *vary("foo"), **req(FOO1)), again("asked", **req(FOO2)))
may("vary: lines are one list", get(FRESH, *vary("Foo"), **req(("Foo", "1"), ("Foo", "2"))), again(**req(("Foo", "1, 2"))))
may("vary: blanks in lists", get(FRESH, *vary("Foo"), **req(("Foo", "1,2"))), again(**req(("Foo", "1, 2"))))
LANG = "Accept-Language"
may("vary: languages in any case", get(FRESH, *vary(LANG), **req((LANG, "en, de"))), again(**req((LANG, "eN, De"))))
may("vary: languages in any order", get(FRESH, *vary(LANG), **req((LANG, "en, de"))), again(**req((LANG, "de, en"))))
may("vary: languages and blanks", get(FRESH, *vary(LANG), **req((LANG, "en, de"))), again(**req((LANG, "  en  ,    de"))))
may("vary: the language that was chosen", get(FRESH, *vary(LANG), ("Content-Language", "de"), **req((LANG, "en, de"))), again(**req((LANG, "fr;q=0.5, de;q=1.0"))))
for name, values in {"*": ("*",), "*, *": ("*, *",), "* twice": ("*", "*"), ", *": (", *",), "'' and *": ("", "*"), "*, Foo": ("*, Foo",), "Foo, *": ("Foo, *",)}.items():
    case(f"vary: {name}", get(FRESH, *vary(*values)), again("asked"))

# Validation by tags and dates (RFC 9111 §4.3, RFC 9110 §13)

def tags(stored, asked): return get(FRESH, ("ETag", stored)), again(gives=304, **req(("If-None-Match", asked)))

may("tag: the caller's, strong", *tags('"abcdef"', '"abcdef"'))
may("tag: the caller's, both weak", *tags('W/"abcdef"', 'W/"abcdef"'))
may("tag: weak for strong", *tags('"abcdef"', 'W/"abcdef"'))
may("tag: strong for weak", *tags('W/"abcdef"', '"abcdef"'))
may("tag: first of several", *tags('"abcdef"', '"abcdef", "1234", "5678"'))
may("tag: second of several", *tags('"abcdef"', '"1234", "abcdef", "5678"'))
may("tag: last of several", *tags('"abcdef"', '"1234", "5678", "abcdef"'))
may("tag: bytes above ASCII", *tags('"abcdef\u00fc"', '"abcdef\u00fc"'))
may("tag: any", *tags('"abcdef"', "*"))
may("tag: unquoted for unquoted", *tags("abcdef", "abcdef"))
may("tag: unquoted for quoted", get(FRESH, TAG), again("any", **req(("If-None-Match", "abcdef"))))
may("tag: quoted for unquoted", get(FRESH, ("ETag", "abcdef")), again("any", **req(("If-None-Match", '"abcdef"'))))
may("tag: another of the caller's", get(FRESH, TAG), again(gives=200, **req(("If-None-Match", '"x"'))))
may("tag: it precedes the date, which is not true", get(FRESH, TAG, ("Last-Modified", -5000)), again(gives=304, **req(("If-None-Match", '"abcdef"'), ("If-Modified-Since", -10000))))
may("tag: it precedes the date, which is true", get(FRESH, TAG, ("Last-Modified", -10000)), again(gives=200, **req(("If-None-Match", '"x"'), ("If-Modified-Since", -1))))
case("tag: stale, strong", get(STALE, TAG), again("etag", TAG, sees=(("If-None-Match", '"abcdef"'),)))
case("tag: stale, weak", get(STALE, ("ETag", 'W/"abcdef"')), again("etag", ("ETag", 'W/"abcdef"'), sees=(("If-None-Match", 'W/"abcdef"'),)))
case("tag: stale, unquoted", get(STALE, ("ETag", "abcdef")), again("etag", ("ETag", "abcdef"), sees=(("If-None-Match", "abcdef"),)))
case("tag: stale, weak for strong in the 304", get(STALE, TAG), again("etag", ("ETag", 'W/"abcdef"'), gives=200))
case("tag: the caller's goes on when nothing is stored", again("asked", sees=(("If-None-Match", '"abcdef"'),), **req(("If-None-Match", '"abcdef"'))))
case("tag: unquoted too", again("asked", sees=(("If-None-Match", "abcdef"),), **req(("If-None-Match", "abcdef"))))
may("tag: a variant that matches", get(FRESH, TAG, *vary("Abc"), **req(("Abc", "123"))), again(gives=304, **req(("Abc", "123"), ("If-None-Match", '"abcdef"'))))
case("tag: no variant that matches", get(FRESH, TAG, *vary("Abc"), **req(("Abc", "123"))), again("asked", **req(("Abc", "456"), ("If-None-Match", '"abcdef"'))))
case("tag: a variant is asked about", get(FRESH, TAG, *vary("Abc"), **req(("Abc", "123"))), again("etag", TAG, *vary("Abc"), **req(("Abc", "456"))))
may("date: the caller's, the same", get(FRESH, ("Last-Modified", -3000)), again(gives=304, **req(("If-Modified-Since", -3000))))
may("date: the caller's, later", get(FRESH, ("Last-Modified", -3000)), again(gives=304, **req(("If-Modified-Since", -2000))))
may("date: the caller's, earlier", get(FRESH, ("Last-Modified", -3000)), again(gives=200, **req(("If-Modified-Since", -6000))))
may("date: the caller's, and none is stored", get(FRESH), again(gives=304, **req(("If-Modified-Since", 10))))
for text in ("Wednesday, 18-Aug-21 02:01:18 GMT", "Wed Aug 18 02:01:18 2021"):
    may(f"date: the caller's, {text}", get(FRESH, ("Last-Modified", "Wed, 18 Aug 2021 02:01:18 GMT")), again(gives=304, **req(("If-Modified-Since", text))))
case("date: stale", get(STALE, ("Last-Modified", -3000)), again("date"))
case("date: the caller's, stale", get(STALE, ("Last-Modified", -3000)), again("any", sees=(("If-Modified-Since", -3000),), **req(("If-Modified-Since", -3000))))
case("tag and date: both are named", get(STALE, TAG, ("Last-Modified", -3000)), again("etag", TAG, sees=(("If-Modified-Since", -3000),)))
case("tag: the server has another answer", get(STALE, TAG), again("asked", ("ETag", '"b"'), body="new", text="new"))

# Which fields are stored, and how a 304 changes them (RFC 9111 §3.1, §3.2)

STORED = {
    "Test-Header": ("1", "2"), "X-Test-Header": ("1", "2"), "Content-Foo": ("1", "2"), "X-Content-Foo": ("1", "2"),
    "Cache-Control": ("max-age=3600", "max-age=3600, a=b"), "Content-Encoding": ("foo", "bar"), "Content-Location": ("/foo", "/bar"),
    "Content-MD5": ("rL0Y20zC+Fzt72VPzMSk2A==", "N7UdGUp1E+RbVvZSTy1R8g=="), "Content-Type": ("text/plain", "text/plain;charset=utf-8"),
    "Content-Security-Policy": ("default-src 'self'", "default-src 'none'"), "Content-Range": ("bytes 0-9/100", "bytes 1-10/100"), "Clear-Site-Data": ("cookies", "cache"),
    "Content-Language": ("en", "de"), "Content-Disposition": ("inline", "attachment"), "Set-Cookie": ("a=b", "a=c"), "Set-Cookie2": ("a=b", "a=c"),
    "Public-Key-Pins": ("a=b", "a=c"), "X-Frame-Options": ("deny", "sameorigin"), "X-XSS-Protection": ("1", "0"),
    "Expires": ("Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"), "Strict-Transport-Security": ("max-age=1", "max-age=2"),
    "Link": ("<a>; rel=next", "<b>; rel=next"), "Location": ("/a", "/b"), "Accept-Ranges": ("bytes", "none"), "Server": ("a", "b"),
}
for name, (first, second) in STORED.items():
    may(f"fields: {name} is stored", get(*(() if name == "Cache-Control" else (FRESH,)), (name, first)), again(has=((name, first),)))
    base = () if name == "Cache-Control" else (STALE,)
    first_field = (("Cache-Control", "max-age=1"),) if name == "Cache-Control" else ((name, first),)
    may(f"fields: {name} is updated in what the caller gets", get(*base, TAG, *first_field), again("etag", TAG, FRESH if base else (name, second), (name, second) if base else ("A", "1"), has=((name, second),)))
    may(f"fields: {name} is updated in the store", get(*base, TAG, *first_field), get(*((FRESH,) if base else ()), TAG, (name, second), expect="etag"), again(has=((name, second),)))
    if name not in ("Cache-Control", "Expires"):
        case(f"fields: {name} is kept when the 304 has none", get(*base, TAG, (name, first)), again("etag", TAG, FRESH, has=((name, first),)))
case("fields: Content-Length is not updated", get(STALE, TAG, body="0123456789"), again("etag", TAG, FRESH, ("Content-Length", "3"), text="0123456789", has=(("Content-Length", "10"),)))
case("fields: ETag stays", get(STALE, TAG), get(FRESH, expect="etag"), again(has=(("ETag", '"abcdef"'),)))
may("fields: by date too", get(STALE, ("Last-Modified", -3000), ("Test-Header", "1")), again("date", FRESH, ("Test-Header", "2"), has=(("Test-Header", "2"),)))
case("fields: a 304 makes it fresh", get(STALE, TAG), get(FRESH, TAG, expect="etag"), again())
case("fields: what Connection lists is not stored", get(FRESH, ("Connection", "a, b"), ("a", "1"), ("b", "2"), ("c", "3")), again("cached", lacks=("a", "b"), has=(("c", "3"),)))
for name, value in {
    "Keep-Alive": "timeout=5", "Proxy-Authenticate": "Basic", "Proxy-Authentication-Info": "a", "Proxy-Authorization": "Basic x", "Proxy-Connection": "close",
    "TE": "trailers", "Upgrade": "a", "Connection": "close",
}.items():
    case(f"fields: {name} is not stored", get(FRESH, (name, value)), again("cached", lacks=(name,)))

# HEAD (RFC 9111 §4.3.5)

case("HEAD: goes to the server when what is stored is stale", get(STALE), again("asked", method="HEAD"))
may("HEAD: is answered by what GET brought", get(FRESH), again(method="HEAD", gives=200, text=""))
may("HEAD: makes fresh", get(STALE, TAG), get(("Cache-Control", "max-age=1000"), TAG, method="HEAD"), again())
may("HEAD: updates", get(STALE, TAG, ("A", "1")), get(("Cache-Control", "max-age=1000"), TAG, ("A", "2"), method="HEAD"), again(has=(("A", "2"),)))
may("HEAD: keeps what it does not have", get(STALE, TAG, ("A", "1"), ("B", "2")), get(("Cache-Control", "max-age=1000"), TAG, ("A", "2"), method="HEAD"), again(has=(("B", "2"),)))
may("HEAD: 410 is another answer", get(STALE, ("A", "1")), get(("Cache-Control", "max-age=1000"), method="HEAD", status=410), again("asked"))
case("HEAD: its answer is none to GET", get(FRESH, method="HEAD"), again("asked"))

# Invalidation (RFC 9111 §4.4)

for method in ("POST", "PUT", "DELETE", "M-SEARCH"):
    case(f"invalidation: {method}", get(FRESH), get(method=method), again("asked"))
    may(f"invalidation: a failed {method} does not", get(FRESH), get(method=method, status=500), again())
    for name in ("Location", "Content-Location"):
        may(f"invalidation: {method} and its {name}", get(FRESH, path="/a"), get((name, "{base}/a"), method=method, path="/b"), again("asked", path="/a"))
        may(f"invalidation: {method} and its relative {name}", get(FRESH, path="/a"), get((name, "{path}/a"), method=method, path="/b"), again("asked", path="/a"))
case("methods: POST goes to the server", get(FRESH), again("asked", method="POST"))
may("methods: POST stores what it gives as its own state", get(FRESH, ("Content-Location", "{path}"), method="POST"), again())
case("methods: POST stores nothing else", get(FRESH, method="POST"), again("asked"))
case("methods: POST is not answered by itself", get(FRESH, method="POST"), again("asked", method="POST"))

# Parts (RFC 9111 §3.3, §3.4, RFC 9110 §14)

TEN = "01234567890"
def part(asked, content, text, *more, **others): return get(FRESH, ("Content-Range", content), *more, status=206, body=text, **req(("Range", asked)), **others)
def piece(asked, text, expect="cached", **more): return again(expect, gives=206, text=text, **req(("Range", asked)), **more)

may("part: of what is whole, the end", get(FRESH, body=TEN), piece("bytes=-5", "67890", has=(("Content-Range", "bytes 6-10/11"), ("Content-Length", "5"))))
may("part: of what is whole, from one on", get(FRESH, body=TEN), piece("bytes=5-", "567890"))
may("part: of what is whole, the middle", get(FRESH, body=TEN), piece("bytes=0-1", "01"))
may("part: with its fields", get(FRESH, ("A", "1"), ("Content-Type", "text/plain"), TAG, body=TEN), piece("bytes=0-1", "01", has=(("A", "1"), ("ETag", '"abcdef"'))))
may("part: of an answer that contradicts itself", part("bytes=-5", "bytes 4-9/10", "01234"), piece("bytes=-5", "01234"), known="five bytes are not the six that Content-Range names, so the last of them is missing")
may("part: the same part again", part("bytes=-5", "bytes 6-10/11", "67890"), piece("bytes=-5", "67890"))
may("part: a part of it", part("bytes=0-4", "bytes 0-4/11", "01234"), piece("bytes=1-2", "12"))
may("part: its end", part("bytes=6-10", "bytes 6-10/11", "67890"), piece("bytes=-2", "90"))
case("part: is not the whole", part("bytes=-5", "bytes 6-10/11", "67890"), again("asked", FRESH, body=TEN, gives=200, text=TEN))
case("part: no other part", part("bytes=-5", "bytes 6-10/11", "67890"), again("asked", ("Content-Range", "bytes 0-1/11"), status=206, body="01", text="01", **req(("Range", "bytes=0-1"))))
may("part: the rest is asked for", part("bytes=0-4", "bytes 0-4/11", "01234", TAG), again("any", FRESH, TAG, ("Content-Range", "bytes 5-10/11"), status=206, body="567890", sees=(("Range", "bytes=5-"),), text=TEN))
case("part: without a validator nothing is put together", part("bytes=0-4", "bytes 0-4/11", "01234"), again("asked", body=TEN, text=TEN, unseen=("Range",)))
case("part: of another representation", part("bytes=0-4", "bytes 0-4/11", "01234", TAG), again("any", ("ETag", '"b"'), status=200, body="abcdefghijk", gives=200, text="abcdefghijk"))
case("part: stale", get(STALE, body=TEN), again("asked", ("Content-Range", "bytes 0-1/11"), status=206, body="01", text="01", **req(("Range", "bytes=0-1"))))
may("part: 416 of what is whole", get(FRESH, body=TEN), again(gives=416, **req(("Range", "bytes=20-30"))))
may("part: several ranges go to the server", get(FRESH, body=TEN), again("asked", **req(("Range", "bytes=0-1,4-5"))))
may("part: If-Range with the tag", get(FRESH, TAG, body=TEN), piece("bytes=0-1", "01") | {"req": (("Range", "bytes=0-1"), ("If-Range", '"abcdef"'))})
may("part: If-Range with another tag", get(FRESH, TAG, body=TEN), again(gives=200, text=TEN, **req(("Range", "bytes=0-1"), ("If-Range", '"b"'))))
case("part: cut short, it is not whole", get(FRESH, body=TEN, cut=5, expect="any"), again("asked", body=TEN, text=TEN))

# Stale answers (RFC 9111 §4.2.4, RFC 5861)

may("stale: the server is gone", get(STALE), again(drop=True))
for words in ("must-revalidate", "no-cache"):
    case(f"stale: {words} and the server is gone", get(("Cache-Control", f"max-age=2, {words}")), again("any", drop=True, gives=504))
may("stale: proxy-revalidate is not for a private cache", get(("Cache-Control", "max-age=2, proxy-revalidate")), again(drop=True))
may("stale: s-maxage is not for a private cache", get(("Cache-Control", "max-age=2, s-maxage=2")), again(drop=True))
may("stale: an error is an answer", get(STALE), again("any", status=503))
may("stale: stale-if-error and the server is gone", get(("Cache-Control", "max-age=2, stale-if-error=60")), again(drop=True))
for status in (500, 502, 503, 504):
    may(f"stale: stale-if-error and {status}", get(("Cache-Control", "max-age=2, stale-if-error=60")), again(status=status, gives=200, asks=True))
case("stale: stale-if-error is over", get(("Cache-Control", "max-age=1, stale-if-error=1")), again("asked", status=503))
may("stale: stale-while-revalidate", get(("Cache-Control", "max-age=1, stale-while-revalidate=3600")), again())
may("stale: and the server is asked", get(("Cache-Control", "max-age=1, stale-while-revalidate=3600"), TAG, body="one"), {"expect": "cached", "answer": (FRESH,), "body": "two", "text": "one", "wait": True}, again(text="two"))
case("stale: stale-while-revalidate is over", get(("Cache-Control", "max-age=1, stale-while-revalidate=1")), again("asked"))
case("stale: must-revalidate is stronger", get(("Cache-Control", "max-age=1, stale-while-revalidate=3600, must-revalidate")), again("asked"))

# Others

may("other: Set-Cookie does not hinder", get(FRESH, ("Set-Cookie", "a=b")), again())
may("other: a Cookie does not", get(FRESH, **req(("Cookie", "a=b"))), again())
may("other: Authorization in a private cache", get(FRESH, **req(("Authorization", "Basic dTpw"))), again(**req(("Authorization", "Basic dTpw"))))
may("other: Authorization and public", get(("Cache-Control", "max-age=3600, public"), **req(("Authorization", "Basic dTpw"))), again(**req(("Authorization", "Basic dTpw"))))
may("other: Content-Disposition", get(FRESH, ("Content-Disposition", "attachment; filename=example.txt")), again())
case("other: another query is another resource", get(FRESH, path="?a"), again("asked", path="?b"))
may("other: the same query", get(FRESH, path="?a=b&c"), again(path="?a=b&c"))
may("other: no Date", get(FRESH, ("Date", None)), again())
case("other: no Date, stale", get(STALE, ("Date", None)), again("asked"))
for status in (102, 103):
    may(f"interim: {status} passes", get(FRESH, interim=(status, (("Interim", "1"),)), interims=(status,)), again(lacks=("Interim",)))
case("interim: its fields are not the answer's", get(STALE, interim=(103, (("Cache-Control", "max-age=3600"), ("Link", "</a>")))), again("asked"))
case("interim: it is not stored for the answer", get(("Cache-Control", "no-store"), interim=(103, (FRESH,))), again("asked"))
