"""The exit codes of every command."""

CLEAN = 0
FINDINGS = 1
UNUSABLE = 2
