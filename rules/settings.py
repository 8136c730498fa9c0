"""The settings of a project: what its wirebook.toml states, or the defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from wirebook.rules import catalogue
from wirebook.rules.finding import Finding
from wirebook.rules.rule import Severity
from wirebook.rules.window import Window
from wirebook.specs.printable import visible
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import Selection
from wirebook.specs.trees import Tree, is_below

FILE = "wirebook.toml"
WAIVERS = "waivers.toml"
NOT_YET = "none"  # what `released` names before the first release
OFF = "off"
MERGED = "merged"  # waivers count once the target has them


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
        return severity.milder(finding.severity)


def all_settings(tree: Tree) -> list[Settings]:
    """The settings of each project in a tree; the defaults if it has no wirebook.toml. Raises
    InputError."""
    files = [path for path in tree.files if path.rpartition("/")[2] == FILE]
    return [catalogue.read("settings", tree.text(path), path) for path in files] or [Settings()]


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


def changes(before: Settings, after: Settings) -> list[str]:
    """What a change does to the settings, a line for each."""
    lines = []
    for each in fields(Settings):
        old = getattr(before, each.name)
        new = getattr(after, each.name)
        if each.name not in ("path", "profile") and old != new:
            lines.append(f"{after.path}: {each.name} was {_shown(old)} and becomes {_shown(new)}")
    if replace(before.profile, path="") != replace(after.profile, path=""):
        lines.append(f"{after.path}: the profile of the protocol changes")
    return lines


def _shown(value: object) -> str:
    """The value of a setting in a sentence."""
    if isinstance(value, tuple):
        return visible(", ".join(value)) or "not set"
    if isinstance(value, Mapping):
        return visible(", ".join(f"{key} = {level}" for key, level in value.items())) or "not set"
    return visible(str(value)) if value else "not set"
