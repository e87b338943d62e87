"""Which of several answers is meant."""

from .table import *

# Vary (RFC 9111 §4.1)

FOO1, FOO2, BAR1, BAR2, BAZ1, BAZ2 = (
    ("Foo", "1"),
    ("Foo", "2"),
    ("Bar", "abc"),
    ("Bar", "abcde"),
    ("Baz", "789"),
    ("Baz", "7890"),
)
may("vary: the same", get(FRESH, *vary("Foo"), **req(FOO1)), again(**req(FOO1)))
case("vary: another", get(FRESH, *vary("Foo"), **req(FOO1)), again("asked", **req(FOO2)))
case("vary: the request has none", get(FRESH, *vary("Foo"), **req(FOO1)), again("asked"))
case("vary: the stored one had none", get(FRESH, *vary("Foo")), again("asked", **req(FOO1)))
may("vary: neither has one", get(FRESH, *vary("Foo")), again())
may(
    "vary: several variants",
    get(FRESH, *vary("Foo"), body="one", **req(FOO1)),
    get(FRESH, *vary("Foo"), body="two", **req(FOO2)),
    again(text="one", **req(FOO1)),
)
may(
    "vary: other fields do not count",
    get(FRESH, *vary("Foo"), **req(FOO1, ("Other", "2"))),
    again(**req(FOO1, ("Other", "3"))),
)
may("vary: two", get(FRESH, *vary("Foo, Bar"), **req(FOO1, BAR1)), again(**req(FOO1, BAR1)))
case("vary: two, one differs", get(FRESH, *vary("Foo, Bar"), **req(FOO1, BAR1)), again("asked", **req(FOO2, BAR1)))
case("vary: two, one is missing", get(FRESH, *vary("Foo, Bar"), **req(FOO1)), again("asked", **req(FOO1, BAR1)))
may("vary: two, one is missing in both", get(FRESH, *vary("Foo, Bar"), **req(FOO1)), again(**req(FOO1)))
may("vary: three", get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)), again(**req(FOO1, BAR1, BAZ1)))
may(
    "vary: three, in another order",
    get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)),
    again(**req(BAZ1, FOO1, BAR1)),
)
case(
    "vary: three, the last differs",
    get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)),
    again("asked", **req(FOO1, BAR1, BAZ2)),
)
case(
    "vary: three, the last is missing",
    get(FRESH, *vary("Foo, Bar, Baz"), **req(FOO1, BAR1, BAZ1)),
    again("asked", **req(FOO1, BAR1)),
)
case(
    "vary: three on three lines",
    get(FRESH, *vary("Foo", "Bar", "Baz"), **req(FOO1, BAR1, BAZ1)),
    again("asked", **req(FOO1, BAR2, BAZ1)),
)
case("vary: any case", get(FRESH, *vary("foo"), **req(FOO1)), again("asked", **req(FOO2)))
may(
    "vary: lines are one list",
    get(FRESH, *vary("Foo"), **req(("Foo", "1"), ("Foo", "2"))),
    again(**req(("Foo", "1, 2"))),
)
may("vary: blanks in lists", get(FRESH, *vary("Foo"), **req(("Foo", "1,2"))), again(**req(("Foo", "1, 2"))))
LANG = "Accept-Language"
may("vary: languages in any case", get(FRESH, *vary(LANG), **req((LANG, "en, de"))), again(**req((LANG, "eN, De"))))
may("vary: languages in any order", get(FRESH, *vary(LANG), **req((LANG, "en, de"))), again(**req((LANG, "de, en"))))
may(
    "vary: languages and blanks",
    get(FRESH, *vary(LANG), **req((LANG, "en, de"))),
    again(**req((LANG, "  en  ,    de"))),
)
may(
    "vary: the language that was chosen",
    get(FRESH, *vary(LANG), ("Content-Language", "de"), **req((LANG, "en, de"))),
    again(**req((LANG, "fr;q=0.5, de;q=1.0"))),
)
for name, values in {
    "*": ("*",),
    "*, *": ("*, *",),
    "* twice": ("*", "*"),
    ", *": (", *",),
    "'' and *": ("", "*"),
    "*, Foo": ("*, Foo",),
    "Foo, *": ("Foo, *",),
}.items():
    case(f"vary: {name}", get(FRESH, *vary(*values)), again("asked"))
