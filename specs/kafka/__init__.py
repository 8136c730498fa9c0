"""Everything specific to Kafka: its message specs, protocol levels, releases and error codes."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

# The name of the built-in profile, and of the family of those that extend it.
KAFKA = "kafka"


@cache
def facts(name: str) -> Any:
    """What a JSON file of facts says."""
    # Executors of Spark read it from the archive that the code is shipped in.
    return json.loads(files("wirebook.specs.kafka").joinpath(name).read_bytes())
