"""The command line lists the formats by itself, so that its help imports no format: the lists agree."""

from __future__ import annotations

from wirebook.cli.gate.check import FORMATS as OFFERED
from wirebook.rules.formats import FORMATS


def test_the_command_offers_every_format() -> None:
    assert OFFERED == FORMATS
