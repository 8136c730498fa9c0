"""The page on the probe says what the probe does: its options and its example."""

from __future__ import annotations

import argparse
import re

import pytest

from tests.cli.probing import of_release
from tests.peers.small_broker import listening
from tests.support import ROOT
from wirebook.cli import probe as probe_command
from wirebook.cli.arguments import declare
from wirebook.cli.main import main

TEXT = (ROOT / "site_src" / "brokers.md").read_text(encoding="utf-8")
PAGE = TEXT.partition("\n## Probe a live broker")[2].partition("\n## ")[0]


def test_every_option_is_named() -> None:
    parser = argparse.ArgumentParser()
    declare(parser, probe_command.ARGUMENTS)
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    options = {text for action in shown for text in action.option_strings if text.startswith("--")}
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert named <= options
    assert options - named == {"--help"}


def test_the_example_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(of_release("3.9")) as listener:
        assert main(["probe", listener.address]) == 0
    printed = capsys.readouterr().out.replace(listener.address, "localhost:9092").splitlines()
    block = re.search(r"```console\n\$ wirebook probe localhost:9092\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    wanted = [line for line in block[1].splitlines() if line.strip() not in ("", "…")]
    squeezed = {" ".join(line.split()) for line in printed}
    assert [line for line in wanted if " ".join(line.split()) not in squeezed] == []
