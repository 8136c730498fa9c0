"""`make fuzz`: each target in turn under atheris, which changes inputs so that they reach code that none did.

What is found is a file in `.cache/fuzz/found/TARGET`. The inputs that reach new code stay in
`.cache/fuzz/corpus`, for the next run.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "fuzz"
MOST = 8 << 10  # bytes of an input
HANG = 30  # seconds
MEMORY = 2048  # MiB
SLOWER = 10.0  # what counts branches takes so much longer, on a busy machine


def main() -> int:
    """Run the targets one after the other; returns how many found something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=300, help="for each target")
    parser.add_argument("--target", default="", help="one of them; default: all")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _fuzz(options.one, options.seconds)
    from tests.fuzz.seeds import seeds
    from tests.fuzz.targets import TARGETS

    if options.target not in ("", *TARGETS):
        parser.error(f"there is no target {options.target}, but {', '.join(TARGETS)}")
    failed = 0
    for name in [options.target] if options.target else TARGETS:
        for title, data in seeds(name).items():
            if len(data) <= MOST:
                place = CACHE / "corpus" / name / f"seed-{hashlib.sha256(title.encode()).hexdigest()[:16]}"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        found = CACHE / "found" / name
        shutil.rmtree(found, ignore_errors=True)
        found.mkdir(parents=True)
        print(f"fuzz: {name} for {options.seconds} s", flush=True)
        again = [sys.executable, "-m", "tests.fuzz.run", "--one", name, "--seconds", str(options.seconds)]
        if subprocess.run(again, cwd=ROOT, check=False).returncode:
            failed += 1
            for input_ in found.iterdir():
                print(
                    f"fuzz: {name} fails on {input_.relative_to(ROOT)}; fix it, and keep the input:\n"
                    f"  cp {input_.relative_to(ROOT)} tests/fuzz/corpus/{name}/NAME"
                )
    print(f"fuzz: {failed} targets failed" if failed else "fuzz: nothing was found")
    return 1 if failed else 0


def _fuzz(name: str, seconds: int) -> NoReturn:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=["wirebook", "tomllib", "tarfile", "zipfile"]):
        from tests.fuzz.mutate import of_archives, of_json
        from tests.fuzz.oracle import measured
        from tests.fuzz.targets import TARGETS

    target = TARGETS[name]
    warm = 20

    def once(data: bytes) -> None:
        nonlocal warm
        warm = max(warm - 1, 0)
        try:
            measured(target, data, slower=100 if warm else SLOWER)
        except Exception:
            # atheris prints the error only.
            traceback.print_exc()
            raise

    mutators = {"spec": of_json, "check": of_json, "archive": of_archives}
    corpus, found = CACHE / "corpus" / name, CACHE / "found" / name
    options = [
        sys.argv[0], str(corpus), f"-max_total_time={seconds}", f"-max_len={MOST}", f"-timeout={HANG}",
        f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={found}{os.sep}", "-print_final_stats=1",
    ]  # fmt: skip
    dictionary = CACHE / f"{name}.dict"
    dictionary.write_text("".join(f'"{word}"\n' for word in _words()), encoding="ascii")
    options.append(f"-dict={dictionary}")
    if name in mutators:
        chosen = mutators[name]
        atheris.Setup(
            options,
            once,
            custom_mutator=lambda data, most, seed: chosen(bytes(data), most, seed, atheris.Mutate),
        )
    else:
        atheris.Setup(options, once)
    atheris.Fuzz()
    sys.exit(0)


def _words() -> list[str]:
    """Words that random bytes would hardly hit, quoted as libFuzzer reads them."""
    from tests.fuzz import mutate
    from wirebook.rules.project.config import SEVERITIES
    from wirebook.rules.project.waivers import KEYS, KINDS

    tables = (
        "[[waiver]]",
        "[[override]]",
        "[severities]",
        "[tool.wirebook]",
        "paths = ",
        "against = ",
        "released = ",
    )
    git = ("40000 message", "100644 A.json", "blob", "tree", "commit", "parent ", "committer ", " missing")
    words = (
        *mutate.KEYS,
        *SEVERITIES,
        *KEYS,
        *KINDS,
        *tables,
        *git,
        "type-changed",
        '"""',
        "'''",
        "\\u0000",
        "ustar",
    )
    return ["".join(f"\\x{ord(letter):02x}" for letter in word) for word in words]


if __name__ == "__main__":
    sys.exit(main())
