"""Random mistakes in the texts of specs: wrong values, keys and fields, and JSON that does not parse."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

Mistake = Callable[[str, Random], str]

_VALUE = r'"(?:[^"\\\r\n]|\\.)*"|[\w.+-]+'
_MEMBER = re.compile(rf'"(\w+)"(\s*:\s*)({_VALUE})')
_FLAT_OBJECT = re.compile(r"\{[^{}]*\}")
_RANGES = ("0+", "1+", "2+", "3+", "0", "1", "0-1", "0-2", "1-2", "0-3", "2-4", "none", "5+", "3-1", "x", "")
_VALUES: dict[str, Sequence[object]] = {
    "tag": (0, 0, 1, 1, 2, 3, 7, -1, "0"),
    "taggedVersions": ("0+", "1+", "2+", "0-2", "none", *_RANGES),
    "versions": _RANGES,
    "nullableVersions": _RANGES,
    "flexibleVersions": ("none", "0+", "1+", "2+", "3+", *_RANGES),
    "validVersions": ("0-1", "0-2", "0-3", "0-4", "1-3", "0-5", "1-5", *_RANGES),
    "deprecatedVersions": _RANGES,
    "type": (
        "int8",
        "int16",
        "int32",
        "int64",
        "string",
        "bytes",
        "[]int32",
        "bool",
        "records",
        "uuid",
        "Unheard",
    ),
    "default": ("0", "7", "null", "true", "word", 3),
    "apiKey": (3, 7, 8),
    "latestVersionUnstable": (True, False),
    "ignorable": (True, False),
    "mapKey": (True,),
    "version": (0, 1, 2, 3, 9),
}


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _members(text: str, *keys: str) -> list[re.Match[str]]:
    return [found for found in _MEMBER.finditer(text) if not keys or found[1] in keys]


def _cut(text: str, start: int, end: int, instead: str = "") -> str:
    return text[:start] + instead + text[end:]


def _valued(text: str, random: Random, *keys: str) -> str:
    members = _members(text, *(keys or _VALUES))
    if not members:
        return text
    # Each key is as likely as another, however often it stands there.
    key = random.choice(sorted({found[1] for found in members}))
    member = random.choice([found for found in members if found[1] == key])
    return _cut(text, *member.span(3), _written(random.choice(_VALUES[key])))


def another_value(text: str, random: Random) -> str:
    return _valued(text, random)


def another_tag(text: str, random: Random) -> str:
    return _valued(text, random, "tag")


def other_tagged_versions(text: str, random: Random) -> str:
    """The versions of a tagged field, often both keys alike."""
    members = _members(text, "taggedVersions")
    if not members:
        return text
    member = random.choice(members)
    value = random.choice(("0+", "0+", "1+", "2+"))
    start, end = text.rfind("{", 0, member.start()), text.find("}", member.end())
    field = text[start:end]
    for key in ("versions", "taggedVersions")[random.choice((0, 0, 0, 1)) :]:
        field = re.sub(rf'("{key}"\s*:\s*)"[^"]*"', rf'\g<1>"{value}"', field)
    return _cut(text, start, end, field)


def other_valid_versions(text: str, random: Random) -> str:
    """One version more, or one less, at one end."""
    members = _members(text, "validVersions")
    if not members:
        return text
    low, _, high = members[0][3].strip('"').partition("-")
    if not (low.isdigit() and (high or low).isdigit()):
        return text
    bounds = [int(low), int(high or low)]
    bounds[random.choice((0, 1, 1, 1))] += random.choice((-1, 1, 1, 2))
    return _cut(text, *members[0].span(3), f'"{bounds[0]}-{bounds[1]}"')


def other_flexible_versions(text: str, random: Random) -> str:
    return _valued(text, random, "flexibleVersions")


def another_name(text: str, random: Random) -> str:
    names = _members(text, "name")
    member, other = random.choice(names or [None]), random.choice(names or [None])
    if member is None or other is None:
        return text
    return _cut(text, *member.span(3), random.choice((other[3], '"Another"', '"Odd name"')))


def member_removed(text: str, random: Random) -> str:
    members = _members(text)
    if not members:
        return text
    member = random.choice(members)
    rest = re.compile(r"\s*,\s*").match(text, member.end())
    return _cut(text, member.start(), rest.end() if rest else member.end())


def member_twice(text: str, random: Random) -> str:
    members = _members(text)
    if not members:
        return text
    member = random.choice(members)
    value = random.choice(_VALUES.get(member[1], ("x",)))
    again = member[0] if random.randrange(3) == 0 else f'"{member[1]}": {_written(value)}'
    return _cut(text, member.start(), member.start(), f"{again}, ")


def unknown_key(text: str, random: Random) -> str:
    members = _members(text)
    if not members:
        return text
    place = random.choice(members).start()
    return _cut(text, place, place, random.choice(('"tags": 0, ', '"Versions": "0+", ', '"x-note": "a", ')))


def field_again(text: str, random: Random) -> str:
    """A field twice, often under another name, as after a copy that nobody completed."""
    fields = [found for found in _FLAT_OBJECT.finditer(text) if '"type"' in found[0]]
    if not fields:
        return text
    field = random.choice(fields)
    copy = field[0]
    if random.randrange(4):
        copy = re.sub(r'("name"\s*:\s*)"[^"]*"', rf'\g<1>"Copied{random.randrange(100)}"', copy, count=1)
    # A comment in the copy would be there twice.
    copy = re.sub(r"//[^\r\n]*|/\*.*?\*/", "", copy)
    return _cut(text, field.start(), field.start(), f"{copy}, ")


def field_gone(text: str, random: Random) -> str:
    fields = [found for found in _FLAT_OBJECT.finditer(text) if '"type"' in found[0]]
    if not fields:
        return text
    field = random.choice(fields)
    rest = re.compile(r"\s*,\s*").match(text, field.end())
    return _cut(text, field.start(), rest.end() if rest else field.end())


def character_gone(text: str, random: Random) -> str:
    """A comma, quote or bracket is missing."""
    places = [found.start() for found in re.finditer(r'[,:"{}\[\]]', text)]
    place = random.choice(places)
    return _cut(text, place, place + 1)


def text_cut(text: str, random: Random) -> str:
    return text[: random.randrange(len(text))]


def stray(text: str, random: Random) -> str:
    """Something that no JSON has there."""
    place = random.randrange(len(text) + 1)
    thing = random.choice((",", "}", "x", '"', "\x00", "/", "<<<<<<< HEAD\n", "\u00e9", "\u2028"))
    return _cut(text, place, place, thing)


# How often each is made.
MISTAKES: dict[Mistake, int] = {
    another_value: 4,
    another_tag: 5,
    other_tagged_versions: 5,
    other_valid_versions: 6,
    other_flexible_versions: 3,
    another_name: 2,
    member_removed: 2,
    member_twice: 2,
    unknown_key: 1,
    field_again: 5,
    field_gone: 1,
    character_gone: 1,
    text_cut: 1,
    stray: 1,
}


def mistaken(text: str, random: Random) -> str:
    """The text with one mistake."""
    if not text:
        return text
    return random.choices(list(MISTAKES), list(MISTAKES.values()))[0](text, random)
