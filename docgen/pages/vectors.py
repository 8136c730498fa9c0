"""The examples of an API as test vectors for authors of clients: values and bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.examples import cases, header
from wirebook.docgen.pages.headers import ProtocolHeaders
from wirebook.specs.layout import Layout
from wirebook.specs.spans import WireError

SCHEMA = "wirebook/vectors/1"


def vectors_text(document: ApiDocument, headers: ProtocolHeaders) -> str:
    """The vectors of an API as JSON, one per line."""
    # The numbers of records are no API keys.
    key = document.api_key if document.is_api else None
    head = {"schema": SCHEMA} | {"api": document.api, "slug": document.slug, "api_key": key}
    lines = ",\n".join(json.dumps(vector) for vector in vectors(document, headers))
    return json.dumps(head)[:-1] + f', "vectors": [\n{lines}\n]}}\n'


def vectors(document: ApiDocument, headers: ProtocolHeaders) -> Iterator[dict[str, Any]]:
    """Every example of every version, newest version first."""
    for message in document.messages:
        for number in sorted(message.versions, reverse=True):
            with suppress(WireError):
                yield from _of(message.versions[number].layout, headers)


def _of(layout: Layout, headers: ProtocolHeaders) -> Iterator[dict[str, Any]]:
    for case in list(cases(layout)):
        head = header(layout, case.name, headers)
        yield {
            "id": f"{layout.name}/{layout.version}/{case.name}",
            "message": layout.name,
            "type": layout.type,
            "version": layout.version,
            "flexible": layout.flexible,
            "case": case.name,
            "value": case.value,
            "body": case.body.hex(),
            "header_version": head and layout.header_version,
            "header_value": head and head.value,
            "header": head and head.body.hex(),
        }
