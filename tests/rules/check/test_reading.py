"""Whether there is any spec among many files."""

from __future__ import annotations

import pytest

from wirebook.rules.check.reading import some_spec
from wirebook.specs.problems import InputError
from wirebook.specs.sources.filesets import FileSet, FileTexts

SPEC = b'{"type": "data", "name": "A", "validVersions": "0", "fields": []}'
PATHS = [f"{number:03}.json" for number in range(120)]


def among(text: bytes | InputError, *places: int) -> tuple[bool, int]:
    """Whether there is a spec if the files at some places have this text, and how many were read."""
    reads: list[str] = []

    def read(paths: object) -> FileTexts:
        assert isinstance(paths, list)
        reads.extend(paths)
        return {path: text if int(path[:3]) in places else b"[]" for path in paths}

    return some_spec(FileSet(dict.fromkeys(PATHS, ""), read)), len(reads)


@pytest.mark.parametrize("place", [0, 48, 49, 50, 51, 98, 99, 100, 101, 119])
def test_the_only_spec_is_noticed_at_every_place(place: int) -> None:
    found, read = among(SPEC, place)
    assert found
    # The files after it are not all read.
    assert read == min(len(PATHS), (place // 50 + 1) * 50)


def test_files_that_are_no_specs_are_each_read_once() -> None:
    assert among(SPEC) == (False, len(PATHS))


def test_a_file_that_cannot_be_read_counts_as_a_spec() -> None:
    assert among(InputError("too large"), 7) == (True, 50)


def test_a_file_whose_path_has_signs_of_a_spec_is_read_first() -> None:
    reads: list[list[str]] = []

    def read(paths: object) -> FileTexts:
        assert isinstance(paths, list)
        reads.append(paths)
        return dict.fromkeys(paths, SPEC)

    last = "src/main/resources/common/message/ZooRequest.json"
    assert some_spec(FileSet(dict.fromkeys([*PATHS, last], ""), read))
    assert [paths[0] for paths in reads] == [last]
