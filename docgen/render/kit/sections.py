"""The ids of fields on pages."""

from __future__ import annotations

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.render.kit.links import version_anchor
from wirebook.docgen.render.kit.wording import change_text

__all__ = ["PartIds", "change_text"]


class PartIds:
    """The ids of messages and fields of an API."""

    def __init__(self, document: ApiDocument) -> None:
        self.document = document

    def of(self, version: int, message_type: str, path: str = "") -> str:
        """The id of a field of a version, by its path, or of the message itself."""
        return version_anchor(version, message_type, path)
