"""All limits on input; site_src/limits.md documents them.

The largest specs of Kafka have about 100 fields and 20 versions: no genuine input comes near a limit.
"""

from __future__ import annotations

MAX_TEXT = 16 << 20  # bytes of one spec, registry or file of custom rules
MAX_TOTAL = 1 << 30  # bytes of all specs of a source, or of everything unpacked from an archive
MAX_FILES = 100_000  # files of a source
MAX_FOLDERS = 100  # nested folders
MAX_SETTINGS = 1 << 20  # bytes of wirebook.toml, pyproject.toml or waivers.toml
MAX_KEY_PARTS = 100  # of a dotted key of TOML
MAX_EXTENDED = 10  # profiles that extend each other
MAX_GLOBS = 1_000  # in one setting, or in all overrides together
MAX_FROZEN = 64 << 20  # bytes of a frozen baseline

GIT_SECONDS = 120  # seconds without a byte from git, which a setting or an object that is a pipe would block

MAX_INT16 = 32_767  # API keys, versions and header versions, which are INT16 on the wire

MAX_NESTING = 100  # nesting of arrays and objects in JSON
MAX_NUMBER = 400  # characters of a number; Python refuses to read integers of over 4,300 digits
MAX_PROBLEMS = 1_000  # values of one spec that the format does not allow, before reading stops

MAX_FIELDS = 20_000  # of one message, counting those of a shared struct wherever it is used
MAX_STRUCT_DEPTH = 50  # nesting of structs
MAX_VERSIONS = 1_000  # of one message, if all of them are laid out
MAX_LAID_OUT = 1_000_000  # fields times versions of one message
MAX_PATH = 500  # characters of the path of a field, which --explain repeats for each of its bytes
MAX_PATHS = 4 << 20  # characters of the paths of all its fields together

MAX_EMPTY = 16_384  # structs without bytes of their own in one message, and one more for each byte of it
MAX_UNPACKED = 4 << 20  # bytes that the compressed records of one message decompress to …
UNPACKED_PER_BYTE = 64  # … and this many more for each byte of them
MAX_RECORDS = 10_000  # records of one message, with their headers …
BYTES_PER_RECORD = 2  # … and one more for this many bytes: every header takes at least as many
