"""A report with a finding of every kind, made by hand, and hostile texts, for the tests of the
formats."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from wirebook.rules.catalogue import find
from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.proof import Proof
from wirebook.rules.result import CheckResult
from wirebook.specs.jsontext import SourcePositions
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import VersionSet

OLD = """{
  "apiKey": 1, "type": "request", "name": "FooRequest",
  "validVersions": "0-2", "flexibleVersions": "2+",
  "fields": [
    { "name": "Topics", "type": "[]Topic", "versions": "0+", "fields": [
      { "name": "Rack", "type": "string", "versions": "2+", "taggedVersions": "2+", "tag": 0 },
\t\t{ "name": "Größe 東京", "type": "int32", "versions": "0+", "default": "-1" }
    ]}
  ]
}
"""
NEW = OLD.replace('"Rack", "type": "string"', '"Weight", "type": "int64"').replace('"-1"', '"0"')
GONE = (
    '{ "apiKey": 2, "type": "request", "name": "BarRequest", "validVersions": "0", "fields": [] }\n'
)
PATH, GONE_PATH = "specs/FooRequest.json", "specs/BarRequest.json"


def at(text: str, what: str, path: str = PATH) -> Place:
    """The place of the first `what` in a text."""
    return SourcePositions(text, path).place(text.index(what))


def some_finding(**changed: Any) -> Finding:
    """A finding as rules make them, with some of its attributes changed."""
    made = Finding(
        rule="tag-reused",
        severity=Severity.ERROR,
        category=Category.WIRE,
        message="Topics.Weight takes tag 0",
        fix="take another",
        message_name="FooRequest",
        message_type="request",
        field="Topics.Weight",
        versions=VersionSet.parse("2-4, 6"),
        location=Place("specs/FooRequest.json", 6, 5),
    )
    return made._replace(**changed)


FINDINGS = (
    Finding(
        rule="tag-gap",
        severity=Severity.WARNING,
        category=Category.SPEC,
        message="Topics has no tag 3 | nobody knows why",
        fix="take tag 3",
        message_name="FooRequest",
        message_type="request",
        api_key=1,
        field="Topics",
        location=at(NEW, '"[]Topic"'),
    ),
    Finding(
        rule="tag-reused",
        severity=Severity.ERROR,
        category=Category.WIRE,
        message="Topics.Weight takes tag 0, which belongs to Rack (string): a reader that knows tag 0 as "
        "Rack misreads Weight (int64)",
        fix="give Weight the next free tag, and keep Rack as it is",
        message_name="FooRequest",
        message_type="request",
        api_key=1,
        field="Topics.Weight",
        versions=VersionSet.parse("2"),
        released_in="3.7.0",
        location=at(NEW, "0 },"),
        previous=at(OLD, "0 },"),
        proof=Proof(
            version=2,
            writer="a peer of 3.7.0",
            reader="a peer with the new spec",
            message={"Topics": [{"Größe 東京": -1, "Rack": "a"}]},
            bytes=bytes.fromhex("02ffffffff010002026100"),
            error="byte 8: Topics[0].Weight: 8 bytes should be here, but 3 are left",
        ),
    ),
    Finding(
        rule="default-changed",
        severity=Severity.ERROR,
        category=Category.WIRE,
        message="the default of Topics.Größe 東京 is 0 instead of -1",
        fix="go back to -1",
        message_name="FooRequest",
        message_type="request",
        api_key=1,
        field="Topics.Größe 東京",
        versions=VersionSet.parse("0-2"),
        location=at(NEW, '"0" }'),
        previous=at(OLD, '"-1" }'),
        waived="nobody reads it (Ada Lovelace, until 2030-12-31)",
    ),
    Finding(
        rule="message-deleted",
        severity=Severity.ERROR,
        category=Category.POLICY,
        message="BarRequest is gone: its peers are cut off",
        fix="keep the file and end its versions",
        message_name="BarRequest",
        message_type="request",
        api_key=2,
        versions=VersionSet.parse("0"),
        previous=at(GONE, '"BarRequest"', GONE_PATH),
    ),
    Finding(
        rule="api-key-hole",
        severity=Severity.INFO,
        category=Category.SET,
        message="no message has the API key 0",
        fix="",
        message_name="",
        message_type="",
    ),
)
REPORT = CheckResult(
    findings=FINDINGS,
    compared="the index against HEAD (3f2a1c9)",
    tool_version="1.2.3",
    messages_checked=2,
    new_texts={PATH: NEW},
    old_texts={PATH: OLD, GONE_PATH: GONE},
    notices=("no baselines: every version of the old side counts as released",),
    command="wirebook check --staged",
)
CLEAN = CheckResult((), "the working tree against main (3f2a1c9)", "1.2.3", 281)
UNREADABLE = InputError("this is no JSON", "old/Foo.json", Position(1, 1))
HALF = CheckResult((), "old against new", "1.2.3", 1, unchecked=(UNREADABLE,))


RULES = (*filter(None, map(find, ("tag-reused", "tag-gap"))),)

FRAGMENTS = (
    "\n",
    "\r\n",
    "\n::error::pwned",
    "::error file=a::b",
    "##[add-mask]x",
    "\x1b[2J\x1b]0;title\x07",
    "\u202e",
    "]]>",
    "</script><script>",
    "<!--",
    "&amp;",
    "`",
    "```",
    "|",
    "@everyone",
    "#1",
    "https://example.com",
    "www.example.com",
    "GH-1",
    "![x](http://e.com)",
    "[a](1)",
    "{0}",
    "\\",
    '"',
    "'",
    "%0A",
    ",",
    ":",
    "\u2028",
    "\x85",
    "\ufffe",
    "\udfff",
    "\udc80",
    "\U0001f600",
    "n" * 5000,
    "東京",
    "e\u0301",
    "\t",
    "/",
    "C:\\x",
)
HOSTILE = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=6).map(
    "".join
)
_LINE, _COLUMN = st.integers(1, 9), st.integers(1, 9000)
_STARTS = (HOSTILE.map("{}.json".format), _LINE, _COLUMN)
PLACES = st.one_of(
    st.none(),
    st.builds(Place, *_STARTS, st.none()),
    st.builds(Place, *_STARTS, _COLUMN),
)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.just(-0.0), HOSTILE),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(HOSTILE, inner, max_size=2)
    ),
    max_leaves=4,
)
PROOFS = st.builds(
    Proof,
    version=st.integers(0, 9),
    writer=HOSTILE.filter(bool),
    reader=HOSTILE.filter(bool),
    message=st.dictionaries(HOSTILE, JSON, max_size=2),
    bytes=st.binary(max_size=30),
    error=HOSTILE,
    path=HOSTILE,
    written=JSON,
    read=JSON,
)


def _finding(**values: Any) -> Finding:
    """A finding with the values that a report has; hypothesis infers no others, as it would for
    Finding."""
    return Finding(**values)


@st.composite
def reports(draw: st.DrawFn) -> CheckResult:
    """A report in which everything that may come from a spec, a file name or a ref is hostile."""
    findings = draw(
        st.lists(
            st.builds(
                _finding,
                rule=st.sampled_from(["tag-reused", "retired-rule"]),
                severity=st.sampled_from(Severity),
                category=st.sampled_from(Category),
                message=HOSTILE.filter(bool),
                fix=HOSTILE,
                message_name=HOSTILE,
                message_type=HOSTILE,
                api_key=st.one_of(st.none(), st.integers(0, 9)),
                field=HOSTILE,
                versions=st.sets(st.integers(0, 8)).map(VersionSet.of),
                released_in=st.one_of(st.none(), HOSTILE),
                location=PLACES,
                previous=PLACES,
                discriminator=HOSTILE,
                waived=st.one_of(st.none(), HOSTILE),
                proof=st.one_of(st.none(), PROOFS),
                releases=st.lists(HOSTILE, max_size=2).map(tuple),
            ),
            max_size=4,
        )
    )
    texts = {
        place.path: draw(HOSTILE)
        for item in findings
        for place in (item.location, item.previous)
        if place
    }
    return CheckResult(
        tuple(findings),
        draw(HOSTILE),
        draw(st.sampled_from(["1.2.3"])),
        draw(st.integers(0, 300)),
        texts,
        texts,
        tuple(draw(st.lists(HOSTILE, max_size=2))),
        tuple(map(InputError, draw(st.lists(HOSTILE, max_size=2, unique=True)))),
        f"wirebook check {draw(HOSTILE)}",
    )
