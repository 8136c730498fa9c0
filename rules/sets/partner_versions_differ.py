"""A response has the same valid and flexible versions as its request.

## What it does
Compares `validVersions` of a request and its response, `flexibleVersions` within them, and, if both
keep a `history`, the protocol levels at which a version was removed or reintroduced.

## Why it breaks
The version in the request header is also that of the response. If the response lacks it, the server
cannot answer. If only one of the two is flexible, one side reads compact lengths and tags that are
not there.

## When it is fine
A bound above the highest version has no effect, and neither does the way an open range is written.

## Do instead
Give both the same `validVersions` and `flexibleVersions`, in one patch.

## Example
```diff
@@ FooRequest.json @@
- { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1",
+ { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "0+", "fields": [] }
@@ FooResponse.json @@
  { "apiKey": 1, "type": "response", "name": "FooResponse", "validVersions": "0-1",
    "flexibleVersions": "0+", "fields": [] }
```
"""

from wirebook.rules.parts import ApiPair
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.versions import Versions, VersionSet, counted


@rule(
    Category.POLICY,
    "KIP-35; KIP-482",
    follows=(
        "flexible-versions-changed",
        "highest-version-lowered",
        "lowest-version-raised",
        "api-versions-deprecated",
    ),
)
def partner_versions_differ(api: ApiPair) -> Hits:
    request = api.request
    response = api.response
    requested = request.valid_versions
    answered = response.valid_versions
    flexible = request.flexible_versions
    answer = response.flexible_versions
    both = requested & answered
    if only := (requested - answered) | (answered - requested):
        yield _differ(
            "validVersions",
            (
                f"{request.name} has the versions {requested} and {response.name} {answered}: only "
                f"one of them has {counted(only)}"
            ),
            requested,
            answered,
        )
    if apart := (flexible & both) - answer | (answer & both) - flexible:
        yield _differ(
            "flexibleVersions",
            (
                f"in {counted(apart)} only one of {request.name} (flexible {flexible}) and "
                f"{response.name} (flexible {answer}) is flexible"
            ),
            flexible,
            answer,
        )
    ends = {entry.version: (entry.removed, entry.returned) for entry in request.history}
    differing = [
        entry.version
        for entry in response.history
        if ends.get(entry.version, ()) not in ((), (entry.removed, entry.returned))
    ]
    if differing:
        yield Hit(
            f"the histories of {request.name} and {response.name} differ in when "
            f"{counted(differing)} ended",
            "write the same removed and returned in both histories, in one patch",
            key="history",
            discriminator=f"history {VersionSet.of(differing)}",
        )


def _differ(key: str, text: str, one: Versions, other: Versions) -> Hit:
    """The hit on a key whose ranges differ between the request and the response."""
    return Hit(
        text,
        f"give both the same {key}",
        key=key,
        discriminator=key,
        change=f"request {one}; response {other}",
    )
