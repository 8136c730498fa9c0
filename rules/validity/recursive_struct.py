"""A struct does not contain itself.

## What it does
Reports a field whose struct contains, at any depth, the struct that the field is in.

## Why it breaks
A struct that contains itself never ends. An array of itself could end, but generated schemas would
refer to themselves before they exist, and a message could nest to any depth.

## When it is fine
Never.

## Do instead
Put the nodes into one array, each with the index of its parent.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Nodes", "type": "[]Node", "versions": "0+", "fields": [
-     { "name": "Children", "type": "[]int32", "versions": "0+" }
+     { "name": "Children", "type": "[]Node", "versions": "0+" }
    ] }
  ] }
```
"""

from wirebook.rules.parts import walk_fields
from wirebook.rules.rule import Category, Hits, rule
from wirebook.specs.model import PRIMITIVES, Message


@rule(Category.SPEC, "message format")
def recursive_struct(message: Message) -> Hits:
    common = {struct.name for struct in message.common_structs}
    holds: dict[str, set[str]] = {}
    inside = [member for member in walk_fields(message) if member.within]
    for member in inside:
        holds.setdefault(member.within[0], set()).add(member.field.element)
    reported: set[str] = set()
    for member in inside:
        name = member.field.element
        if name in PRIMITIVES or (member.field.fields and name not in common):
            continue
        reached = _reached(name, holds) & common | {name}
        around = next((other for other in member.within if other in reached), None)
        if around is None or around in reported:
            continue
        reported |= {other for other in reached if around in _reached(other, holds)}
        reported |= {around, name}
        yield member.hit(
            f"{member.path} puts the struct {name} into {around}, so that it contains itself",
            "put the structs into one array, each with the index of its parent",
            "type",
        )


def _reached(name: str, holds: dict[str, set[str]]) -> set[str]:
    """The structs that a struct contains, at any depth."""
    structs: set[str] = set()
    waiting = [name]
    while waiting:
        for inner in holds.get(waiting.pop(), set()) - structs:
            structs.add(inner)
            waiting.append(inner)
    return structs
