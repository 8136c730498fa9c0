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


def test_a_source_whose_names_are_no_identifiers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "FetchRequest.json").write_text(json.dumps({**request(), "name": "<b>Request"}))
    with pytest.raises(InputError, match=r'the message name "<b>Request" is not a CamelCase identifier'):
        gather(str(tmp_path), None, None)
