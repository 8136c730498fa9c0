"""Probes of mock brokers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.validating import validator
from tests.peers.small_broker import Broker
from wirebook.cli.main import main
from wirebook.specs.kafka.brokers import kafka_releases


def of_release(release: str, listener: str = "", **more: Any) -> Broker:
    """A broker that lists what one of a release does."""
    listed = kafka_releases().broker(release).listed(listener)
    return Broker({key: (found.lowest, found.highest) for key, found in listed.items()}, **more)


def probed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """The JSON of a run, checked against its schema."""
    assert main(["probe", *arguments, "--format", "json", "--timeout", "5"]) == code
    document = json.loads(capsys.readouterr().out)
    assert list(validator("probe").iter_errors(document)) == []
    return document
