"""A version is deprecated in one release and removed in a later one.

## What it does
Reports a `removed` that this patch adds to the `history` of a version that neither base nor a
release had `deprecated`, or, with `deprecated_for` in the configuration, before that time has
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

from wirebook.rules.levels import ProtocolLevels
from wirebook.rules.parts import MessagePair
from wirebook.rules.released import history_of, place_in
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule


@rule(Category.POLICY, "KIP-896")
def removed_without_deprecation(pair: MessagePair) -> Hits:
    if not pair.base.history or pair.head.negotiates_versions:
        return
    recorded = history_of(pair.base, *pair.released_specs)
    levels = ProtocolLevels.of(pair.protocols)
    for entry in pair.head.history:
        version = entry.version
        before = recorded.get(entry.version, {})
        is_known = version in recorded or version in pair.base.valid_versions
        if entry.removed is None or "removed" in before or not is_known:
            continue
        since = before.get("deprecated")
        if since is None:
            how = "is deprecated in the same patch" if entry.deprecated else "was never deprecated"
            text = f"but {how}: peers that support no newer version are cut off without notice"
            fix = "add deprecated now, release it, and add removed with a later protocol level"
        elif first := levels.too_soon(entry.deprecated or since, entry.removed):
            text = f"but deprecated since {since}, less than {levels.window} before"
            fix = f"remove it from {first} on"
        else:
            continue
        yield Hit(
            f"version {version} of {pair.head.name} is removed since {entry.removed}, {text}",
            fix,
            (version,),
            at=entry.written.at("removed"),
            previous=place_in(pair.base, version, "removed"),
            severity=Severity.ERROR,
            discriminator=str(version),
        )
