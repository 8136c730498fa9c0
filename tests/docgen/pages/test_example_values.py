"""The values of examples, in a golden file.

`WIREBOOK_UPDATE=1` writes the golden files anew; the diff is then what to review.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.docgen.pages.agreement import agree
from tests.docgen.pages.byte_pages import embedded
from wirebook.docgen.pages.examples import cases, header
from wirebook.docgen.pages.headers import embedded_headers
from wirebook.specs.layout import layouts
from wirebook.specs.model import Json


def leaves(value: Json, name: str) -> Iterator[str]:
    """A line for each value within a value: the name of its field, and that of the struct around
    it."""
    if isinstance(value, dict):
        for inner, each in value.items():
            yield from leaves(each, f"{name.rpartition('.')[2]}.{inner}")
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        assert len(value) == 1
        yield from leaves(value[0], name)
    else:
        yield f"{name} {json.dumps(value)}"


def test_the_values_of_examples_are_what_they_were() -> None:
    filled: set[str] = set()
    headers: set[str] = set()
    for message in embedded():
        for of in layouts(message):
            exported = of
            for name in ("empty", "filled"):
                if (head := header(exported, name, embedded_headers())) is not None:
                    version = head.value.get("RequestApiVersion", of.version)
                    assert head.value.get("RequestApiKey", of.api_key) == of.api_key
                    assert version == of.version
                    left = {
                        key: value for key, value in head.value.items() if "RequestApi" not in key
                    }
                    headers.add(f"{of.type} {name} {of.header_version} {json.dumps(left)}")
            # An empty one has the defaults of the specs.
            for case in cases(exported):
                filled.update(leaves(case.value if case.name != "empty" else {}, ""))
    agree("example_values.txt", "\n".join([*sorted(headers), "", *sorted(filled)]) + "\n")
