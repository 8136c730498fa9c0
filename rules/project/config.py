"""The configuration: wirebook.toml, or [tool.wirebook] in pyproject.toml; each value has its origin."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from wirebook.rules.project.settings import COMMAND_LINE, ElementPosition, Override, Overriding, Setting
from wirebook.rules.severity import Category, Severity
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_GLOBS, MAX_SETTINGS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import TextOf, extending
from wirebook.specs.reading.discovery import relative
from wirebook.specs.reading.globs import matches
from wirebook.specs.sources.location import top_of
from wirebook.specs.sources.naming import explicit_kind, is_path_like

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding

    # A check without a configuration does not need these.
    from wirebook.rules.levels import Window
    from wirebook.specs.syntax.tomltext import TomlDocument
else:  # typing compiles an annotation that is a string
    Window = object

OWN, SHARED = "wirebook.toml", "pyproject.toml"
OFF = "off"
NOT_YET = "none"  # what `released` names before the first release
OVERRIDE = "override"
TABLE = "protocol"
_NO_SEVERITIES: Mapping[str, Setting[str]] = {}
SEVERITIES = (*(severity.value for severity in Severity), OFF)


class ConfigValues(NamedTuple):
    """What a project sets; `Config` explains the settings and applies them."""

    paths: Setting[tuple[str, ...]] = Setting(())
    exclude: Setting[tuple[str, ...]] = Setting(())
    released: Setting[tuple[str, ...]] = Setting(())
    against: Setting[str | None] = Setting(None)
    branch: Setting[str | None] = Setting(None)
    waivers: Setting[str] = Setting("waivers.toml")
    prerelease: Setting[tuple[str, ...] | None] = Setting(None)
    deprecated_for: Setting[Window | None] = Setting(None)
    severities: Mapping[str, Setting[str]] = _NO_SEVERITIES
    overrides: tuple[Override, ...] = ()
    protocol: Setting[Profile | None] = Setting(None)


class Config(ConfigValues):
    """The settings of a project.

    `paths` are folders, files or globs to search for specs (none: everywhere), `exclude` those that are left
    out; `released` globs of tags, or SOURCES, whose versions are frozen, or `NOT_YET`; `against` the SOURCE
    to compare with, `branch` the branch that changes are merged into; `waivers` the waivers file,
    `severities` a level by rule or category, `override` levels for some paths or messages. `formats` are
    those in which SOURCES are read. `prerelease` are globs of tags that freeze nothing (None: decided by
    their names). `deprecated_for` is how long a version stays deprecated before it is removed. `protocol` is
    the profile of the specs. Paths are relative to the folder of the file.
    """

    @cached_property
    def _overriding(self) -> Overriding:
        return Overriding(self.overrides)

    def override(self, **values: Any) -> Self:
        """A copy with the values of the command line; None leaves a value unchanged."""
        settings: dict[str, Any] = {key: Setting(value, COMMAND_LINE) for key, value in values.items()}
        return self._replace(
            **{key: setting for key, setting in settings.items() if setting.value is not None}
        )

    def seen_from(self, here: Path, folder: Path, exists: Callable[[Path], bool] = Path.exists) -> Self:
        """A copy for use in the folder `here`: sources next to the file, in `folder`, become relative to
        `here`. `exists` is whether there is one.
        """
        if here == folder:
            return self

        def placed(source: str) -> str:
            kind, name = explicit_kind(source)
            name, sign, rest = name.partition("@")
            # A bare word is a ref or a glob, even if somebody adds a file of that name.
            if not name or Path(name).is_absolute() or not (kind or sign or is_path_like(name)):
                return source
            path = folder / name
            if not exists(path):
                return source
            prefix = f"{kind}:" if kind else ""
            return f"{prefix}{relative(path, here)}{sign}{rest}"

        against = self.against.value
        return self._replace(
            against=self.against if against is None else self.against._replace(value=placed(against)),
            released=self.released._replace(value=tuple(map(placed, self.released.value))),
        )

    def takes(self, path: str) -> bool:
        """Whether a file (its path from the folder of the configuration, with "/") is to be checked."""
        inside = not self.paths.value or _fits(path, self.paths.value)
        return inside and not self.excludes(path)

    def excludes(self, path: str) -> bool:
        """Whether a file is left out by name."""
        return _fits(path, self.exclude.value)

    def severity(
        self, finding: "Finding", path: str | None = None, message: str | None = None
    ) -> Severity | None:
        """The severity of a finding under this configuration; None if it is off.

        `path` is that of its file, relative to the folder of the configuration, and `message` the name of the
        message there (None: that of the finding). A severity set there is the highest
        severity that the rule reports. Findings that are milder because they concern nothing released stay
        milder. That of a category does not lower a firm rule.
        """
        from wirebook.rules import meta_rules

        rule = meta_rules.find(finding.rule)
        name = finding.message_name if message is None else message
        setting = self._overriding.severity(finding, rule, (name, path), self.severities)
        if setting is None:
            return finding.severity
        if setting.value == OFF:
            return None
        severity = Severity(setting.value)
        if rule is None or finding.severity.rank <= rule.severity.rank:
            return severity
        return max(severity, finding.severity, key=lambda each: each.rank)


def _fits(path: str, globs: tuple[str, ...]) -> bool:
    if not globs:
        return False
    return matches(path, globs)


def find_config(start: Path) -> Path | None:
    """The nearest configuration file (the first of `find_configs`), or None."""
    return next(find_configs(start), None)


def find_configs(start: Path) -> Iterator[Path]:
    """The configuration files from a folder upwards, to the root of its repository; the first one counts.

    These are wirebook.toml, and pyproject.toml if it has our table. Outside a repository, only the folder
    itself is searched. Raises InputError for a link to the outside, and for two in one folder.
    """
    start = start.resolve()
    folders = [start, *start.parents]
    top = top_of(start) or start
    for folder in folders[: folders.index(top) + 1]:
        for name in (OWN, SHARED):
            if (folder / name).is_symlink() and top not in (folder / name).resolve().parents:
                raise InputError("this is a link that points outside the repository", str(folder / name))
        own, shared = folder / OWN, folder / SHARED
        is_own = own.is_file()
        if shared.is_file() and is_configuration(SHARED, read_input(shared, MAX_SETTINGS)):
            if is_own:
                raise two_in_one_folder(str(shared))
            yield shared
        if is_own:
            yield own


def two_in_one_folder(shared: str) -> InputError:
    """The error for a pyproject.toml with our table beside a wirebook.toml: which one counts is not clear."""
    return InputError(f"{OWN} in the same folder has settings, too: keep one of the two", shared)


def load_config(
    path: Path | None,
    name: str | None = None,
    omitted: Callable[[Path], bytes | None] = lambda path: None,
) -> Config:
    """Read the configuration of a file, with its display name `name`; None gives the defaults.

    `omitted` returns the text of a file that the working tree omits, None for any other. Raises InputError
    for a broken one, OSError.
    """
    if path is None:
        return Config()
    label = name or str(path)

    def opened(named: str) -> bytes | None:
        from wirebook.specs.sources.beside import text_beside

        place = relative(named, os.path.dirname(label) or ".").replace(os.sep, "/")
        text = text_beside(path.parent, place)
        return omitted(path.parent / place) if text is None else text

    text = omitted(path)
    return read_config(read_input(path, MAX_SETTINGS, name) if text is None else text, label, opened)


def read_config(text: str | bytes, path: str, opened: TextOf = lambda path: None) -> Config:
    """Read the configuration in the text of a file; in a pyproject.toml it is in [tool.wirebook].

    `opened` returns the text of a file that it names, by its path from the folder of the configuration.
    Raises InputError, with the line, for unknown keys and for values of the wrong type.
    """
    from wirebook.specs.syntax.tomltext import read_toml

    document = read_toml(text, path)
    above: tuple[str, ...] = ()
    if path.replace("\\", "/").rsplit("/", 1)[-1] == SHARED:
        above = ("tool", "wirebook")
    table = document.inside(above)
    if not isinstance(table, dict):
        raise document.error("this must be a table: [tool.wirebook]", *above)
    document.refuse_null(table, *above)
    return _SettingsReader(document, above, table, opened).config()


def apply(
    findings: "Sequence[Finding]", policies: Sequence[tuple[Config, Callable[[str], str]]]
) -> "list[Finding]":
    """The findings at the worst severity of some configurations, without those that are off in all; sorted.

    Call it after waivers.apply, whose findings on waivers have a severity, too. Each configuration comes with
    a function that makes the path of a finding relative to its folder.
    """
    if not findings or not any(config.severities or config.overrides for config, _ in policies):
        return list(findings)
    from wirebook.rules.finding import sort

    judged = ((finding, _worst(finding, policies)) for finding in findings)
    return sort(finding._replace(severity=severity) for finding, severity in judged if severity is not None)


def _worst(finding: "Finding", policies: Sequence[tuple[Config, Callable[[str], str]]]) -> Severity | None:
    """The strictest severity of a finding: a spec that moves keeps that of its old place and name."""
    severities: list[Severity] = []
    for config, placed in policies:
        for name, path in finding.specs if config.overrides else finding.specs[:1]:
            severity = config.severity(finding, None if path is None else placed(path), name)
            if severity is not None:
                severities.append(severity)
    return min(severities, key=lambda severity: severity.rank, default=None)


def is_configuration(path: str, text: bytes) -> bool:
    """Whether a file is a configuration; pyproject.toml is one if it has our table.

    A broken pyproject.toml that mentions our table counts, too: reading it reports the error.
    """
    if path.rpartition("/")[2] != SHARED:
        return True
    if b"wirebook" not in text:
        return False
    import tomllib

    from wirebook.specs.syntax.tomltext import long_key

    if long_key(text.decode("utf-8", "replace")) is not None:
        return True
    try:
        tool = tomllib.loads(text.decode("utf-8-sig")).get("tool", {})
    except (ValueError, RecursionError):
        return b"tool.wirebook" in text
    return isinstance(tool, dict) and "wirebook" in tool


class _SettingsReader:
    """Reads one table of settings."""

    def __init__(
        self, document: "TomlDocument", above: tuple[str, ...], table: Mapping[str, Any], opened: TextOf
    ) -> None:
        self.document = document
        self.above = above
        self.table = table
        self.opened = opened

    def config(self) -> Config:
        names = [name if name != "overrides" else OVERRIDE for name in Config._fields]
        for key in self.table:
            if key not in names:
                raise self.document.unknown(key, names, *self.above)
        settings: dict[str, Any] = {}
        for key in ("paths", "exclude", "released", "prerelease"):
            if key in self.table:
                settings[key] = Setting(self.texts(key), self.origin(key))
        if "released" in settings:
            settings["released"] = settings["released"]._replace(elements=self.elements("released"))
        for key in ("against", "branch", "waivers"):
            if key in self.table:
                settings[key] = Setting(self.text(self.table[key], key), self.origin(key))
        if "deprecated_for" in self.table:
            settings["deprecated_for"] = Setting(self.window("deprecated_for"), self.origin("deprecated_for"))
        if TABLE in self.table:
            settings[TABLE] = Setting(self.protocol(), self.origin(TABLE))
        return Config(**settings, severities=self.severities(), overrides=tuple(self.overrides()))

    def protocol(self) -> Profile:
        from wirebook.specs.reading.profiles import profile_of

        table = self.table[TABLE]
        if not isinstance(table, dict):
            raise self.error(f'"{TABLE}" must be a table', TABLE)
        extended = extending(self.opened, self.document.path)
        return profile_of(self.document, table, (*self.above, TABLE), extended)

    def origin(self, *keys: str | int) -> str:
        at = self.document.at(*self.above, *keys)
        return self.document.path if at is None else f"{self.document.path}:{at.line}"

    def error(self, message: str, *keys: str | int) -> InputError:
        return self.document.error(message, *self.above, *keys)

    def text(self, value: object, *keys: str | int) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error(
                f'"{keys[0]}" must be a string' if len(keys) == 1 else "write a string here", *keys
            )
        return value

    def window(self, key: str) -> "Window":
        from wirebook.rules.levels import Window

        window = Window.parse(self.text(self.table[key], key))
        if window is None:
            raise self.error(f'"{key}" must be like "2 releases" or "180 days"', key)
        return window

    def texts(self, key: str, table: Mapping[str, Any] | None = None, *above: str | int) -> tuple[str, ...]:
        value = (self.table if table is None else table)[key]
        if isinstance(value, str):
            return (self.text(value, *above, key),)
        if not isinstance(value, list):
            raise self.error(f'"{key}" must be a list of strings', *above, key)
        if len(value) > MAX_GLOBS:
            raise self.error(f"more than {MAX_GLOBS:,} globs", *above, key)
        return tuple(self.text(element, *above, key, number) for number, element in enumerate(value))

    def elements(self, key: str) -> tuple[ElementPosition, ...]:
        """The position of each string of a list."""
        value = self.table[key]
        keys = [(key, number) for number in range(len(value))] if isinstance(value, list) else [(key,)]
        return tuple(
            ElementPosition(self.document.path, self.document.at(*self.above, *each)) for each in keys
        )

    def overrides(self) -> Iterator[Override]:
        tables = self.table.get(OVERRIDE, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.error(f"write [[{OVERRIDE}]] above each of them", OVERRIDE)
        globs = 0
        for number, table in enumerate(tables):
            where = (OVERRIDE, number)
            for key in table:
                if key not in ("paths", "messages", "severities"):
                    keys = ["paths", "messages", "severities"]
                    raise self.document.unknown(key, keys, *self.above, *where)
            paths = self.texts("paths", table, *where) if "paths" in table else ()
            messages = self.texts("messages", table, *where) if "messages" in table else ()
            if not paths and not messages:
                raise self.error('an override needs "paths" or "messages"; use [severities] for all', *where)
            globs += len(paths) + len(messages)
            if globs > MAX_GLOBS:
                raise self.error(f"more than {MAX_GLOBS:,} globs in all overrides", *where)
            yield Override(paths, messages, self.severities(table, *where), self.origin(*where))

    def severities(
        self, holder: Mapping[str, Any] | None = None, *above: str | int
    ) -> dict[str, Setting[str]]:
        table = (self.table if holder is None else holder).get("severities", {})
        if not isinstance(table, dict):
            raise self.error(
                '"severities" must be a table: a level by rule or category', *above, "severities"
            )
        if holder is not None and not table:
            raise self.error('an override needs "severities": a level by rule or category', *above)
        return {name: self.severity_of(name, word, *above) for name, word in table.items()}

    def severity_of(self, name: str, word: object, *above: str | int) -> Setting[str]:
        from wirebook.rules import meta_rules

        where = (*above, "severities", name)
        rule = meta_rules.find(name)
        if rule is None and name not in set(Category):
            near = meta_rules.nearest(name, Category)
            words = f'did you mean "{near[0]}"?' if near else "`wirebook explain` lists them"
            raise self.error(f'there is no rule or category "{visible(name)}"; {words}', *where)
        if word not in SEVERITIES:
            raise self.error(f"a level must be one of {', '.join(SEVERITIES)}", *where)
        if rule is not None and rule.firm and SEVERITIES.index(word) > rule.severity.rank:
            raise self.error(
                f"{name} cannot be lowered: only a waiver can accept one of its findings", *where
            )
        return Setting(word, self.origin(*where))
