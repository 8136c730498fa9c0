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

from wirebook.rules.pairs import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.versions import MAX_VERSION, counted


@rule(Category.POLICY, "KIP-35; KIP-896; KAFKA-19444", per="api")
def lowest_version_raised(pair: MessagePair) -> Hits:
    base, head, window = pair.base, pair.head, pair.levels.window
    below = head.valid_versions.lowest if head.valid_versions else MAX_VERSION + 1
    cut = frozenset(v for v in pair.base_versions & pair.released.keys() if v < below)
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
    first = next(filter(None, map(pair.levels.too_soon, since)), "")
    of = " of the request" if head.type == "response" else ""
    why, severity = f"; {when}", Severity.INFO
    fix = "announce the removal in the release notes"
    if unmarked:
        # A mark that no release has is too young for any window. Only requests carry marks:
        # without its request, a response has no known marks.
        is_marked = unmarked <= frozenset(base.deprecated_versions)
        is_mild = window is None if is_marked else bool(of)
        severity = Severity.WARNING if is_mild else Severity.ERROR
        verb, yet = ("has marked", " yet") if is_marked else ("marked", "")
        why = f", and no release {verb} {counted(unmarked)} as deprecated{yet}"
        fix = (
            f'restore the versions, name them in "deprecatedVersions"{of}, and remove them after '
            "a release"
        )
    elif first:
        why, severity = f", {when}, which must last {window} first", Severity.ERROR
        fix = f"remove them from {first} on"
    sentence = f"{head.name} no longer has {counted(cut)}: {_peers(pair)} cut off{why}"
    yield Hit(sentence, fix, cut, "validVersions", severity=severity)


def _peers(pair: MessagePair) -> str:
    """The peers that support none of the remaining versions, followed by the verb: clients, or
    other servers.

    They are known from the releases in the profile, or else from the baselines.
    """
    head, released, lowest = pair.head, pair.released, pair.head.valid_versions.lowest
    if not head.valid_versions:
        return "peers that use it are"
    # The tables of all releases of the broker.
    from wirebook.specs.kafka.served import Served

    if releases := Served.of(head).only_below(lowest):
        return f"peers of {head.profile.product} {releases}, which support no newer version, are"
    first_with = released.get(lowest, "")
    older = [release for version, release in released.items() if version < lowest]
    if head.api_key is not None and first_with and first_with not in older:
        return f"peers older than {first_with}, which support no newer version, are"
    return "peers that support no newer version are"
