"""The grammar of a layout, in the form of Kafka's own protocol page, tagged sections always shown."""

from __future__ import annotations

from specs.layout import Layout, LayoutField

_TITLES = {"request": "Request", "response": "Response"}


def snake_case(name: str) -> str:
    """A field's name as Kafka's page prints it: `FetchOffset` is `fetch_offset`, `ISRs` is `isrs`."""
    made: list[str] = []
    after_capital = True
    for character in name:
        capital = character.isupper()
        if capital and not after_capital:
            made.append("_")
        made.append(character.lower())
        after_capital = capital
    return "".join(made)


def bnf(layout: Layout) -> str:
    """The grammar of one version, a rule a line, indented by nesting, with a line break at the end.

    `[x]` is an array of x; TAG_BUFFER is the tagged section, and where tags are defined, a rule for it
    names them. Text of the spec (names) is not escaped. Source: Kafka's Protocol.schemaToBnfHtml.
    """
    lines: list[str] = []
    _rules(f"{_title(layout)} =>", layout.fields, layout.flexible, 1, lines)
    return "\n".join(lines) + "\n"


def _title(layout: Layout) -> str:
    if layout.type == "header":
        return f"{layout.name.removesuffix('Header')} Header v{layout.version}"
    kind = _TITLES.get(layout.type)
    return (
        f"{layout.api} {kind} (Version: {layout.version})"
        if kind
        else f"{layout.name} (Version: {layout.version})"
    )


def _rules(left: str, fields: tuple[LayoutField, ...], flexible: bool, depth: int, lines: list[str]) -> None:
    plain = [field for field in fields if field.tag is None]
    tagged = [field for field in fields if field.tag is not None]
    right = [_reference(field) for field in plain] + (["TAG_BUFFER"] if flexible else [])
    lines.append(" ".join([left, *right]))
    indent = "  " * depth
    for field in plain:
        _rule(field, flexible, depth, lines)
    if tagged:
        named = " ".join(f"{_reference(field)}<tag: {field.tag}>" for field in tagged)
        lines.append(f"{indent}TAG_BUFFER => {named}")
        for field in tagged:
            _rule(field, flexible, depth + 1, lines)


def _rule(field: LayoutField, flexible: bool, depth: int, lines: list[str]) -> None:
    left = f"{'  ' * depth}{snake_case(field.name)} =>"
    if field.fields is None:
        lines.append(f"{left} {field.element or field.type}")
    else:
        _rules(left, field.fields, flexible, depth + 1, lines)


def _reference(field: LayoutField) -> str:
    name = snake_case(field.name)
    return f"[{name}]" if field.element is not None else name
