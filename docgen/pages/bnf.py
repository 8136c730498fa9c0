"""The grammar of a layout, in the form of Kafka's own protocol page, tagged sections always shown.

That page has field names in snake_case; grammars of other protocols have them as their specs do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirebook.specs.layout import Layout

if TYPE_CHECKING:
    from wirebook.specs.codec import Shape

_TITLES = {"request": "Request", "response": "Response"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the grammar, and the field that it names.

    `field` is the path of the field; with "/" at its end it is the tagged section of that struct
    ("/": of the message), and "" is for words without a field.
    """

    text: str
    field: str = ""


def snake_case(name: str) -> str:
    """A field's name as Kafka's page prints it: `FetchOffset` is `fetch_offset`, `ISRs` is
    `isrs`."""
    pieces: list[str] = []
    after_capital = True
    for character in name:
        capital = character.isupper()
        if capital and not after_capital:
            pieces.append("_")
        pieces.append(character.lower())
        after_capital = capital
    return "".join(pieces)


def spelling(family: str) -> Callable[[str], str]:
    """How the grammars of a protocol write the names of fields."""
    return snake_case if family else str


def bnf(layout: Layout) -> str:
    """The grammar of one version, one rule per line, indented by nesting, with a line break at the
    end.

    `[x]` is an array of x; TAG_BUFFER is the tagged section, and if tags are defined, a rule for it
    names them. Text of the spec (names) is not escaped. Source: Kafka's Protocol.schemaToBnfHtml.
    """
    family = layout.message.profile.family
    title = bnf_title(layout.name, layout.type, layout.api if family else None, layout.version)
    lines = bnf_lines(title, layout.fields, layout.flexible, spelling(family))
    return "".join("".join(token.text for token in line) + "\n" for line in lines)


def bnf_title(name: str, kind: str, api: str | None, version: int) -> str:
    """What precedes the first arrow: "Fetch Request (Version: 12)", or the message's name without
    an API."""
    if kind == "header":
        return f"{name.removesuffix('Header')} Header v{version}"
    title = _TITLES.get(kind)
    return (
        f"{api} {title} (Version: {version})" if title and api else f"{name} (Version: {version})"
    )


def bnf_lines(
    title: str, fields: Sequence[Shape], flexible: bool, spell: Callable[[str], str] = snake_case
) -> Iterator[list[Token]]:
    """The grammar word by word, one list per line; spaces belong to the words that name no
    field."""
    yield from _rules([Token(f"{title} =>")], fields, flexible, 1, "", spell)


def _rules(
    left: list[Token],
    fields: Sequence[Shape],
    flexible: bool,
    depth: int,
    path: str,
    spell: Callable[[str], str],
) -> Iterator[list[Token]]:
    plain = [field for field in fields if field.tag is None]
    tagged = [field for field in fields if field.tag is not None]
    line = left
    for field in plain:
        line += [Token(" "), Token(_reference(field, spell), field.path)]
    if flexible:
        line += [Token(" "), Token("TAG_BUFFER", f"{path}/")]
    yield line
    for field in plain:
        yield from _rule(field, flexible, depth, spell)
    if tagged:
        line = [Token("  " * depth), Token("TAG_BUFFER", f"{path}/"), Token(" =>")]
        for field in tagged:
            line += [Token(" "), Token(f"{_reference(field, spell)}<tag: {field.tag}>", field.path)]
        yield line
        for field in tagged:
            yield from _rule(field, flexible, depth + 1, spell)


def _rule(
    field: Shape, flexible: bool, depth: int, spell: Callable[[str], str]
) -> Iterator[list[Token]]:
    left = [Token("  " * depth), Token(spell(field.name), field.path), Token(" =>")]
    if field.fields is None:
        yield [*left, Token(" "), Token(field.element or field.type, field.path)]
    else:
        yield from _rules(left, field.fields, flexible, depth + 1, field.path, spell)


def _reference(field: Shape, spell: Callable[[str], str]) -> str:
    name = spell(field.name)
    return f"[{name}]" if field.element is not None else name
