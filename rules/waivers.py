"""Accepted exceptions: waivers.toml, which records why a finding is accepted, and who agreed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from wirebook.rules import catalogue
from wirebook.rules.finding import Finding, Place
from wirebook.specs.printable import visible
from wirebook.specs.problems import Lines, Position
from wirebook.specs.toml import Table, parse_toml
from wirebook.specs.versions import MAX_VERSION, VersionsError, VersionSet

NEEDED = {
    "rule": "the name of the rule",
    "message": "the name of the message",
    "reason": "why it is accepted",
    "by": "who agreed",
}
KEYS = ("rule", "message", "field", "versions", "subject", "change", "reason", "by", "expires")
_HEAD = re.compile(r"^[ \t]*(\[\[[ \t]*waiver[ \t]*\]\])", re.MULTILINE)


class Waiver(NamedTuple):
    """An accepted exception.

    It covers the findings of `rule` at `field` of `message` ("" for the message itself) whose
    versions are all in `versions`, and whose discriminator and exact change are `subject` and
    `change`. The wording of a finding does not matter. `expires` is the last day on which it is
    valid.
    """

    rule: str
    message: str
    reason: str
    by: str
    field: str = ""
    versions: VersionSet = VersionSet.NONE
    subject: str = ""
    change: str = ""
    expires: date | None = None
    place: Place | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether this waiver is for that finding, by its identity without the type of the
        message."""
        same = (self.subject, self.change) == (finding.discriminator, finding.change)
        return same and self.is_near(finding)

    def is_near(self, finding: Finding) -> bool:
        """Whether it names the rule, the place and the versions of a finding, if perhaps another
        change."""
        theirs = finding.versions
        return (
            (self.rule, self.message, self.field)
            == (finding.rule, finding.message_name, finding.field)
            and self.versions.covers(theirs)
            and bool(theirs) == bool(self.versions)
        )

    @property
    def words(self) -> str:
        """The reason, who agreed, and until when."""
        until = f", until {self.expires}" if self.expires else ""
        return f"{self.reason} ({self.by}{until})"

    def __str__(self) -> str:
        about = f"{self.message}.{self.field}" if self.field else self.message
        versions = f" {self.versions}" if self.versions else ""
        return visible(f"{self.rule} for {about}{versions}")


def read_waivers(text: str | bytes, path: str) -> list[Waiver]:
    """The waivers of a waivers.toml. Raises InputError, with the line, for invalid ones."""
    values = parse_toml(text, path)
    file = Table(values, path)
    file.known(["waiver"])
    content = text if isinstance(text, str) else text.decode()
    found = [Lines(content).position(match.start(1)) for match in _HEAD.finditer(content)]
    tables = file.inners("waiver")
    # Waivers in an array on one line have none.
    positions = found if len(found) == len(tables) else [Position(1, 1)] * len(tables)
    waivers: list[Waiver] = []
    lines: dict[Waiver, int] = {}
    for table, at in zip(tables, positions, strict=True):
        entry = Table(table.values, path, position=at)
        waiver = _waiver(entry, at)
        accepted = waiver._replace(reason="", by="", expires=None, place=None)
        if accepted in lines:
            raise entry.error(f"this is a duplicate of the waiver in line {lines[accepted]}")
        lines[accepted] = at.line
        waivers.append(waiver)
    return waivers


def _waiver(entry: Table, at: Position) -> Waiver:
    entry.known(KEYS)
    texts = {key: entry.values.get(key, "") for key in KEYS if key != "expires"}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise entry.error(f'"{key}" must be a string')
        if key in ("rule", "message", "field", "versions") and ("*" in text or "?" in text):
            raise entry.error(
                f'a wildcard in "{key}": a waiver names the one finding that it accepts'
            )
    for key, what in NEEDED.items():
        # A finding on all messages together names no message.
        is_blank = not any(letter.isalnum() for letter in texts[key])
        if is_blank and not (key == "message" and key in entry):
            raise entry.error(f'a waiver needs "{key}": {what}')
    rule, expires, versions = texts["rule"], entry.values.get("expires"), texts.pop("versions")
    if catalogue.find(rule) is None:
        near = catalogue.nearest(rule)
        words = f'did you mean "{near[0]}"?' if near else "`wirebook explain` lists them"
        raise entry.error(f'there is no rule "{visible(rule)}"; {words}')
    if "+" in versions:
        raise entry.error(f'"{visible(versions)}" accepts future versions too: name the last one')
    if expires is not None and (not isinstance(expires, date) or isinstance(expires, datetime)):
        raise entry.error('"expires" must be a date without quotes, such as 2030-12-31')
    try:
        numbers = VersionSet.parse(versions) if versions.strip() else VersionSet.NONE
    except VersionsError as error:
        raise entry.error(visible(str(error))) from None
    texts |= {key: texts[key].strip() for key in ("reason", "by")}
    return Waiver(**texts, versions=numbers, expires=expires, place=Place(entry.path, *at))


def apply(
    findings: Iterable[Finding],
    waivers: Sequence[Waiver],
    today: date,
    checked: Collection[str] | None = None,
) -> list[Finding]:
    """The findings, with covered ones marked as waived, and a finding for each stale or expired
    waiver.

    `checked` are the names of the messages that were judged, by default all: a waiver for another
    one was not checked, so it is not stale. An expired waiver has no effect, and is reported if it
    would match.
    """
    result = list(findings)
    numbers: dict[tuple[str, str, str], list[int]] = {}
    for number, finding in enumerate(result):
        numbers.setdefault((finding.rule, finding.message_name, finding.field), []).append(number)
    reported: list[Finding] = []
    for waiver in waivers:
        places = numbers.get((waiver.rule, waiver.message, waiver.field), ())
        near = [number for number in places if waiver.is_near(result[number])]
        covered = [number for number in near if waiver.covers(result[number])]
        name = "expired-waiver" if covered else "stale-waiver"
        if covered and (waiver.expires is None or waiver.expires >= today):
            for number in covered:
                result[number] = result[number]._replace(waived=waiver.words)
            continue
        if covered:
            words = f"expired on {waiver.expires}"
            fix = f"remove it, or fix the finding, or renew the waiver with {waiver.by}"
        elif near:
            words = "is for another change than the one that is reported"
            output = f"check --waive={result[near[0]].fingerprint}"
            fix = f"if that is accepted, too, add the output of {output}"
        elif checked is None or waiver.message in checked:
            words = "matches no finding"
            fix = "remove it, or compare with the commit before the change that it accepts"
        else:
            continue
        reported.append(_finding(waiver, name, f"the waiver of {waiver} {words}", fix))
    return [*result, *reported]


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


def _finding(waiver: Waiver, name: str, message: str, fix: str) -> Finding:
    rule = catalogue.named(name)
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        category=rule.category,
        message=message,
        fix=fix,
        message_name=waiver.message,
        message_type="",
        field=waiver.field,
        versions=waiver.versions,
        location=waiver.place,
        discriminator=" ".join(filter(None, (waiver.rule, waiver.subject, waiver.change))),
    )


def _quoted(text: str) -> str:
    """A TOML string on one line; invisible characters are escaped."""
    plain = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text)
    return f'"{"".join(plain)}"'
