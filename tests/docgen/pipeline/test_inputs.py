"""What goes into the pipeline: which snapshots a source is documented by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import request, response
from wirebook.docgen.pipeline.inputs import gather
from wirebook.specs.problems import InputError

LEVELS = [{"id": 0, "version": "0.8.0", "release": "0.8.0", "about": "The first."}]
HISTORY = [{"version": number, "added": "0.8.0", "about": "It is there."} for number in range(3)]


@pytest.mark.parametrize(
    ("with_history", "kind"),
    [((), "source"), (("request",), "api_version"), (("request", "response"), "api_version")],
)
def test_one_history_suffices_for_a_reference_by_api_version(
    tmp_path: Path, with_history: tuple[str, ...], kind: str
) -> None:
    (tmp_path / "api_versions.json").write_text(json.dumps(LEVELS))
    for spec in (request(), response()):
        told = {"history": HISTORY} if spec["type"] in with_history else {}
        (tmp_path / f"{spec['name']}.json").write_text(json.dumps({**spec, **told}))
    inputs = gather(str(tmp_path), None, None)
    assert {snapshot.kind for snapshot in inputs.snapshots} == {kind}
    assert (inputs.registry is not None) == (inputs.levels is not None) == bool(with_history)


def test_a_name_that_is_too_long_for_a_file_is_refused(tmp_path: Path) -> None:
    """The limit of file systems is 255 bytes; each hump adds a hyphen to the address."""
    longest = "Ab" * 80 + "a"
    for name, accepted in ((longest, True), (f"{longest}a", False)):
        path = tmp_path / f"{name[-4:]}Request.json"
        path.write_text(json.dumps({**request(), "name": f"{name}Request"}))
        if accepted:
            gather(str(path), None, None)
            continue
        line = rf"^{path.name}:1:\d+: the name is too long: it makes an address of 241 bytes, .* 240$"
        with pytest.raises(InputError, match=line):
            gather(str(path), None, None)


def test_a_source_whose_names_are_no_identifiers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "FetchRequest.json").write_text(json.dumps({**request(), "name": "<b>Request"}))
    with pytest.raises(InputError, match=r'the message name "<b>Request" is not a CamelCase identifier'):
        gather(str(tmp_path), None, None)
