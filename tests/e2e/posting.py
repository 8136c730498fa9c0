"""Programs that play `gh` and `glab`: what they post is a file beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PLAYED = """\
#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$*" >> calls
if [ -e refused ]; then echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; fi
if [ "$2" = view ]; then cat posted 2>/dev/null; exit 0; fi
while [ $# -gt 0 ]; do
  case "$1" in
    --body-file) cat "$2" > posted ;;
    --body | --message) printf '%s\\n' "$2" > posted ;;
  esac
  shift
done
"""


@dataclass
class Posting:
    """The folder of the programs."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        for name in ("gh", "glab"):
            (self.folder / name).write_text(PLAYED)
            (self.folder / name).chmod(0o755)

    def refuse(self) -> None:
        """From now on, nothing may be posted."""
        (self.folder / "refused").touch()

    @property
    def calls(self) -> list[str]:
        """The arguments of each call."""
        place = self.folder / "calls"
        return place.read_text().splitlines() if place.exists() else []

    @property
    def posted(self) -> str:
        """What was posted last; "" if nothing was."""
        place = self.folder / "posted"
        return place.read_text(encoding="utf-8") if place.exists() else ""
