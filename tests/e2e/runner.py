"""Runs action.yml as GitHub's runner does: conditions, expressions, outputs, and its scripts in
bash."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.support import ROOT

# The runner gives a job's environment these; nothing else of this machine reaches a step.
TOKEN, REPOSITORY, NUMBER = "ghs_the-token", "owner/name", 7

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][\w-]*(?:\.[\w-]+)*(?:\(\))?|==|!=|&&|\|\||[!()]")


def action() -> dict[str, Any]:
    """action.yml, read."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def pull_request(number: int = NUMBER, base: str = "main") -> dict[str, Any]:
    """What an expression sees of the event of a pull request."""
    event = {
        "action": "synchronize",
        "number": number,
        "pull_request": {"number": number, "base": {"ref": base}},
        "repository": {"default_branch": "main"},
    }
    return {
        "event_name": "pull_request",
        "event": event,
        "base_ref": base,
        "ref_name": f"{number}/merge",
    }


def push(before: str, branch: str = "main", default: str = "main") -> dict[str, Any]:
    """What an expression sees of the event of a push."""
    event = {"before": before, "repository": {"default_branch": default}}
    return {"event_name": "push", "event": event, "base_ref": "", "ref_name": branch}


@dataclass
class Ran:
    """What a run left: its exit code, the log of our steps, the summary, the outputs, the steps
    that ran."""

    code: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    given: dict[str, dict[str, str]] = field(default_factory=dict)  # the inputs of other actions
    environments: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def report(self) -> str:
        """The report, as a step after the action reads it."""
        return Path(self.outputs["report"]).read_text(encoding="utf-8")


@dataclass
class Runner:
    """A machine with a checkout, on which the action runs for an event, with a `gh` of `tools`."""

    checkout: Path
    folder: Path
    github: dict[str, Any] = field(default_factory=pull_request)
    tools: Path = Path("/nonexistent")  # before the PATH
    python: str = sys.executable
    fails: frozenset[str] = frozenset()  # ids of steps of other actions that fail

    def run(self, **inputs: str) -> Ran:
        """Run every step; an underscore in the name of an input is a hyphen."""
        self.folder.mkdir(parents=True, exist_ok=True)
        declared = action()
        given = {name: str(item["default"]) for name, item in declared["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() == declared["inputs"].keys()
        ran = Ran()
        known: dict[str, Any] = {
            "inputs": given,
            "github": {**self.github, "repository": REPOSITORY, "token": TOKEN},
            "steps": {},
        }
        for step in declared["runs"]["steps"]:
            condition = str(step.get("if", ""))
            if ran.code and "cancelled()" not in condition:
                continue
            if condition and not evaluated(re.sub(r"^\$\{\{|\}\}$", "", condition), known):
                continue
            name = step["id"]
            ran.steps.append(name)
            code, outputs = self._step(step, known, ran)
            known["steps"][name] = {"outputs": outputs}
            ran.code = ran.code or code
        ran.outputs = {
            name: filled(item["value"], known) for name, item in declared.get("outputs", {}).items()
        }
        return ran

    def _step(
        self, step: dict[str, Any], known: dict[str, Any], ran: Ran
    ) -> tuple[int, dict[str, str]]:
        name = step["id"]
        if "uses" in step:
            ran.given[name] = {
                key: filled(str(value), known) for key, value in step["with"].items()
            }
            return int(name in self.fails), {"python-path": self.python}
        assert step["shell"] == "bash"
        place = self.folder / name
        place.mkdir(exist_ok=True)
        for file in ("summary", "output"):
            (place / file).write_text("")
        (place / "event.json").write_text(json.dumps(self.github["event"]))
        (place / "script.sh").write_text(step["run"])
        own = {key: filled(str(value), known) for key, value in step.get("env", {}).items()}
        environment = {
            **{key: os.environ[key] for key in KEPT if key in os.environ},
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_BASE_REF": self.github["base_ref"],
            "GITHUB_EVENT_NAME": self.github["event_name"],
            "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_OUTPUT": str(place / "output"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_STEP_SUMMARY": str(place / "summary"),
            "RUNNER_TEMP": str(self.folder),
            **own,
        }
        ran.environments[name] = own
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(place / "script.sh")],
            cwd=self.checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        ran.log += done.stdout
        ran.summary += (place / "summary").read_text(encoding="utf-8")
        lines = (place / "output").read_text(encoding="utf-8").splitlines()
        return done.returncode, dict(line.split("=", 1) for line in lines)


def filled(text: str, known: Mapping[str, Any]) -> str:
    """A value with its expressions replaced."""

    def value(found: re.Match[str]) -> str:
        made = evaluated(found[1], known)
        return {None: "", True: "true", False: "false"}.get(made, str(made)) if made != 0 else "0"

    return re.sub(r"\$\{\{(.*?)\}\}", value, text)


def evaluated(expression: str, known: Mapping[str, Any]) -> Any:
    """An expression of GitHub Actions: names, strings, comparisons, and, or, not."""
    words = {"&&": " and ", "||": " or ", "!": " not ", "cancelled()": "False"}
    parts: list[str] = []
    rest = expression
    while rest := rest.strip():
        found = _TOKEN.match(rest)
        assert found, f"no expression: {expression}"
        token = found[0]
        if token[0].isalpha() and token not in words:
            token = f"look({token!r})"
        parts.append(words.get(token, token))
        rest = rest[found.end() :]

    def look(path: str) -> Any:
        at: Any = known
        for name in path.split("."):
            at = at.get(name) if isinstance(at, dict) else None
        return "" if at is None else at

    return eval("".join(parts), {"__builtins__": {}}, {"look": look})
