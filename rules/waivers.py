"""Accepted exceptions: waivers.toml, which records why a finding is accepted, and who agreed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from wirebook.rules import catalogue
from wirebook.rules.finding import Finding, Place
from wirebook.specs.printable import visible
from wirebook.specs.problems import Lines, Position
from wirebook.specs.toml import Table, parse_toml
from wirebook.specs.versions import VersionsError, VersionSet

NEEDED = {
    "rule": "the name of the rule",
    "message": "the name of the message",
    "reason": "why it is accepted",
    "by": "who agreed",
}
KEYS = ("rule", "message", "field", "versions", "subject", "change", "reason", "by", "expires")
_HEAD = re.compile(r"^[ \t]*(\[\[[ \t]*waiver[ \t]*\]\])", re.MULTILINE)


@dataclass(frozen=True)
class Waiver:
    """An accepted exception.

    It covers the findings of `rule` at `field` of `message` ("" for the message itself) whose
    versions are all in `versions`, and whose discriminator and exact change are `subject` and
    `change`. The wording of a finding does not matter. `expires` is the last day on which it is
    valid. Where it is written does not count in comparisons.
    """

    rule: str
    message: str
    reason: str
    by: str
    place: Place = field(compare=False)
    field: str = ""
    versions: VersionSet = VersionSet.NONE
    subject: str = ""
    change: str = ""
    expires: date | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether this waiver is for that finding, by its identity without the type of the
        message."""
        same = (self.subject, self.change) == (finding.discriminator, finding.change)
        return same and finding.waivable and self.is_near(finding)

    def is_near(self, finding: Finding) -> bool:
        """Whether it names the rule, the place and the versions of a finding, if perhaps another
        change."""
        return (
            (self.rule, self.message, self.field)
            == (finding.rule, finding.message_name, finding.field)
            and self.versions.covers(finding.versions)
            and bool(finding.versions) == bool(self.versions)
        )

    def applied(
        self, findings: Sequence[Finding], today: date, checked: Collection[str] | None = None
    ) -> list[Finding]:
        """The findings, with those that it covers marked as waived, or with one on the waiver.

        `checked` are the names of the messages that were judged, by default all: a waiver for
        another one was not checked, so it is not stale. An expired waiver has no effect, and is
        reported if it would match.
        """
        near = [finding for finding in findings if self.is_near(finding)]
        covered = [finding for finding in near if self.covers(finding)]
        if covered and (self.expires is None or self.expires >= today):
            return [
                each._replace(waived=self.words) if self.covers(each) else each for each in findings
            ]
        if covered:
            what = f"expired on {self.expires}"
            fix = f"remove it, or fix the finding, or renew the waiver with {self.by}"
        elif near:
            what = "is for another change than the one that is reported"
            output = f"check --waive={near[0].fingerprint}"
            fix = f"if that is accepted, too, add the output of {output}"
        elif checked is None or self.message in checked:
            what = "matches no finding"
            fix = "remove it, or compare with the commit before the change that it accepts"
        else:
            return list(findings)
        rule = catalogue.named("expired-waiver" if covered else "stale-waiver")
        own = Finding(
            rule=rule.name,
            severity=rule.severity,
            category=rule.category,
            message=f"the waiver of {self} {what}",
            fix=fix,
            message_name=self.message,
            message_type="",
            field=self.field,
            versions=self.versions,
            location=self.place,
            discriminator=" ".join(filter(None, (self.rule, self.subject, self.change))),
        )
        return [*findings, own]

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
    file = Table(parse_toml(text, path), path)
    file.known(["waiver"])
    content = text if isinstance(text, str) else text.decode()
    heads = [Lines(content).position(match.start(1)) for match in _HEAD.finditer(content)]
    tables = file.inners("waiver")
    # Waivers in an array on one line have none.
    positions = heads if len(heads) == len(tables) else [Position(1, 1)] * len(tables)
    waivers: list[Waiver] = []
    lines: dict[Waiver, int] = {}
    for table, at in zip(tables, positions, strict=True):
        entry = Table(table.values, path, position=at)
        waiver = _waiver(entry, at)
        accepted = replace(waiver, reason="", by="", expires=None)
        if accepted in lines:
            raise entry.error(f"this is a duplicate of the waiver in line {lines[accepted]}")
        lines[accepted] = at.line
        waivers.append(waiver)
    return waivers


def _waiver(entry: Table, at: Position) -> Waiver:
    """The waiver of an entry. Raises InputError for what is missing or wrong in it."""
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
    rule = texts["rule"]
    expires = entry.values.get("expires")
    versions = texts.pop("versions")
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
