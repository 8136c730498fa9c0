"""Header versions and header fields are those of the header specs.

## What it does
Looks up the header of each valid version, by `headerVersions` or `flexibleVersions`, in the spec of
that header, and each field that `[headers.fields]` of the profile names in all header specs.

## Why it breaks
Nobody can encode or decode such a message with its header. If `fields` names no field of a header,
the header has the default instead of the API key or the version.

## When it is fine
If no spec describes the header, or only some of the files are checked.

## Do instead
Correct the name or the number, or add the version to the spec of the header.

## Example
```diff
@@ FooRequest.json @@
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
+   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "3" }, "fields": [] }
@@ RequestHeader.json @@
  { "type": "header", "name": "RequestHeader", "validVersions": "1-2", "flexibleVersions": "2+",
    "fields": [{ "name": "RequestApiKey", "type": "int16", "versions": "0+" },
               { "name": "RequestApiVersion", "type": "int16", "versions": "0+" },
               { "name": "CorrelationId", "type": "int32", "versions": "0+" },
               { "name": "ClientId", "type": "string", "versions": "1+",
                 "nullableVersions": "1+" }] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.rules.validity.words import one_of
from wirebook.specs.model import Protocol
from wirebook.specs.profile import HALVES


@rule(Category.SET, "message format")
def unknown_header(protocol: Protocol) -> Hits:
    headers = {each.name: each for each in protocol if each.type == "header" and not unusable(each)}
    of_profiles: set[tuple[str, int]] = set()
    for message in protocol:
        header, is_own = headers.get(f"{message.type.capitalize()}Header"), message.header_versions
        if header is None or unusable(message) or (message.profile.family and not is_own):
            continue
        for number in sorted(message.headers - frozenset(header.valid_versions)):
            # The headers of a profile are reported on one of the messages that have them.
            if is_own or (message.type, number) not in of_profiles:
                yield Hit(
                    f"the header of {message.name} does not exist: {header.name} has no version "
                    f"{number}, only {header.valid_versions}",
                    f"write a version that {header.name} has, or add version {number} to it",
                    key="headerVersions",
                    of=message,
                    discriminator=str(number),
                )
            of_profiles.add((message.type, number))
    if any(f"{each.capitalize()}Header" not in headers for each in HALVES):
        return
    names = [*dict.fromkeys(field.name for each in headers.values() for field in each.fields)]
    for profile in {each.profile.path: each.profile for each in headers.values()}.values():
        for role, name in profile.headers.fields._asdict().items():
            # A profile that extends another one may have headers without its fields.
            if name and not profile.family and name not in names:
                yield Hit(
                    f'{role} of the headers is the field "{name}", which no header has',
                    one_of(name, names),
                    place=profile.place,
                    discriminator=role,
                )
