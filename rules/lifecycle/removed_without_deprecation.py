"""A version is deprecated in one release and removed in a later one.

## What it does
Reports a `removed` that this patch adds to the `history` of a version that neither base nor a
baseline had `deprecated`, or, with `deprecated_for` in the configuration, before that time has
passed.

## Why it breaks
Peers that support no newer version are cut off without a release that announced it.

## When it is fine
Never for a released version. `api-versions-deprecated` covers the API that negotiates versions.

## Do instead
Add `deprecated` now, release it, and add `removed` with a later protocol level.

## Example
```diff
  { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0",
    "flexibleVersions": "0+", "fields": [], "history": [
-   { "version": 0, "added": "1.0-IV0" }
+   { "version": 0, "added": "1.0-IV0", "removed": "2.0-IV0" }
  ] }
```
"""

from wirebook.rules.pairs import MessagePair
from wirebook.rules.released import history_of
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule


@rule(Category.POLICY, "KIP-896")
def removed_without_deprecation(pair: MessagePair) -> Hits:
    before = {entry.version: entry for entry in pair.base.history}
    if not before or pair.head.negotiates_versions:
        return
    releases = [history_of(other) for other in pair.released_specs]
    for entry in pair.head.history:
        version, previous = entry.version, before.get(entry.version)
        if previous is None and version not in pair.base.valid_versions:
            continue
        if entry.removed is None or (previous is not None and previous.removed is not None):
            continue
        marks = [None if previous is None else previous.deprecated]
        marks += [history.get(version, {}).get("deprecated") for history in releases]
        since = next((level for level in marks if level is not None), None)
        if since is None:
            how = "is deprecated in the same patch" if entry.deprecated else "was never deprecated"
            text = f"but {how}: peers that support no newer version are cut off without notice"
            fix = "add deprecated now, release it, and add removed with a later protocol level"
        elif first := pair.levels.too_soon(entry.deprecated or since, entry.removed):
            text = f"but deprecated since {since}, less than {pair.levels.window} before"
            fix = f"remove it from {first} on"
        else:
            continue
        known = pair.base.written.at("history") if previous is None else previous.written.position
        yield Hit(
            f"version {version} of {pair.head.name} is removed since {entry.removed}, {text}",
            fix,
            (version,),
            at=entry.written.at("removed"),
            previous=known,
            severity=Severity.ERROR,
            discriminator=str(version),
        )
