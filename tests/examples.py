"""Where the examples are."""

from __future__ import annotations

from tests.support import ROOT

OTTER = ROOT / "examples" / "otter"
