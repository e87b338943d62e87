"""Which fields are stored, and how a 304 changes them."""

from .table import *

# Which fields are stored, and how a 304 changes them (RFC 9111 §3.1, §3.2)

STORED = {
    "Test-Header": ("1", "2"),
    "X-Test-Header": ("1", "2"),
    "Content-Foo": ("1", "2"),
    "X-Content-Foo": ("1", "2"),
    "Cache-Control": ("max-age=3600", "max-age=3600, a=b"),
    "Content-Encoding": ("foo", "bar"),
    "Content-Location": ("/foo", "/bar"),
    "Content-MD5": ("rL0Y20zC+Fzt72VPzMSk2A==", "N7UdGUp1E+RbVvZSTy1R8g=="),
    "Content-Type": ("text/plain", "text/plain;charset=utf-8"),
    "Content-Security-Policy": ("default-src 'self'", "default-src 'none'"),
    "Content-Range": ("bytes 0-9/100", "bytes 1-10/100"),
    "Clear-Site-Data": ("cookies", "cache"),
    "Content-Language": ("en", "de"),
    "Content-Disposition": ("inline", "attachment"),
    "Set-Cookie": ("a=b", "a=c"),
    "Set-Cookie2": ("a=b", "a=c"),
    "Public-Key-Pins": ("a=b", "a=c"),
    "X-Frame-Options": ("deny", "sameorigin"),
    "X-XSS-Protection": ("1", "0"),
    "Expires": ("Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"),
    "Strict-Transport-Security": ("max-age=1", "max-age=2"),
    "Link": ("<a>; rel=next", "<b>; rel=next"),
    "Location": ("/a", "/b"),
    "Accept-Ranges": ("bytes", "none"),
    "Server": ("a", "b"),
}
for name, (first, second) in STORED.items():
    # The stored bytes have the coding that they were received with.
    kept = first if name == "Content-Encoding" else second
    may(
        f"fields: {name} is stored",
        get(*(() if name == "Cache-Control" else (FRESH,)), (name, first)),
        again(has=((name, first),)),
    )
    base = () if name == "Cache-Control" else (STALE,)
    first_field = (("Cache-Control", "max-age=1"),) if name == "Cache-Control" else ((name, first),)
    may(
        f"fields: {name} is updated in what the caller gets",
        get(*base, TAG, *first_field),
        again(
            "etag",
            TAG,
            FRESH if base else (name, second),
            (name, second) if base else ("A", "1"),
            has=((name, kept),),
        ),
    )
    may(
        f"fields: {name} is updated in the store",
        get(*base, TAG, *first_field),
        get(*((FRESH,) if base else ()), TAG, (name, second), expect="etag"),
        again(has=((name, kept),)),
    )
    if name not in ("Cache-Control", "Expires"):
        case(
            f"fields: {name} is kept when the 304 has none",
            get(*base, TAG, (name, first)),
            again("etag", TAG, FRESH, has=((name, first),)),
        )
case(
    "fields: Content-Length is not updated",
    get(STALE, TAG, ("Content-Length", "10"), body="0123456789"),
    again("etag", TAG, FRESH, ("Content-Length", "3"), text="0123456789", has=(("Content-Length", "10"),)),
)
case("fields: ETag stays", get(STALE, TAG), get(FRESH, expect="etag"), again(has=(("ETag", '"abcdef"'),)))
may(
    "fields: by date too",
    get(STALE, ("Last-Modified", -3000), ("Test-Header", "1")),
    again("date", FRESH, ("Test-Header", "2"), has=(("Test-Header", "2"),)),
)
case("fields: a 304 makes it fresh", get(STALE, TAG), get(FRESH, TAG, expect="etag"), again())
case(
    "fields: what Connection lists is not stored",
    get(FRESH, ("Connection", "a, b"), ("a", "1"), ("b", "2"), ("c", "3")),
    again("cached", lacks=("a", "b"), has=(("c", "3"),)),
)
for name, value in {
    "Keep-Alive": "timeout=5",
    "Proxy-Authenticate": "Basic",
    "Proxy-Authentication-Info": "a",
    "Proxy-Authorization": "Basic x",
    "Proxy-Connection": "close",
    "TE": "trailers",
    "Upgrade": "a",
    "Connection": "close",
}.items():
    case(f"fields: {name} is not stored", get(FRESH, (name, value)), again("cached", lacks=(name,)))
