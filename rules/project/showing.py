"""The configuration as `wirebook check --show-config` prints it."""

from __future__ import annotations

import json

from wirebook.rules.project.config import NO_TEXTS, OVERRIDE, Config
from wirebook.rules.project.settings import DEFAULT, Override
from wirebook.specs.printable import visible
from wirebook.specs.reading.discovery import BUILT_FOLDERS, TEST_FOLDERS
from wirebook.specs.reading.protocols import Claim


def shown(config: Config) -> str:
    """Every value with its origin, one per line, as TOML: `wirebook check --show-config`."""
    rows = []
    for name in config._fields:
        if name not in NO_TEXTS:
            setting = getattr(config, name)
            unset = setting.value is None
            row = f"# {name} is not set" if unset else f"{name} = {_toml(setting.value)}"
            rows.append((row, setting.origin))
    for name, severity in sorted(config.severities.items()):
        rows.append((f"severities.{name} = {_toml(severity.value)}", severity.origin))
    if not config.severities:
        rows.append(("severities = {}", DEFAULT))
    rows += [(_shown_override(override), override.origin) for override in config.overrides]
    tests = () if config.paths.value else sorted(TEST_FOLDERS)
    rows.append((f"# skipped folders: {', '.join((*sorted(BUILT_FOLDERS), '.*', *tests))}", DEFAULT))
    if config.protocol.value is not None:
        rows.append((f"protocol.name = {_toml(config.protocol.value.name)}", config.protocol.origin))
    if config.protocols.value is not None:
        rows += [(_shown_protocol(claim), config.protocols.origin) for claim in config.protocols.value.claims]
    width = max(len(row) for row, _ in rows)
    return "".join(f"{row.ljust(width)}  # {visible(origin)}\n" for row, origin in rows)


def _shown_override(override: Override) -> str:
    """An override on one line, as a comment: in the file it is a table over several."""
    named = {"paths": override.paths, "messages": override.messages}
    assignments = [f"{key} = {_toml(value)}" for key, value in named.items() if value]
    severities = sorted(override.severities.items())
    assignments += [f"severities.{name} = {_toml(setting.value)}" for name, setting in severities]
    return f"# {OVERRIDE}: {', '.join(assignments)}"


def _shown_protocol(claim: Claim) -> str:
    """One protocol of several on one line, as a comment."""
    paths = f"paths = {_toml(claim.paths)}" if claim.paths else "paths: everything unclaimed"
    return f"# protocol: name = {_toml(claim.name)}, {paths}"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(element) for element in value)}]"
    return json.dumps(visible(str(value)), ensure_ascii=False)
