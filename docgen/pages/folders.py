"""The folders of the pages of releases and of protocol levels."""

RELEASES = "releases/"
LEVELS = "levels/"
