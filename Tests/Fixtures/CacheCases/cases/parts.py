"""Parts of bodies."""

from .table import *

# Parts (RFC 9111 §3.3, §3.4, RFC 9110 §14)

TEN = "01234567890"


def part(asked, content, text, *more, **others):
    return get(FRESH, ("Content-Range", content), *more, status=206, body=text, **req(("Range", asked)), **others)


def piece(asked, text, expect="cached", **more):
    return again(expect, gives=206, text=text, **req(("Range", asked)), **more)


may(
    "part: of what is whole, the end",
    get(FRESH, body=TEN),
    piece("bytes=-5", "67890", has=(("Content-Range", "bytes 6-10/11"), ("Content-Length", "5"))),
)
may("part: of what is whole, from one on", get(FRESH, body=TEN), piece("bytes=5-", "567890"))
may("part: of what is whole, the middle", get(FRESH, body=TEN), piece("bytes=0-1", "01"))
may(
    "part: with its fields",
    get(FRESH, ("A", "1"), ("Content-Type", "text/plain"), TAG, body=TEN),
    piece("bytes=0-1", "01", has=(("A", "1"), ("ETag", '"abcdef"'))),
)
for asked, text in (("bytes=-5", "01234"), ("bytes=6-8", "234"), ("bytes=6-", "234"), ("bytes=-1", "4")):
    may(
        f"part: shorter than it says, and the end by its word, {asked}",
        part("bytes=-5", "bytes 4-9/10", "01234", ("Content-Length", "5")),
        piece(asked, text),
    )
may("part: the same part again", part("bytes=-5", "bytes 6-10/11", "67890"), piece("bytes=-5", "67890"))
may("part: a part of it", part("bytes=0-4", "bytes 0-4/11", "01234"), piece("bytes=1-2", "12"))
may("part: its end", part("bytes=6-10", "bytes 6-10/11", "67890"), piece("bytes=-2", "90"))
case(
    "part: is not the whole",
    part("bytes=-5", "bytes 6-10/11", "67890"),
    again("asked", FRESH, body=TEN, gives=200, text=TEN),
)
case(
    "part: no other part",
    part("bytes=-5", "bytes 6-10/11", "67890"),
    again("asked", ("Content-Range", "bytes 0-1/11"), status=206, body="01", text="01", **req(("Range", "bytes=0-1"))),
)
may(
    "part: the rest is asked for",
    part("bytes=0-4", "bytes 0-4/11", "01234", TAG),
    again(
        "any",
        FRESH,
        TAG,
        ("Content-Range", "bytes 5-10/11"),
        status=206,
        body="567890",
        sees=(("Range", "bytes=5-"),),
        text=TEN,
    ),
)
case(
    "part: without a validator nothing is put together",
    part("bytes=0-4", "bytes 0-4/11", "01234"),
    again("asked", body=TEN, text=TEN, unseen=("Range",)),
)
case(
    "part: of another representation",
    part("bytes=0-4", "bytes 0-4/11", "01234", TAG),
    again("any", ("ETag", '"b"'), status=200, body="abcdefghijk", gives=200, text="abcdefghijk"),
)
case(
    "part: stale",
    get(STALE, body=TEN),
    again("asked", ("Content-Range", "bytes 0-1/11"), status=206, body="01", text="01", **req(("Range", "bytes=0-1"))),
)
may("part: 416 of what is whole", get(FRESH, body=TEN), again(gives=416, **req(("Range", "bytes=20-30"))))
may("part: several ranges go to the server", get(FRESH, body=TEN), again("asked", **req(("Range", "bytes=0-1,4-5"))))
may(
    "part: If-Range with the tag",
    get(FRESH, TAG, body=TEN),
    piece("bytes=0-1", "01") | {"req": (("Range", "bytes=0-1"), ("If-Range", '"abcdef"'))},
)
may(
    "part: If-Range with another tag",
    get(FRESH, TAG, body=TEN),
    again(gives=200, text=TEN, **req(("Range", "bytes=0-1"), ("If-Range", '"b"'))),
)
case("part: cut short, it is not whole", get(FRESH, body=TEN, cut=5, expect="any"), again("asked", body=TEN, text=TEN))
