"""The configuration: wirebook.toml, or [tool.wirebook] in pyproject.toml; each value knows its origin."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wirebook.rules import meta_rules
from wirebook.rules.finding import Category, Finding, Severity, sort
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.rules.project.tomltext import Document

OWN, SHARED = "wirebook.toml", "pyproject.toml"
DEFAULT, COMMAND_LINE = "default", "command line"
OFF = "off"
LEVELS = (*(severity.value for severity in Severity), OFF)

Value = TypeVar("Value")


@dataclass(frozen=True)
class Setting(Generic[Value]):
    """A value, and where it is from: "default", "wirebook.toml:3" or "command line"."""

    value: Value
    origin: str = DEFAULT


@dataclass(frozen=True)
class Config:
    """What can be configured.

    `paths` are folders, files or globs in which specs are looked for (none: wherever they are found),
    `exclude` those that are left out; `released` globs of tags, or SOURCES, whose versions are frozen;
    `against` the SOURCE to compare with, `branch` the branch that changes go to; `waivers` the file of
    waivers, `severities` a level by rule or category. Paths are relative to the folder of the file.
    """

    paths: Setting[tuple[str, ...]] = Setting(())
    exclude: Setting[tuple[str, ...]] = Setting(())
    released: Setting[tuple[str, ...]] = Setting(())
    against: Setting[str | None] = Setting(None)
    branch: Setting[str | None] = Setting(None)
    waivers: Setting[str] = Setting("waivers.toml")
    severities: Mapping[str, Setting[str]] = field(default_factory=dict)

    def override(self, **given: Any) -> Config:
        """The same with what the command line gives; what is None there stays as it is."""
        told: dict[str, Any] = {key: Setting(value, COMMAND_LINE) for key, value in given.items()}
        return replace(self, **{key: setting for key, setting in told.items() if setting.value is not None})

    def seen_from(self, here: Path, folder: Path) -> Config:
        """The same for somebody who stands `here`: a source that lies beside the file, in `folder`, is named
        from there.
        """
        if here == folder:
            return self

        def placed(source: str) -> str:
            name, sign, rest = source.partition("@")
            there = folder / name
            found = name and not Path(name).is_absolute() and there.exists()
            return f"{os.path.relpath(there, here)}{sign}{rest}" if found else source

        against = self.against.value
        return replace(
            self,
            against=self.against if against is None else replace(self.against, value=placed(against)),
            released=replace(self.released, value=tuple(map(placed, self.released.value))),
        )

    def takes(self, path: str) -> bool:
        """Whether a file (its path from the folder of the configuration, with "/") is to be checked."""
        inside = not self.paths.value or matches(path, self.paths.value)
        return inside and not self.excludes(path)

    def excludes(self, path: str) -> bool:
        """Whether a file is left out by name."""
        return matches(path, self.exclude.value)

    def severity(self, finding: Finding) -> Severity | None:
        """How bad a finding is by this configuration; None where it is off.

        A level is what the rule reports at worst. What is milder, because nothing released is concerned,
        stays milder. A level of a category does not lower a firm rule.
        """
        rule = meta_rules.find(finding.rule)
        level = self.severities.get(finding.rule)
        if level is None and (rule is None or not rule.firm):
            level = self.severities.get(finding.category.value)
        if level is None:
            return finding.severity
        if level.value == OFF:
            return None
        told = Severity(level.value)
        if rule is None or finding.severity.rank <= rule.severity.rank:
            return told
        return max(told, finding.severity, key=lambda item: item.rank)

    def show(self) -> str:
        """Every value with where it is from, a line each, as TOML: `wirebook check --show-config`."""
        rows = []
        for item in fields(self):
            if item.name != "severities":
                setting = getattr(self, item.name)
                unset = setting.value is None
                row = f"# {item.name} is not set" if unset else f"{item.name} = {_toml(setting.value)}"
                rows.append((row, setting.origin))
        for name, level in sorted(self.severities.items()):
            rows.append((f"severities.{name} = {_toml(level.value)}", level.origin))
        if not self.severities:
            rows.append(("severities = {}", DEFAULT))
        width = max(len(row) for row, _ in rows)
        return "".join(f"{row.ljust(width)}  # {visible(origin)}\n" for row, origin in rows)


def find_config(start: Path) -> Path | None:
    """The nearest configuration file, the first of `find_configs`; None if there is none."""
    return next(find_configs(start), None)


def find_configs(start: Path) -> Iterator[Path]:
    """The configuration files from a folder upwards, to the root of its repository; the first one counts.

    In each folder wirebook.toml goes before pyproject.toml, and the latter counts if it has our table.
    Outside a repository only the folder itself is looked at.
    """
    start = start.resolve()
    folders = [start, *start.parents]
    roots = [number for number, folder in enumerate(folders) if (folder / ".git").exists()]
    for folder in folders[: roots[0] + 1 if roots else 1]:
        if (folder / OWN).is_file():
            yield folder / OWN
        shared = folder / SHARED
        if shared.is_file() and _is_ours(shared):
            yield shared


def load_config(path: Path | None, name: str | None = None) -> Config:
    """The configuration of a file, `name` being what to call it; the defaults for None.

    Raises InputError for a broken one, OSError.
    """
    return Config() if path is None else read_config(path.read_bytes(), name or str(path))


def read_config(text: str | bytes, path: str) -> Config:
    """The configuration in the text of a file; one called pyproject.toml has it in [tool.wirebook].

    Raises InputError, with the line, for unknown keys and for values of the wrong kind.
    """
    from wirebook.rules.project.tomltext import read_toml

    document = read_toml(text, path)
    above: tuple[str, ...] = ()
    if path.replace("\\", "/").rsplit("/", 1)[-1] == SHARED:
        above = ("tool", "wirebook")
    table: Any = document.data
    for key in above:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise document.error("this is a table: [tool.wirebook]", *above)
    return _Reader(document, above, table).config()


def apply(findings: Iterable[Finding], config: Config) -> list[Finding]:
    """The findings as severe as the configuration says, those that are off left out; sorted again.

    To be called after waivers.apply, whose findings on waivers have a level too.
    """
    told = ((item, config.severity(item)) for item in findings)
    return sort(replace(item, severity=severity) for item, severity in told if severity is not None)


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path fits one of the globs.

    `*` and `?` stay within a name, `**` goes over folders. A glob without "/" fits a name at any depth; one
    that fits a folder fits all that is in it.
    """
    return any(_pattern(glob).fullmatch(path) is not None for glob in globs)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    rooted = "/" in glob.rstrip("/")
    text = glob.strip("/").removeprefix("./")
    if text in ("", "."):
        return re.compile(".*", re.DOTALL)
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", text)
    written = [signs.get(part) or re.escape(part) for part in parts]
    return re.compile(("" if rooted else "(?:.*/)?") + "".join(written) + "(?:/.*)?", re.DOTALL)


