"""The exit codes of every command."""

CLEAN = 0
FINDINGS = 1
UNUSABLE = 2  # bad input or usage
INTERNAL = 3  # a bug in wirebook
STOPPED = 130  # by Ctrl-C, as shells report it
