"""The judgements of an audit, made in a batch and each by itself; without Spark."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.prove.edits import edited
from tests.prove.protocols import Builder
from tests.repositories import started
from wirebook.docgen.pipeline.audit import batches
from wirebook.docgen.pipeline.commits import read_history
from wirebook.docgen.pipeline.verdicts import Judge, judge_batches, read_names, row


@pytest.mark.parametrize("seed", range(4))
def test_a_step_is_judged_alike_beside_others_and_by_itself(tmp_path: Path, seed: int) -> None:
    repo, builder = started(tmp_path / "repo"), Builder(Random(seed))
    specs = [builder.message()]
    for number in range(9):
        repo.spec(specs[-1])
        repo.commit(f"change {number}")
        if number % 3 == 0:
            repo.git("tag", f"1.{number}.0")
        specs.append(edited(specs[-1], specs, builder, 2, judged=number % 2 == 0)[0])
    history = read_history(str(repo.folder), "1.*")
    names = dict(read_names((digest, path, text) for digest, (path, text) in history.texts.items()))
    (batch,) = batches(history, names)
    verdicts = list(judge_batches([batch]))
    assert any(verdicts)
    for step, verdict in zip(batch.steps, verdicts, strict=True):
        judge = Judge(batch.trees, batch.texts, batch.profile)
        assert [row(finding) for finding in judge.judge(step)] == verdict
