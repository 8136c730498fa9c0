"""Begins a rule: its file, fixtures, test and place in the catalogue. `make new-rule` runs it."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# What is left to write. Tests of the rules fail as long as a rule contains it.
BLANK = "FILL IN"
NAME = re.compile(r"([a-z]+)/([a-z][a-z0-9]*(?:-[a-z0-9]+)+)")
LONGEST = 50  # characters of a name, so that the lines with it are not wrapped
_CATALOGUE = re.compile(r"^RULES: .*? = (?P<value>\{\n.*?^\})$", re.MULTILINE | re.DOTALL)


class UnusableError(Exception):
    """A rule that cannot be begun; the reason in one line."""


class Kind(NamedTuple):
    """What a rule can judge: where it is imported from, its parameter, its subject and the place of that.

    `is_change` is true if it has two sides, an old and a new one.
    """

    module: str
    parameter: str
    subject: str
    at: str
    is_change: bool


_KINDS = "wirebook.rules.pairs.kinds"
# A rule on a Break also needs a place in EXPLAINING, which only its author knows.
KINDS: Mapping[str, Kind] = {
    "FieldPair": Kind(_KINDS, "pair", "{pair.path}", "", True),
    "MessagePair": Kind(_KINDS, "pair", "{pair.new.name}", "", True),
    "OneField": Kind(_KINDS, "item", "{item.path}", 'item.field.written.at("name")', False),
    "OneStruct": Kind(_KINDS, "struct", "{struct.name}", "struct.at", False),
    "Message": Kind("wirebook.specs.model", "message", "{message.name}", 'message.written.at("name")', False),
}
# What most rules of a topic judge.
USUAL = {"validity": "OneField", "tags": "FieldPair", "sets": "Message", "lifecycle": "MessagePair"}

RULE = Template('''\
"""$name: $blank what it reports, in a few words."""

from __future__ import annotations

from collections.abc import Iterator

$imports


@rule(on=$kind, category=Category.$category, source="$blank: a KIP or another document"$since)
def $function($parameter: $kind) -> Iterator[Hit]:
    """$blank: the rule as a sentence.

    ## What it does
    $blank: what is reported.

    ## Why it breaks
    $blank: who fails, and how.

    ## When it is fine
    $blank: what looks alike and is not reported.

    ## Do instead
    $blank: the change that has the intended effect.

    ## Example
    ```diff
$example
    ```
    """
    violated = False  # $blank: the condition
    if violated:
        yield Hit(
            f"$subject $blank: what is wrong, and who fails",
            "$blank: what to do instead",$at
            values=(),  # $blank: what the sentence states beside names and versions
        )
''')

EXAMPLE = """\
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Id", "type": "int32", "versions": "0+" }
    +   { "name": "Id", "type": "int32", "versions": "0+", "about": "$blank: a change that fires" }
      ] }"""

SPEC = Template("""\
{
  "apiKey": 900,
  "type": "request",
  "name": "FooRequest",
  "validVersions": "0-1",
  "flexibleVersions": "1+",
  "fields": [
    { "name": "Id", "type": "int32", "versions": "0+", "about": "$about" }
  ]
}
""")

EXPECTED = Template("""\
$blank: old.json and new.json, then the rule, then run
WIREBOOK_UPDATE=1 .venv/bin/python -m pytest tests/rules/test_fixtures.py -k $name
""")

TEST = Template('''\
"""$name: what it reports about its fixtures."""

from __future__ import annotations

from tests.rules.fixture_pairs import FOLDER, findings

RULE = "$name"


def test_it_fires_where_it_must() -> None:
    reported = [item for item in findings(FOLDER / RULE / "break-example") if item.rule == RULE]
    # $blank: the field concerned, "" for a whole message.
    assert [item.field for item in reported] == ["Id"]


def test_it_does_not_fire_where_nothing_breaks() -> None:
    assert [item for item in findings(FOLDER / RULE / "fine-example") if item.rule == RULE] == []
''')


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Write the files of a rule and print what to do; returns 2 if the name or the kind cannot be used."""
    parser = argparse.ArgumentParser(prog="make new-rule", description=__doc__)
    parser.add_argument("name", metavar="TOPIC/NAME", help="such as tags/tag-swapped")
    parser.add_argument("--on", choices=KINDS, help="what the rule judges; by default, what its topic does")
    options = parser.parse_args(arguments)
    try:
        written = begin(root, options.name, options.on)
    except UnusableError as error:
        print(f"wirebook: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path.relative_to(root).as_posix())
    print(
        f'Replace every "{BLANK}" in these files. CONTRIBUTING.md, "A rule", lists what else a rule may need.'
    )
    return 0


def begin(root: Path, name: str, on: str | None = None) -> list[Path]:
    """Write a rule, its fixtures and its test below `root`; returns the files, the catalogue last.

    `name` is TOPIC/NAME, `on` a key of KINDS. Raises UnusableError, before anything is written, for a name
    that is malformed or taken, and for an unknown topic.
    """
    match = NAME.fullmatch(name)
    if match is None or len(match[2]) > LONGEST:
        raise UnusableError(
            f'"{name}" is not the name of a rule: write NAME=tags/tag-swapped, the topic and then two or '
            f"more words in lower case with dashes, at most {LONGEST} characters"
        )
    topic, rule = match.groups()
    function = rule.replace("-", "_")
    catalogue = root / "rules" / "catalogue.py"
    text = catalogue.read_text(encoding="utf-8")
    rules = listed(text)
    topics = sorted({each for kind in rules.values() for each in kind})
    if topic not in topics:
        raise UnusableError(f"there is no topic {topic} in rules/: choose one of {', '.join(topics)}")
    taken = {each for kind in rules.values() for names in kind.values() for each in names}
    taken |= set(re.findall(r"^def (\w+)\(", (root / "rules" / "meta_rules.py").read_text("utf-8"), re.M))
    if function in taken:
        raise UnusableError(f"there is a rule {rule} already")
    kind = on or USUAL.get(topic, "FieldPair")
    texts = _texts(root, topic, rule, kind)
    for path in texts:
        if path.exists():
            raise UnusableError(f"{path.relative_to(root).as_posix()} exists already")
    texts[catalogue] = with_rule(text, kind, topic, function)
    for path, content in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    return list(texts)


def listed(catalogue: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """The rules in the text of the catalogue: by what they judge, then by topic."""
    match = _CATALOGUE.search(catalogue)
    if match is None:
        raise UnusableError("rules/catalogue.py does not assign RULES")
    rules: dict[str, dict[str, tuple[str, ...]]] = ast.literal_eval(match["value"])
    return rules


def with_rule(catalogue: str, kind: str, topic: str, function: str) -> str:
    """The text of the catalogue with one more rule, in the order of names and formatted as before."""
    rules = listed(catalogue)
    names = {*rules.setdefault(kind, {}).get(topic, ()), function}
    rules[kind] = dict(sorted({**rules[kind], topic: tuple(sorted(names))}.items()))
    return _CATALOGUE.sub(
        lambda match: match[0].replace(match["value"], formatted(rules)), catalogue, count=1
    )


def formatted(rules: Mapping[str, Mapping[str, tuple[str, ...]]]) -> str:
    """The value of RULES as ruff formats it."""
    lines = ["{"]
    for kind, topics in rules.items():
        lines.append(f'    "{kind}": {{')
        for topic, names in topics.items():
            if len(names) == 1:
                lines.append(f'        "{topic}": ("{names[0]}",),')
            else:
                lines += [
                    f'        "{topic}": (',
                    *(f'            "{name}",' for name in names),
                    "        ),",
                ]
        lines.append("    },")
    return "\n".join([*lines, "}"])


def _texts(root: Path, topic: str, rule: str, kind: str) -> dict[Path, str]:
    function = rule.replace("-", "_")
    what = KINDS[kind]
    imports = sorted(
        [
            f"from {what.module} import {kind}",
            "from wirebook.rules.rule import Hit, rule",
            "from wirebook.rules.severity import Category",
        ]
    )
    since = _since(root)
    file = RULE.substitute(
        name=rule,
        blank=BLANK,
        imports="\n".join(imports),
        kind=kind,
        category="WIRE" if what.is_change else "SPEC",
        since="" if since is None else f', since="{since}"',
        function=function,
        parameter=what.parameter,
        example=Template(EXAMPLE).substitute(blank=BLANK),
        subject=what.subject,
        at=f"\n            at={what.at}," if what.at else "",
    )
    fixtures = root / "tests" / "rules" / "fixtures" / rule
    broken = SPEC.substitute(about=f"{BLANK}: edit old.json and new.json so that the rule fires.")
    fine = SPEC.substitute(about="An id.")
    return {
        root / "rules" / topic / f"{function}.py": file,
        fixtures / "break-example" / "old.json": broken,
        fixtures / "break-example" / "new.json": broken,
        fixtures / "break-example" / "expect.txt": EXPECTED.substitute(blank=BLANK, name=rule),
        fixtures / "fine-example" / "old.json": fine,
        fixtures / "fine-example" / "new.json": fine,
        fixtures / "fine-example" / "expect.txt": "",
        root / "tests" / "rules" / f"test_{function}.py": TEST.substitute(name=rule, blank=BLANK),
    }


def _since(root: Path) -> str | None:
    """The version that introduces a new rule; None for the first one, which a declaration leaves out."""
    version = _assigned(root / "wirebook" / "_version.py", "__version__")
    return None if version == _assigned(root / "rules" / "rule.py", "FIRST") else version


def _assigned(path: Path, name: str) -> str:
    match = re.search(rf'^{name} = "(.+?)"', path.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise UnusableError(f"{path.name} does not assign {name}")
    return match[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
