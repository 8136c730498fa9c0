"""Entries of waivers.toml that waive the findings of a result, without their reasons."""

from __future__ import annotations

from wirebook.rules.finding import Finding
from wirebook.rules.result import CheckResult
from wirebook.rules.waivers import NEEDED
from wirebook.specs.versions import MAX_VERSION


def render(result: CheckResult) -> str:
    """An entry for each finding; those with the same fingerprint share one."""
    return "\n".join(dict.fromkeys(map(block, result.ordered)))


def block(finding: Finding) -> str:
    """The entry of waivers.toml that waives a finding, to be pasted and completed with a reason and
    a name.

    If these stay empty, the check stops: a waiver needs a reason.
    """
    of = finding.identity
    parts = {
        "rule": of.rule,
        "message": of.message_name,
        "field": of.field,
        # An open range of a spec ends in a waiver with the highest possible version.
        "versions": of.versions.text.replace("+", f"-{MAX_VERSION}"),
        "subject": of.discriminator,
        "change": of.change,
    }
    lines = ["[[waiver]]"]
    lines += [f"{key} = {_quoted(text)}" for key, text in parts.items() if text or key in NEEDED]
    lines += [
        'reason = ""  # why it is accepted',
        'by = ""  # who agreed',
        "# expires = 2030-12-31",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML string on one line; invisible characters are escaped."""
    plain = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text)
    return f'"{"".join(plain)}"'
