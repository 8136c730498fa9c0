"""The grammar of a layout, as on Kafka's own page, but always with tagged sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wirebook.specs.layout import Layout, LayoutField


class Token(NamedTuple):
    """A word of the grammar, and the field that it names. `field` is the path of the field; with
    "/" at its end it is the tagged section of that struct ("/": of the message), and "" is for
    words without a field."""

    text: str
    field: str = ""


def bnf(layout: Layout) -> str:
    """The grammar of one version, one rule per line, indented by nesting, with a line break at the
    end.

    `[x]` is an array of x; TAG_BUFFER is the tagged section, and if tags are defined, a rule for it
    names them. Text of the spec (names) is not escaped. Source: Kafka's Protocol.schemaToBnfHtml.
    """
    return "".join("".join(token.text for token in line) + "\n" for line in bnf_lines(layout))


def bnf_lines(layout: Layout) -> Iterator[list[Token]]:
    """The grammar word by word, a list per line; spaces belong to the words without a field."""
    title = Token(f"{layout.name} (Version: {layout.version}) =>")
    return _rules([title], layout.fields, layout.flexible, 1, "")


def _rules(
    left: list[Token], fields: Sequence[LayoutField], flexible: bool, depth: int, path: str
) -> Iterator[list[Token]]:
    plain = [field for field in fields if field.tag is None]
    tagged = [field for field in fields if field.tag is not None]
    buffer = Token("TAG_BUFFER", f"{path}/")
    line = [*left, *_references(plain)]
    yield [*line, Token(" "), buffer] if flexible else line
    for field in plain:
        yield from _rule(field, flexible, depth)
    if tagged:
        yield [Token("  " * depth), buffer, Token(" =>"), *_references(tagged)]
        for field in tagged:
            yield from _rule(field, flexible, depth + 1)


def _rule(field: LayoutField, flexible: bool, depth: int) -> Iterator[list[Token]]:
    left = [Token("  " * depth), Token(field.name, field.path), Token(" =>")]
    if field.fields is None:
        yield [*left, Token(" "), Token(field.element or field.type, field.path)]
    else:
        yield from _rules(left, field.fields, flexible, depth + 1, field.path)


def _references(fields: Iterable[LayoutField]) -> Iterator[Token]:
    """The names of fields on the right of a rule."""
    for field in fields:
        name = f"[{field.name}]" if field.element else field.name
        yield Token(" ")
        yield Token(name if field.tag is None else f"{name}<tag: {field.tag}>", field.path)
