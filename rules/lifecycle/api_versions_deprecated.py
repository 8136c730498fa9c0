"""Never deprecate or remove a version of the API that negotiates versions.

## What it does
Reports, for the API that the profile of the protocol names under `[negotiation]`, any
`deprecatedVersions`, a `history` entry with `deprecated` or `removed`, and a lowest version above
0. The rule does not apply if the profile names no such API.

## Why it breaks
A client sends this request before it knows anything about the server. If the version that it sends
is removed, it cannot find out which versions the server supports: old clients are cut off by a
response that they cannot read.

## When it is fine
Never. Configuration cannot lower this rule; only an explicit waiver can accept a finding.

## Do instead
Add a new version and leave the old ones unchanged.

## Example
```diff
  { "apiKey": 3, "type": "request", "name": "VersionsRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
+   "flexibleVersions": "1+", "deprecatedVersions": "0", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Message


@rule(Category.POLICY, "KIP-35", firm=True)
def api_versions_deprecated(message: Message) -> Hits:
    profile = message.profile
    valid = message.valid_versions
    if profile.negotiation is None or not message.negotiates_versions:
        return
    name = profile.negotiation.name
    found = [
        ("deprecatedVersions", str(version), f"deprecates its version {version}")
        for version in message.deprecated_versions & valid
    ]
    lost = range(valid.lowest) if valid else ("none",)
    found += [("validVersions", f"{each}", f"has the versions {valid}") for each in lost]
    # A finding for each version: a change that goes further than base is reported.
    for key, version, text in found:
        yield Hit(
            f"{message.name} {text}: clients rely on every version of {name} to find out which "
            f"versions a {profile.server} supports",
            f"keep every version of {name}, from 0 on",
            key=key,
            discriminator=f"{key} {version}",
        )
    for entry in message.history:
        for key, since in (("deprecated", entry.deprecated), ("removed", entry.removed)):
            if since is not None:
                yield Hit(
                    f"the history of {message.name} says that version {entry.version} is {key} "
                    f"since {since}",
                    f"keep every version of {name}, from 0 on",
                    at=entry.written.at(key),
                    discriminator=f"{key} {entry.version}",
                )
