"""The table of commands. Only the module of the command that runs is imported."""

from typing import NamedTuple


class Command(NamedTuple):
    """A command: its line in the help, and the arguments of an example.

    The module of its name has `ARGUMENTS`, and `run(options)`, which turns the options into a
    request, calls the function that does the work, and returns the exit code.
    """

    help: str
    example: str


GROUPS = {
    "judge a change": {
        "check": Command("check changed specs for incompatible changes", "--staged"),
        "report": Command(
            "describe a change for its reviewer: verdict, findings, what changes, and who must act",
            "--against origin/main --output report.md",
        ),
        "changes": Command(
            "list everything that changed between two sources, breaking or not",
            "kafka.git@3.9.0 kafka.git@4.0.0",
        ),
        "explain": Command("list the rules, or explain one: what it reports and why", "tag-reused"),
    },
    "write specs": {
        "init": Command("set up a repository of specs: settings, hook, CI, site", "--ci --site"),
        "new": Command(
            "create a request and its response, or another message", "request PlaceOrder"
        ),
        "bump": Command("open the next version of an API or a message", "PlaceOrder"),
    },
    "read messages": {
        "show": Command(
            "show a message as a table, BNF or JSON", "Fetch --version 12 --format bnf"
        ),
        "export": Command(
            "export layouts as JSON Lines: one line per message and version", "HEAD --api Fetch"
        ),
        "encode": Command(
            "encode a JSON value as the bytes of a message", "ApiVersionsRequest 3 '{}' --explain"
        ),
        "decode": Command(
            "decode the bytes of a message to a JSON value", "HeartbeatResponse 0 0000 --explain"
        ),
    },
    "work with peers": {
        "negotiate": Command(
            "work out which versions a client and servers use, and why others do not work",
            "--client kafka-python --broker 3.9 --broker 4.3",
        ),
        "probe": Command(
            "query live Kafka brokers for their versions and compare them with the releases",
            "localhost:9092 --sasl scram-sha-512 --user alice",
        ),
        "mock": Command(
            "run a mock Kafka broker of any release, with faults on demand, to test clients",
            "--release 3.9 --fault silence --port 9092",
        ),
    },
    "publish and look back": {
        "build": Command(
            "run the Spark pipeline and build the site",
            "--history kafka.git --releases '[0-9]*' --site-dir site",
        ),
        "serve": Command("build the site and serve it with live reload", "--port 8000"),
        "audit": Command(
            "check every commit and release of a history by the default severities, on Spark",
            "kafka.git --releases '[0-9]*' --output audit",
        ),
        "fleet": Command(
            "report which clients an upgrade of a Kafka cluster would cut off, by its logs",
            "/var/log/kafka --target 4.0 --owners owners.toml --output fleet",
        ),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
