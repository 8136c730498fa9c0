"""What counts as a spec: by its content, and where that is broken, by where it lies and how it is
called."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from wirebook.specs.discovery import candidate, is_spec
from wirebook.specs.problems import InputError
from wirebook.specs.trees import of_folder

SPEC = (
    b'{"name": "FooRequest", "type": "request", "apiKey": 1, "validVersions": "0", "fields": []}\n'
)


@pytest.mark.parametrize(
    "text",
    [
        SPEC,
        b"\xef\xbb\xbf" + SPEC,
        *(
            SPEC.decode().encode(encoding)
            for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-32-be")
        ),
        b'// Words { "of" [ a licence.\n/* and\n "more */\n' + SPEC,
        b'{"validVersions": "none"}',
        b'{"name": "X", "type": "data", "fields": []}',
        b'{"type": "header", "name": "X", "flexibleVersions": "none"}',
        b'{"about": "a \\" quote and a { brace", "validVersions": "0"}',
        b'{"fields": [{"versions": "0", "name": "type"}], "validVersions": "0", "name": "X"',
        SPEC + b"trailing words",
        b'<<<<<<< HEAD\n{"validVersions": "0",\n=======\n{"validVersions": "0-1",\n',
        b'{"name": "X, "validVersions": "0"}',
        b'{"name": "X", "fields": [{"versions": "0"}, "validVersions": "0"}',
        b'{"name": "X", "validVersions" "0"}',
        b'{"fields": [{"name": "Y" 1}], validVersions: "0", "x": "validVersions"}',
        b'{"name": "X", "type": "request", "fields": [',
        b'{"name": "X" "type": "request", "validVersions"}',
        b'{"apiKey": 7, "type": "request", "name": "FooRequest", "valid',
        b'{"type": "data", "name": "Foo",',
        b"{'validVersions': \"validVersions\"",
    ],
)
def test_a_spec_counts_wherever_it_lies_even_when_broken(text: bytes) -> None:
    assert is_spec(text, "x.json")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"words",
        b'{"name": "X", "type": "module", "fields": []}',
        b'{"name": "X", "type": "request"}',
        b'{"apiKey": "a secret", "type": "data"}',
        b'{"$schema": "x", "properties": {"validVersions": {"type": "string"}}}',
        b'{"schema": "wirebook/layout/1", "spec": {"validVersions": "0", "type": "request"}}',
        b'[{"validVersions": "0"}]',
        b'{"about": "\\"validVersions\\": 1"}',
    ],
)
def test_other_json_does_not(text: bytes) -> None:
    assert not is_spec(text, "x.json")


def test_paths_that_never_hold_specs() -> None:
    for path in ("a/b.json", "test.json", "a b/é.json", "latest/x.json", "a/.b.json"):
        assert candidate(path)
    for path in (
        "src/test/a.json",
        "tests/a.json",
        "examples/a.json",
        ".a/b.json",
        "node_modules/a.json",
        "venv/lib/a.json",
        "lib/site-packages/kafka/a.json",
        "a/build/b.json",
        "bin/a.json",
        "a.JSON",
        "a",
    ):
        assert not candidate(path)


def test_a_file_that_may_not_be_looked_at_is_an_error_only_if_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder that may be listed but not searched, which settings may exclude."""

    def refused(place: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(place))

    (tmp_path / "FooRequest.json").write_bytes(SPEC)
    monkeypatch.setattr(Path, "is_symlink", refused)
    tree = of_folder(tmp_path)
    with pytest.raises(InputError) as raised:
        tree.text("FooRequest.json")
    assert str(raised.value) == "FooRequest.json: Permission denied"
