"""Deprecate a version in a release before you remove it.

## What it does
Reports versions that are removed from the lower end of `validVersions`, or all of them; of a
request and its response, on the request. In specs that keep a history this is always an error:
there `removed` ends a version and its definition stays. In others it is an error if no release
marked the version as deprecated, a warning if the mark is unreleased, and a note otherwise. With
`deprecated_for` in the configuration, it is an error until the mark has been released for that
time, also if the time is unknown. `api-versions-deprecated` covers the API that negotiates
versions.

## Why it breaks
A client that supports no newer version gets its connection closed.

## When it is fine
After a release that marks the version as deprecated, when no client in use needs it.

## Do instead
Mark the version (`deprecatedVersions`, or `deprecated` in the history), release, and remove it
later.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "1-2",
    "flexibleVersions": "none", "fields": [] }
```
"""

from wirebook.rules.levels import ProtocolLevels
from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.versions import MAX_VERSION, counted


@rule(Category.POLICY, "KIP-35; KIP-896; KAFKA-19444", per="api")
def lowest_version_raised(pair: MessagePair) -> Hits:
    base = pair.base
    head = pair.head
    released = pair.released
    window = pair.protocols.window
    below = head.valid_versions.lowest if head.valid_versions else MAX_VERSION + 1
    cut = frozenset(v for v in pair.base_versions & released.keys() if v < below)
    if not cut or base.type != head.type or head.negotiates_versions:
        return
    if base.history:
        yield Hit(
            f"validVersions of {head.name} loses {counted(cut)}: in specs with a history, "
            "`removed` ends a version and its definition stays",
            "restore validVersions, and add removed to the history",
            cut,
            "validVersions",
        )
        return
    unmarked = cut - pair.deprecated.keys()
    since = dict.fromkeys(pair.deprecated[version] for version in sorted(cut - unmarked))
    when = f"deprecated since {', '.join(since)}" if all(since) else "deprecated before"
    first = ProtocolLevels.of(pair.protocols).earliest(since)
    if unmarked:
        # A mark that no release has is too young for any window.
        is_marked = unmarked <= frozenset(base.deprecated_versions)
        # partner-versions-differ reports a response alone.
        is_mild = head.type == "response" or (is_marked and window is None)
        severity = Severity.WARNING if is_mild else Severity.ERROR
        marked = "no release marked" if all(released.values()) else "base does not mark"
        why = f", and {marked} {counted(unmarked)} as deprecated"
        fix = (
            'restore them, and remove them after a release that names them in "deprecatedVersions"'
        )
    elif first:
        severity = Severity.ERROR
        why = f", {when}, which must last {window} first"
        fix = f"remove them from {first} on"
    else:
        severity = Severity.INFO
        why = f"; {when}"
        fix = "announce the removal in the release notes"
    first_with = released.get(below, "")
    peers = ": peers that support no newer version are cut off"
    if head.type == "header":
        peers = ""
    elif not head.valid_versions:
        peers = ": peers that use it are cut off"
    elif first_with not in ("", released[min(cut)]):
        peers = f": peers older than {first_with}, which support no newer version, are cut off"
    yield Hit(
        f"{head.name} no longer has {counted(cut)}{peers}{why}",
        fix,
        cut,
        "validVersions",
        severity=severity,
    )
