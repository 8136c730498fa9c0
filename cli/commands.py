"""The table of commands. Only the module of the command that runs is imported."""

from typing import NamedTuple


class Command(NamedTuple):
    """A command: its line in the help, an example, and its module.

    The module has `declare(parser)`, which adds the arguments, and `run(options)`, which turns the
    options into a request, calls the function that does the work, and returns the exit code.
    """

    help: str
    example: str
    module: str


GROUPS = {
    "judge a change": {
        "check": Command(
            "check changed specs for incompatible changes", "wirebook check --staged", "gate.check"
        ),
        "report": Command(
            "describe a change for its reviewer: verdict, findings, what changes, and who must act",
            "wirebook report --against origin/main --output report.md",
            "gate.report",
        ),
        "changes": Command(
            "list everything that changed between two sources, breaking or not",
            "wirebook changes kafka.git@3.9.0 kafka.git@4.0.0",
            "gate.changes",
        ),
        "explain": Command(
            "list the rules, or explain one: what it reports and why",
            "wirebook explain tag-reused",
            "gate.explain",
        ),
    },
    "write specs": {
        "init": Command(
            "set up a repository of specs: settings, hook, CI, site",
            "wirebook init --ci --site",
            "authoring.init",
        ),
        "new": Command(
            "create a request and its response, or another message",
            "wirebook new request PlaceOrder",
            "authoring.new",
        ),
        "bump": Command(
            "open the next version of an API or a message",
            "wirebook bump PlaceOrder",
            "authoring.bump",
        ),
    },
    "read messages": {
        "show": Command(
            "show a message as a table, BNF or JSON",
            "wirebook show Fetch --version 12 --format bnf",
            "reference.show",
        ),
        "export": Command(
            "export layouts as JSON Lines: one line per message and version",
            "wirebook export HEAD --api Fetch",
            "reference.export",
        ),
        "encode": Command(
            "encode a JSON value as the bytes of a message",
            "wirebook encode ApiVersionsRequest 3 '{}' --explain",
            "peers.encode",
        ),
        "decode": Command(
            "decode the bytes of a message to a JSON value",
            "wirebook decode HeartbeatResponse 0 0000 --explain",
            "peers.decode",
        ),
    },
    "work with peers": {
        "negotiate": Command(
            "work out which versions a client and servers use, and why others do not work",
            "wirebook negotiate --client kafka-python --broker 3.9 --broker 4.3",
            "peers.negotiate",
        ),
        "probe": Command(
            "query live Kafka brokers for their versions and compare them with the releases",
            "wirebook probe localhost:9092 --sasl scram-sha-512 --user alice",
            "peers.probe",
        ),
        "mock": Command(
            "run a mock Kafka broker of any release, with faults on demand, to test clients",
            "wirebook mock --release 3.9 --fault silence --port 9092",
            "peers.mock",
        ),
    },
    "publish and look back": {
        "build": Command(
            "run the Spark pipeline and build the site",
            "wirebook build --history kafka.git --releases '[0-9]*' --site-dir site",
            "reference.build",
        ),
        "serve": Command(
            "build the site and serve it with live reload",
            "wirebook serve --port 8000",
            "reference.serve",
        ),
        "audit": Command(
            "check every commit and release of a history, on Spark",
            "wirebook audit kafka.git --releases '[0-9]*' --output audit",
            "gate.audit",
        ),
        "fleet": Command(
            "report which clients an upgrade of a Kafka cluster would cut off, from its request "
            "logs",
            "wirebook fleet /var/log/kafka --target 4.0 --owners owners.toml --output fleet",
            "reference.fleet",
        ),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
