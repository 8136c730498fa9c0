"""What a build needs besides Python, checked before Spark starts: packages and Java."""

from __future__ import annotations

import os
from importlib.util import find_spec

from wirebook.docgen.pipeline.java import find_java
from wirebook.specs.problems import InputError

# What the extras `site` and `spark` install, by the name that is imported.
PACKAGES = ("mkdocs", "material", "mkdocstrings", "jinja2", "pyspark", "pyarrow")


def check_ready(master: str | None) -> None:
    """Raise InputError if a package or Java is missing for a build on a Spark master.

    It runs before Spark starts. The message names the command that installs what is missing.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError(f"building a site needs {', '.join(missing)}: pip install 'wirebook[site,spark]'")
    # spark-submit has started Java already.
    if "PYSPARK_GATEWAY_PORT" not in os.environ and (master or "local").startswith("local"):
        find_java()
