"""The settings of a project: what its wirebook.toml states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from wirebook.rules import catalogue
from wirebook.rules.finding import Finding
from wirebook.rules.levels import Window
from wirebook.rules.rule import Category, Severity
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.keys import filled, many, unknown
from wirebook.specs.printable import visible
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profiles import KEYS, profile_of
from wirebook.specs.project import Selection
from wirebook.specs.toml import Table, parse_toml
from wirebook.specs.trees import Tree, is_below

FILE = "wirebook.toml"
WAIVERS = "waivers.toml"
NOT_YET = "none"  # what `released` names before the first release
OFF = "off"
MERGED = "merged"  # waivers count once the target has them
_LISTS = ("paths", "exclude", "released", "prerelease", "unstable")
_LEVELS = (*(severity.value for severity in Severity), OFF)


@dataclass(frozen=True)
class Settings:
    """The settings of a project; without a file, the defaults.

    `path` is that of the file, "" for one that is in no tree. `paths` are the globs of the specs
    (none: everywhere), `exclude` those that are left out. `branch` is the one that changes are
    merged into. `released` are the globs of the tags that are releases, `prerelease` those of tags
    that are not; without `released`, every stable version of the base counts as released.
    `unstable` are the globs of messages that are not frozen yet. `severities` are levels by rule or
    category, `deprecated_for` is how long a version stays deprecated before it is removed.
    `waivers` is "merged" if a waiver of the change itself does not count.
    """

    path: str = FILE
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    branch: str = ""
    released: tuple[str, ...] = ()
    prerelease: tuple[str, ...] | None = None
    unstable: tuple[str, ...] = ()
    severities: Mapping[str, str] = field(default_factory=dict)
    deprecated_for: Window | None = None
    waivers: str = ""
    profile: Profile = NEUTRAL

    @property
    def folder(self) -> str:
        """The folder of the project."""
        return self.path.rpartition("/")[0]

    def severity(self, finding: Finding) -> Severity | None:
        """The severity of a finding, None if its rule is off.

        A level is the highest severity that a rule reports: findings that are milder because they
        concern nothing released stay milder. That of a category does not lower a firm rule.
        """
        rule = catalogue.named(finding.rule)
        level = self.severities.get(finding.rule)
        if level is None and not rule.firm:
            level = self.severities.get(finding.category)
        if level is None:
            return finding.severity
        if level == OFF:
            return None
        severity = Severity(level)
        if finding.severity.rank <= rule.severity.rank:
            return severity
        return max(severity, finding.severity, key=lambda each: each.rank)


def settings_files(tree: Tree) -> list[str]:
    """The paths of the files of settings in a tree."""
    return [path for path in tree.files if path.rpartition("/")[2] == FILE]


def all_settings(tree: Tree) -> list[Settings]:
    """The settings of each project in a tree; the defaults if it has no wirebook.toml. Raises
    InputError."""
    files = settings_files(tree)
    return [read_settings(tree.files[path].read(), path) for path in files] or [Settings()]


def projects_of(tree: Tree) -> list[Settings]:
    """The settings of each project in a tree, and the defaults for what no file claims. Raises
    InputError."""
    every = all_settings(tree)
    return every if any(not each.folder for each in every) else [Settings(), *every]


def owner_of(path: str, every: Sequence[Settings]) -> Settings:
    """The settings of the project that a path is in: those in the deepest folder above it."""
    above = [each for each in every if is_below(path, each.folder)]
    return max(above, key=lambda each: len(each.folder), default=Settings())


def selection_of(settings: Settings, every: Sequence[Settings]) -> Selection:
    """The files of a project: those that its settings select, but for those of the other projects
    inside."""
    folder = settings.folder
    inner = (each.folder for each in every if each.folder != folder)
    others = tuple(each for each in inner if is_below(each, folder))
    return Selection(folder, settings.paths, settings.exclude, others)


def read_settings(text: bytes, path: str) -> Settings:
    """Read a wirebook.toml. Raises InputError, with path and key, for what is not a setting."""
    table = Table(parse_toml(text, path), path)
    own = [each.name for each in fields(Settings) if each.name not in ("path", "profile")]
    for key in table.values:
        if key not in (*own, *KEYS):
            raise table.error(unknown("there is no setting", key, own))
    values: dict[str, Any] = {
        key: table.read(key, filled) for key in ("branch", "waivers") if key in table
    }
    for key in _LISTS:
        if key in table:
            is_one = isinstance(table.values[key], str)
            values[key] = (table.read(key, filled),) if is_one else table.read(key, many(filled))
    if values.get("waivers") not in (None, MERGED):
        raise table.error(f'"waivers" can only be "{MERGED}"')
    if "deprecated_for" in table:
        values["deprecated_for"] = Window.parse(table.read("deprecated_for", filled))
        if values["deprecated_for"] is None:
            raise table.error('"deprecated_for" must be like "2 releases" or "180 days"')
    stated = {key: value for key, value in table.values.items() if key in KEYS}
    profile = profile_of(stated, path, embedded_profile) if stated else NEUTRAL
    return Settings(path=path, severities=_severities(table), profile=profile, **values)


def changes(before: Settings, after: Settings) -> list[str]:
    """What a change does to the settings, a line for each."""
    lines = []
    for each in fields(Settings):
        old, new = getattr(before, each.name), getattr(after, each.name)
        if each.name not in ("path", "profile") and old != new:
            lines.append(f"{after.path}: {each.name} was {_shown(old)} and becomes {_shown(new)}")
    if replace(before.profile, path="") != replace(after.profile, path=""):
        lines.append(f"{after.path}: the profile of the protocol changes")
    return lines


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return visible(", ".join(value)) or "not set"
    if isinstance(value, Mapping):
        return visible(", ".join(f"{key} = {level}" for key, level in value.items())) or "not set"
    return visible(str(value)) if value else "not set"


def _severities(table: Table) -> dict[str, str]:
    levels = table.values.get("severities", {})
    if not isinstance(levels, dict):
        raise table.error('"severities" must be a table: a level by rule or category')
    for name, level in levels.items():
        rule = catalogue.find(name)
        if rule is None and name not in set(Category):
            near = catalogue.nearest(name, Category)
            words = f'did you mean "{near[0]}"?' if near else "`wirebook explain` lists them"
            raise table.error(f'there is no rule or category "{visible(name)}"; {words}')
        if level not in _LEVELS:
            raise table.error(f'the level of "{name}" must be one of {", ".join(_LEVELS)}')
        if rule is not None and rule.firm and _LEVELS.index(level) > rule.severity.rank:
            raise table.error(
                f"{name} cannot be lowered: only a waiver accepts one of its findings"
            )
    return levels
