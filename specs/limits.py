"""All limits on input, which may be hostile; site_src/limits.md documents each of them.

Limits of output (rows of a page, characters of a comment) and parameters of algorithms (sizes of
blocks and caches) are where they are used. The largest specs of Kafka have about 100 fields and 20
versions: no genuine input comes near a limit.
"""

from __future__ import annotations

# Specs, archives and settings
MAX_TEXT = 16 << 20  # bytes of one spec or registry
MAX_TOTAL = 1 << 30  # bytes of all specs of a source, or of everything unpacked from an archive
MAX_FILES = 100_000  # files of a source
MAX_FOLDERS = 100  # nested folders
MAX_SETTINGS = 1 << 20  # bytes of wirebook.toml, waivers.toml or a file of owners
MAX_DOTS = 1_000  # in a line of TOML

# Git
GIT_SECONDS = 120.0  # of one git command, which a setting or an object that is a pipe would block

# The format of specs
MAX_INT16 = 32_767  # API keys, versions, and bytes of a string, which are INT16 on the wire
MAX_NESTING = 100  # nesting of arrays and objects in JSON
MAX_STRUCT_DEPTH = 50  # nesting of structs
MAX_VERSIONS = 1_000  # of one message, if all of them are laid out
# Fields times versions of one message; those of a struct count at each use.
MAX_LAID_OUT = 250_000

# Messages in bytes
MAX_ELEMENTS = 20_000  # structs in arrays, records and headers, and one for each byte of input
MAX_UNPACKED = 8 << 20  # bytes that the records of one batch decompress to, and in addition
MAX_UNPACKED_TIMES = 64  # the size of the compressed ones times this

# Peers on a network
MAX_FRAME = 4 << 20  # bytes of one answer to a probe; the list of versions takes a few hundred
PROBE_SECONDS = 10.0  # for each connection and answer, unless --timeout gives another
MAX_PROBE_SECONDS = 3_600.0  # that --timeout may give
MIN_ITERATIONS = 4_096  # of SCRAM: with fewer, passwords are easy to guess (RFC 7677)
MAX_ITERATIONS = 1_000_000  # of SCRAM, which the server chooses; two billion take an hour
MAX_SCRAM = 16_384  # bytes of one message of SCRAM
MAX_RANGES = 4 << 20  # bytes of a file of version ranges

# Logs
MAX_LINE = 64 << 20  # bytes of one line of a log; longer ones are skipped
MAX_PREFIX = 4_096  # characters before a request in a line, where its time is
MAX_NAME = 512  # characters of a name in a log, such as a client ID; longer ones are cut
MAX_APPLICATIONS = 1_000  # of one principal whose names begin alike; more count as one
MAX_NAMES = 200_000  # applications in logs, before those that begin alike count as one
