"""What a private cache must do, or had better do: sequences of requests to one server, as tables.

A case is a name, whether it is required, and its visits. A visit is one request, what the server would say to it,
and what must come of it:

    expect     "cached": the server is not asked; "asked": its answer is the caller's; "etag", "date": it is asked by
               its validator, and says 304; "any"
    wait       three seconds pass before the next visit
    method     GET, unless said
    path       another resource of the same server
    mode       Fetch's cache mode
    req        the request's fields
    answer     the answer's fields; of fields that hold a date, a number is the seconds from now to it
    status, body, delay (seconds before the answer), interim (a 1xx before it),
    cut (bytes after which the body breaks off)
    drop       the server closes the connection without an answer
    sees       fields that must reach the server
    unseen     fields that must not
    asks       the server must be asked, whoever's the answer is
    gives      the status that the caller must get
    has        fields that it must get; ("Age", ">2") is more than
    lacks      fields that it must not get
    text       the body that it must get
    interims   the 1xx that it must get

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


def req(*fields):
    """A visit's request fields."""
    return {"req": tuple(fields)}


def vary(*names):
    """Fields of an answer, one line for each."""
    return tuple(("Vary", name) for name in names)
