"""Conditions: of the cache, and of the caller."""

from .table import *

# Validation by tags and dates (RFC 9111 §4.3, RFC 9110 §13)


def tags(stored, asked):
    return get(FRESH, ("ETag", stored)), again(gives=304, **req(("If-None-Match", asked)))


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
may(
    "tag: it precedes the date, which is not true",
    get(FRESH, TAG, ("Last-Modified", -5000)),
    again(gives=304, **req(("If-None-Match", '"abcdef"'), ("If-Modified-Since", -10000))),
)
may(
    "tag: it precedes the date, which is true",
    get(FRESH, TAG, ("Last-Modified", -10000)),
    again(gives=200, **req(("If-None-Match", '"x"'), ("If-Modified-Since", -1))),
)
case("tag: stale, strong", get(STALE, TAG), again("etag", TAG, sees=(("If-None-Match", '"abcdef"'),)))
case(
    "tag: stale, weak",
    get(STALE, ("ETag", 'W/"abcdef"')),
    again("etag", ("ETag", 'W/"abcdef"'), sees=(("If-None-Match", 'W/"abcdef"'),)),
)
case(
    "tag: stale, unquoted",
    get(STALE, ("ETag", "abcdef")),
    again("etag", ("ETag", "abcdef"), sees=(("If-None-Match", "abcdef"),)),
)
case("tag: stale, weak for strong in the 304", get(STALE, TAG), again("etag", ("ETag", 'W/"abcdef"'), gives=200))
case(
    "tag: the caller's goes on when nothing is stored",
    again("asked", sees=(("If-None-Match", '"abcdef"'),), **req(("If-None-Match", '"abcdef"'))),
)
case("tag: unquoted too", again("asked", sees=(("If-None-Match", "abcdef"),), **req(("If-None-Match", "abcdef"))))
may(
    "tag: a variant that matches",
    get(FRESH, TAG, *vary("Abc"), **req(("Abc", "123"))),
    again(gives=304, **req(("Abc", "123"), ("If-None-Match", '"abcdef"'))),
)
case(
    "tag: no variant that matches",
    get(FRESH, TAG, *vary("Abc"), **req(("Abc", "123"))),
    again("asked", **req(("Abc", "456"), ("If-None-Match", '"abcdef"'))),
)
case(
    "tag: a variant is asked about",
    get(FRESH, TAG, *vary("Abc"), **req(("Abc", "123"))),
    again("etag", TAG, *vary("Abc"), **req(("Abc", "456"))),
)
may(
    "date: the caller's, the same",
    get(FRESH, ("Last-Modified", -3000)),
    again(gives=304, **req(("If-Modified-Since", -3000))),
)
may(
    "date: the caller's, later",
    get(FRESH, ("Last-Modified", -3000)),
    again(gives=304, **req(("If-Modified-Since", -2000))),
)
may(
    "date: the caller's, earlier",
    get(FRESH, ("Last-Modified", -3000)),
    again(gives=200, **req(("If-Modified-Since", -6000))),
)
may("date: the caller's, and none is stored", get(FRESH), again(gives=304, **req(("If-Modified-Since", 10))))
for text in ("Wednesday, 18-Aug-21 02:01:18 GMT", "Wed Aug 18 02:01:18 2021"):
    may(
        f"date: the caller's, {text}",
        get(FRESH, ("Last-Modified", "Wed, 18 Aug 2021 02:01:18 GMT")),
        again(gives=304, **req(("If-Modified-Since", text))),
    )
case("date: stale", get(STALE, ("Last-Modified", -3000)), again("date"))
case(
    "date: the caller's, stale",
    get(STALE, ("Last-Modified", -3000)),
    again("any", sees=(("If-Modified-Since", -3000),), **req(("If-Modified-Since", -3000))),
)
case(
    "tag and date: both are named",
    get(STALE, TAG, ("Last-Modified", -3000)),
    again("etag", TAG, sees=(("If-Modified-Since", -3000),)),
)
case("tag: the server has another answer", get(STALE, TAG), again("asked", ("ETag", '"b"'), body="new", text="new"))
