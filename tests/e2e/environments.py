"""The environment of a build of a foreign site."""

from __future__ import annotations

import os

from tests.support import ROOT

# The theme readthedocs writes the time of the build into the front page.
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "NO_MKDOCS_2_WARNING": "1",
    "SOURCE_DATE_EPOCH": "1600000000",
}
