"""The table of commands. Only the module of the command that runs is imported."""

from typing import NamedTuple

from wirebook.cli.worded import Worded

NOT_THERE = ""  # for peers of the embedded protocol only


class Command(NamedTuple):
    """A command: its line in the help, an example, and its module.

    Both texts may be `Worded`; without a line about other protocols, a command is not listed where they are.

    The module has `declare(parser)`, which adds the arguments, and `run(options)`, which turns the options
    into a request, calls the function that does the work, and returns the exit code.
    """

    help: str
    example: str
    module: str


COMMANDS = {
    "check": Command("check changed specs for incompatible changes", "wirebook check --staged", "gate.check"),
    "show": Command(
        "show a message as a table, BNF or JSON",
        Worded(
            "wirebook show Fetch --version 12 --format bnf",
            "wirebook show PlaceOrder --version 0 --format bnf",
        ),
        "reference.show",
    ),
    "export": Command(
        "export layouts as JSON Lines: one line per message and version",
        Worded("wirebook export HEAD --api Fetch", "wirebook export HEAD --api PlaceOrder"),
        "reference.export",
    ),
    "encode": Command(
        "encode a JSON value as the bytes of a message",
        Worded(
            "echo '{}' | wirebook encode ApiVersionsRequest 3 --explain",
            "echo '{}' | wirebook encode PlaceOrderRequest 0 --explain",
        ),
        "peers.encode",
    ),
    "decode": Command(
        "decode the bytes of a message to a JSON value",
        Worded(
            "echo 0000 | wirebook decode HeartbeatResponse 0 --explain",
            "echo 0000 | wirebook decode PlaceOrderResponse 0 --explain",
        ),
        "peers.decode",
    ),
    "report": Command(
        "describe a change for its reviewer: verdict, findings, changes, new layouts, effects on clients",
        "wirebook report --against origin/main --output report.md",
        "gate.report",
    ),
    "changes": Command(
        "list everything that changed between two sources, breaking or not",
        Worded("wirebook changes kafka.git@3.9.0 kafka.git@4.0.0", "wirebook changes v1.0.0 v1.1.0"),
        "gate.changes",
    ),
    "audit": Command(
        "check every commit and release of a history, on Spark",
        Worded(
            "wirebook audit kafka.git --releases '[0-9]*' --output audit",
            "wirebook audit . --releases 'v*' --output audit",
        ),
        "gate.audit",
    ),
    "init": Command(
        "set up a repository of specs: settings, hook, CI, site", "wirebook init --yes", "authoring.init"
    ),
    "new": Command(
        "create a request and its response, or another message",
        "wirebook new request PlaceOrder",
        "authoring.new",
    ),
    "bump": Command(
        "open the next version of an API or a message", "wirebook bump PlaceOrder", "authoring.bump"
    ),
    "explain": Command(
        "list the rules, or explain one: what it reports and why; or a finding, byte by byte",
        "wirebook explain tag-reused",
        "gate.explain",
    ),
    "negotiate": Command(
        "work out which versions a client and servers use, and why others do not work",
        Worded(
            "wirebook negotiate --client kafka-python --broker 3.9 --broker 4.3",
            "wirebook negotiate --client small --server 1.0.0",
        ),
        "peers.negotiate",
    ),
    "probe": Command(
        Worded("query live Kafka brokers for their versions and compare them with the releases", NOT_THERE),
        "wirebook probe localhost:9092 --sasl scram-sha-512 --user alice",
        "peers.probe",
    ),
    "mock": Command(
        Worded("run a mock Kafka broker of any release, with faults on demand, to test clients", NOT_THERE),
        "wirebook mock --release 3.9 --mode max-0-empty-list --port 9092",
        "peers.mock",
    ),
    "fleet": Command(
        Worded(
            "report which clients an upgrade of a Kafka cluster would cut off, from its request logs",
            NOT_THERE,
        ),
        "wirebook fleet /var/log/kafka --target 4.0 --owners owners.toml --output fleet",
        "reference.fleet",
    ),
    "build": Command(
        "run the Spark pipeline and build the site",
        Worded(
            "wirebook build --history kafka.git --releases '[0-9]*' --site-dir site",
            "wirebook build --history . --releases 'v*' --site-dir site",
        ),
        "reference.build",
    ),
    "serve": Command(
        "build the site and serve it with live reload", "wirebook serve --port 8000", "reference.serve"
    ),
}
