"""Times in logs: dates as brokers, collectors and people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# The last moment in a text.
_MOMENT = re.compile(
    r".*(?P<day>\d{4}-\d\d-\d\d)[ T_](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?"
    r"(?: ?(?P<zone>Z|[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d)))?",
    re.DOTALL,
)


def moment_of(text: str) -> tuple[str, str]:
    """Find the last date and time in a text; returns the day, and the time to the millisecond, or "".

    The last one is that of a line: what collectors, or another line that a crash cut off, have before it
    comes first. A time without a zone is kept as written, because brokers log local time; a time with a zone
    is converted to UTC.
    """
    match = _MOMENT.match(text)
    if match is None:
        return "", ""
    milliseconds = (match["part"] or "")[:3].ljust(3, "0")
    try:
        moment = datetime.fromisoformat(f"{match['day']}T{match['time']}.{milliseconds}{match['zone'] or ''}")
        if match["zone"]:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return "", ""
    return moment.date().isoformat(), moment.isoformat(timespec="milliseconds")
