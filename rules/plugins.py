"""Custom rules: modules of a project or of an installed package, declared for the duration of a check.

They are code, so they are never loaded from the change that is judged: the caller names a folder or a
package, or passes files that it has read from the old side.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from wirebook.rules.rule import Check, Hit, custom_rules, withdraw
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError

PACKAGE = "wirebook_plugins"
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass(frozen=True)
class Plugin:
    """The origin of custom rules: a folder of Python files, an installed package, or texts by file name.

    `label` is its name in messages.
    """

    label: str
    folder: Path | None = None
    package: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def named(cls, name: str, cwd: Path) -> Plugin:
        """Interpret a value of `--plugins`: a folder or an installed package, else raise InputError."""
        if (cwd / name).is_dir():
            return cls(name.rstrip("/\\"), folder=cwd / name)
        return cls.of_package(name)

    @classmethod
    def of_package(cls, name: str) -> Plugin:
        """An installed package. Raises InputError for a name that no package can have."""
        if not all(part.isidentifier() for part in name.split(".")):
            raise InputError("there is no such folder of custom rules", name)
        return cls(name, package=name)


@dataclass
class CustomRules:
    """The names of the rules that each plugin declares, and the failures, one line each.

    `failures` grows while rules judge: a rule that raises an exception reports nothing more on that pair.
    """

    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @property
    def notices(self) -> list[str]:
        """A line for each plugin that declares rules, with the rules that ran."""
        return [
            f"custom rules of {plugin}: {', '.join(names)}" for plugin, names in self.rules.items() if names
        ]

    def fail(self, line: str) -> None:
        """Add a failure, once."""
        if line not in self.failures:
            self.failures.append(line)


@contextmanager
def loaded(plugins: Sequence[Plugin]) -> Iterator[CustomRules]:
    """Declare the rules of some plugins while the block runs.

    A file that cannot be imported is a failure, and the others are loaded. Raises InputError for a package
    that is not installed.
    """
    custom = CustomRules()
    with ExitStack() as stack:
        for plugin in plugins:
            stack.callback(_forget, plugin.package or PACKAGE)
            names: list[str] = []
            for module in _modules(plugin, stack):
                guard = partial(_guarded, plugin, custom)
                try:
                    added = custom_rules(guard, partial(_import, module))
                except ModuleNotFoundError as error:
                    if plugin.package and error.name and f"{plugin.package}.".startswith(f"{error.name}."):
                        words = "there is no folder, and no installed package, of custom rules of that name"
                        raise InputError(words, plugin.label) from None
                    custom.fail(_line(plugin, error))
                except (KeyboardInterrupt, GeneratorExit):
                    raise
                # Also SystemExit: a rule must not end the check with an exit code of its own.
                except BaseException as error:
                    custom.fail(_line(plugin, error))
                else:
                    stack.callback(withdraw, added)
                    names += added
            custom.rules[plugin.label] = tuple(names)
        yield custom


def _import(module: str) -> None:
    """Import a module without writing a compiled file into its folder."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        package = import_module(module)
        for submodule in iter_modules(getattr(package, "__path__", ())):
            import_module(f"{module}.{submodule.name}")
    finally:
        sys.dont_write_bytecode = before


def _forget(package: str) -> None:
    """Unload a package; otherwise a later check would not declare its rules again."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]


def _modules(plugin: Plugin, stack: ExitStack) -> list[str]:
    """The modules of a plugin, by the names to import them under."""
    if plugin.package:
        return [plugin.package]
    folder = plugin.folder
    if folder is None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wirebook-plugins-")))
        for name, text in plugin.files.items():
            (folder / name).write_bytes(text)
    # The topic of the rules, and the package that the files of the folder import each other from.
    topic = re.sub(r"\W", "_", Path(plugin.label.split(" ")[0]).name) or "custom"
    for package, path in ((PACKAGE, []), (f"{PACKAGE}.{topic}", [str(folder)])):
        module = ModuleType(package)
        module.__path__ = path
        sys.modules[package] = module
    files = sorted(folder.glob("*.py"))
    for file in files:
        read_input(file, MAX_TEXT, f"{plugin.label}/{file.name}")
    stems = [path.stem for path in files]
    return [f"{PACKAGE}.{topic}.{stem}" for stem in stems if stem.isidentifier()]


def _guarded(plugin: Plugin, custom: CustomRules, check: Check) -> Check:
    """Wrap the check so that its exceptions become failures of the plugin and do not stop other rules."""

    @wraps(check)
    def run(pair: Any) -> Iterator[Hit]:
        try:
            for hit in check(pair):
                if not isinstance(hit, Hit):
                    raise TypeError(f"a rule yields Hit, not {type(hit).__name__}")
                yield hit
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            custom.fail(_line(plugin, error, check))

    return run


def _line(plugin: Plugin, error: BaseException, check: Check | None = None) -> str:
    """The error, with the file and line of the plugin that it occurred in."""
    code = getattr(check, "__code__", None)
    place: tuple[str, int | None] = ("", None) if code is None else (code.co_filename, code.co_firstlineno)
    if isinstance(error, SyntaxError) and error.filename:
        place = (error.filename, error.lineno)
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if not frame.filename.startswith((_OURS, "<frozen ")):
                place = (frame.filename, frame.lineno)
    where = f"{plugin.label}/{os.path.basename(place[0])}:{place[1]}: " if place[0] else f"{plugin.label}: "
    rule = "" if check is None else f"the rule {check.__name__.replace('_', '-')} fails: "
    return f"{where}{rule}{type(error).__name__}: {error}"
