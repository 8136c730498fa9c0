"""One text of any repository, judged once: its message, the bytes of each version, and its tags."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from wirebook.docgen.catalog.rows import check_names
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reading.discovery import is_spec, is_structs
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.git_objects import GitObject
from wirebook.specs.subjects import part_of, subject_of
from wirebook.specs.wire.layout import Layout, layouts


class VersionBytes(NamedTuple):
    """A version of a message and the fingerprint of its bytes (`Layout.wire_fingerprint`)."""

    version: int
    fingerprint: str


class Tag(NamedTuple):
    """A tagged field: the path of the struct that has the tag, the tag, and what it means there."""

    within: str
    tag: int
    field: str
    type: str


class JudgedText(NamedTuple):
    """What a survey needs of one text.

    `places` are those (`discovery.place_of`) at which it is a spec. A broken spec has only `error`. `subject`
    identifies the API or message in every repository, `part` is which part of it this is.
    """

    object: str
    places: frozenset[int]
    error: str | None = None
    subject: str = ""
    part: str = ""
    message: str = ""
    type: str = ""
    api: str = ""
    api_key: int | None = None
    versions: tuple[VersionBytes, ...] = ()
    tags: tuple[Tag, ...] = ()


def judge_text(blob: GitObject, path: str, places: Collection[int], profile: Profile) -> JudgedText:
    """Judge a text that is at files with these `places`, one of them `path`; a broken one raises nothing."""
    specs = frozenset(place for place in places if is_spec(blob.data, place, whole=blob.is_complete))
    if not specs or is_structs(blob.data):
        return JudgedText(blob.name, frozenset())
    try:
        if not blob.is_complete:
            raise InputError("larger than any spec", path)
        message = read_message(blob.data, path, strict=False, profile=profile)
        laid_out = layouts(message)
        check_names(message)
    except InputError as error:
        return JudgedText(blob.name, specs, str(error))
    return JudgedText(
        blob.name,
        specs,
        None,
        subject_of(message),
        part_of(message),
        message.name,
        message.type,
        message.api,
        message.api_key,
        tuple(VersionBytes(layout.version, layout.wire_fingerprint) for layout in laid_out),
        tuple(dict.fromkeys(_tags(laid_out))),
    )


def _tags(laid_out: list[Layout]) -> Iterator[Tag]:
    for layout in reversed(laid_out):
        for field in layout.walk():
            if field.tag is not None:
                yield Tag(field.path.rpartition(".")[0], field.tag, field.name, field.spec_type)
