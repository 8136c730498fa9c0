"""The documents that an edit changes, made without Spark: what `wirebook serve` shows first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from wirebook.docgen.catalog.api_history import StateText
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.documents import build_document
from wirebook.docgen.catalog.events import entries
from wirebook.docgen.catalog.files import encoded
from wirebook.docgen.catalog.json_records import from_json
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.catalog.rows import TextRow, text_row
from wirebook.docgen.catalog.subject_texts import Text
from wirebook.docgen.pipeline.inputs import Inputs, Usable, gather, judged
from wirebook.docgen.pipeline.run import addresses
from wirebook.specs.kafka.texts import renew_texts

if TYPE_CHECKING:
    from wirebook.docgen.request import BuildRequest
    from wirebook.specs.texts.model import ApiTexts


class EditedDocuments:
    """Compares the input of a request, whose catalog is complete, with what it was at the last call."""

    def __init__(self, request: BuildRequest) -> None:
        self.request = request
        self.inputs = inputs = gather(request, checked=False)
        table = (
            Catalog.open(request.catalog).table("messages").select(["digest", "subject", "api"]).to_pylist()
        )
        self.subjects: dict[str, str | None] = {row["digest"]: row["subject"] for row in table}
        usable = {row["digest"]: Usable(row["subject"], "", row["api"]) for row in table}
        for digest in inputs.source_texts.keys() - usable.keys():
            # A source beside its releases is none of the snapshots if it is what the newest is.
            row = self._row(digest, inputs)
            usable[digest] = Usable(str(row.subject), "", str(row.api))
        self.apis = {each.subject: each.api for each in usable.values()}
        self.slugs = addresses(inputs, usable)
        self.texts: Mapping[str, ApiTexts] = inputs.context().texts

    def changed(self) -> list[ApiDocument]:
        """The documents that changed; those of a new API come with the whole catalog. Raises InputError."""
        renew_texts()
        # The whole catalog, which follows, has the texts checked.
        inputs = gather(self.request, checked=False)
        texts = inputs.context().texts
        before = self.inputs.source_texts.keys()
        edited = before ^ inputs.source_texts.keys()
        subjects = {self._subject(digest, each) for each in (self.inputs, inputs) for digest in edited
                    if digest in each.texts}  # fmt: skip
        described = {name for name, text in texts.items() if self.texts.get(name) != text}
        subjects |= {subject for subject, api in self.apis.items() if api in described}
        self.inputs, self.texts = inputs, texts
        return list(self._documents(inputs, {subject for subject in subjects if subject in self.apis}))

    def _subject(self, digest: str, inputs: Inputs) -> str | None:
        if digest not in self.subjects:
            self.subjects[digest] = self._row(digest, inputs).subject
        return self.subjects[digest]

    def _row(self, digest: str, inputs: Inputs) -> TextRow:
        path, text = inputs.texts[digest]
        return text_row(digest, path, text, inputs.levels, inputs.profile)

    def _documents(self, inputs: Inputs, subjects: Iterable[str | None]) -> Iterator[ApiDocument]:
        context = inputs.context()
        for subject in sorted(filter(None, subjects)):
            rows = {
                digest: row
                for digest in inputs.texts
                if self._subject(digest, inputs) == subject
                and (row := self._row(digest, inputs)).error is None
            }
            files = [file for file in inputs.files if file.digest in rows]
            # Of several texts for one message, the catalog has the one that `judged` keeps.
            in_snapshots = entries(judged(replace(inputs, files=files), rows.values()).files, rows)
            contents = [StateText(each.ordinal, each.digest, each.path, each.state) for each in in_snapshots]
            texts = [Text(digest, row.model or b"", row.states or []) for digest, row in rows.items()]
            document, *_ = build_document(self.slugs[subject], contents, texts, context)
            # As readers of the catalog get it.
            yield from_json(ApiDocument, json.loads(encoded(document)))