def _is_ours(path: Path) -> bool:
    """Whether a pyproject.toml has our table; a broken one has if it speaks of us, and then it is told."""
    text = path.read_bytes()
    if b"wirebook" not in text:
        return False
    import tomllib

    try:
        tool = tomllib.loads(text.decode("utf-8-sig")).get("tool", {})
    except (ValueError, RecursionError):
        return b"tool.wirebook" in text
    return isinstance(tool, dict) and "wirebook" in tool


class _Reader:
    """Reads one table of settings."""

    def __init__(self, document: Document, above: tuple[str, ...], table: Mapping[str, Any]) -> None:
        self.document = document
        self.above = above
        self.table = table

    def config(self) -> Config:
        names = [item.name for item in fields(Config)]
        for key in self.table:
            if key not in names:
                raise self.document.unknown(key, names, *self.above)
        told: dict[str, Any] = {}
        for key in ("paths", "exclude", "released"):
            if key in self.table:
                told[key] = Setting(self.texts(key), self.origin(key))
        for key in ("against", "branch", "waivers"):
            if key in self.table:
                told[key] = Setting(self.text(self.table[key], key), self.origin(key))
        return Config(**told, severities=self.severities())

    def origin(self, *keys: str) -> str:
        at = self.document.at(*self.above, *keys)
        return self.document.path if at is None else f"{self.document.path}:{at.line}"

    def error(self, message: str, *keys: str | int) -> InputError:
        return self.document.error(message, *self.above, *keys)

    def text(self, value: object, *keys: str | int) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error(f'"{keys[0]}" is a text' if len(keys) == 1 else "write a text here", *keys)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.table[key]
        if isinstance(value, str):
            return (self.text(value, key),)
        if not isinstance(value, list):
            raise self.error(f'"{key}" is a list of texts', key)
        return tuple(self.text(item, key, number) for number, item in enumerate(value))

    def severities(self) -> dict[str, Setting[str]]:
        table = self.table.get("severities", {})
        if not isinstance(table, dict):
            raise self.error('"severities" is a table: a level by rule or category', "severities")
        return {name: self.level(name, level) for name, level in table.items()}

    def level(self, name: str, level: object) -> Setting[str]:
        where = ("severities", name)
        rule = meta_rules.find(name)
        if rule is None and name not in set(Category):
            near = meta_rules.nearest(name, Category)
            words = f'did you mean "{near[0]}"?' if near else "`wirebook rules` lists them"
            raise self.error(f'there is no rule or category "{visible(name)}"; {words}', *where)
        if level not in LEVELS:
            raise self.error(f"a level is one of {', '.join(LEVELS)}", *where)
        if rule is not None and rule.firm and LEVELS.index(level) > rule.severity.rank:
            raise self.error(
                f"{name} cannot be lowered: it takes a waiver to accept one of its findings", *where
            )
        return Setting(level, self.origin(*where))


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return json.dumps(visible(str(value)), ensure_ascii=False)
