"""The whole site of `wirebook serve`, built in a process of its own after an edit has been shown.

A process, because it can be ended at any moment, when the next edit comes, and leaves the other core to the
pages of that edit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

from wirebook.docgen.site.mkdocs_config import find_config
from wirebook.docgen.site.own_config import fitted_settings
from wirebook.docgen.site.watch import NOTHING, Changed
from wirebook.specs.problems import InputError

QUIET_SECONDS = 2.0


class WholeSite:
    """Builds the site into a new folder once no edit has come for a while, in a thread.

    `update` updates the catalog. When the site is complete, `finished` is called, in the thread; the folder
    is `ready` then, until somebody takes it.
    """

    def __init__(
        self, catalog: Path, url: str, update: Callable[[Changed], None], finished: Callable[[], None]
    ) -> None:
        self.catalog = catalog
        self.url = url
        self.ready: Path | None = None
        self._update, self._finished = update, finished
        self._wanted, self._built = 0, 0
        self._changed = NOTHING
        self._stopped = False
        self._child: subprocess.Popen[bytes] | None = None
        self._condition = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def want(self, changed: Changed) -> None:
        """Build the site after an edit."""
        with self._condition:
            self._wanted += 1
            self._changed |= changed
            self._end_child()
            self._drop()
            self._condition.notify_all()

    def take(self) -> Path | None:
        """The folder of the newest complete site if nobody has taken it."""
        with self._condition:
            ready, self.ready = self.ready, None
            return ready

    def stop(self) -> None:
        """End what is running."""
        with self._condition:
            self._stopped = True
            self._end_child()
            self._drop()
            self._condition.notify_all()

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.kill()

    def _drop(self) -> None:
        if self.ready is not None:
            shutil.rmtree(self.ready, ignore_errors=True)
            self.ready = None

    def _run(self) -> None:
        while (number := self._next()) is not None:
            with self._condition:
                changed, self._changed = self._changed, NOTHING
            try:
                self._update(changed)
            except InputError as error:
                if self._stopped:
                    # Spark has ended with the server.
                    return
                # The catalog is as it was: the next edit updates it.
                print(f"wirebook: {error}", file=sys.stderr, flush=True)
                with self._condition:
                    self._built = number
                    self._changed |= changed
                continue
            self._render(number)

    def _next(self) -> int | None:
        """The number of the newest edit, once it has been the newest for a while; None at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._stopped or self._wanted != self._built)
            while not self._stopped:
                number = self._wanted
                if not self._condition.wait_for(
                    lambda: self._stopped or self._wanted != number,  # noqa: B023
                    QUIET_SECONDS,
                ):
                    return number
            return None

    def _render(self, number: int) -> None:
        folder = Path(tempfile.mkdtemp(prefix="mkdocs_"))
        command = [sys.executable, "-P", "-m", __name__, str(self.catalog), str(folder), self.url]
        with self._condition:
            if self._stopped or self._wanted != number:
                shutil.rmtree(folder)
                return
            # Its input ends with this process, and so does it.
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE)
        code = self._child.wait()
        with self._condition:
            self._child = None
            if self._stopped or self._wanted != number:
                shutil.rmtree(folder, ignore_errors=True)
                return
            self._built = number
            if code:
                shutil.rmtree(folder, ignore_errors=True)
                return
            self.ready = folder
        self._finished()


def main(catalog: Path, folder: Path, url: str) -> None:
    """Build the site of a catalog as MkDocs serves it at an address."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    site = find_config(Path())
    plugins = site.with_options(catalog=str(catalog))
    with fitted_settings(catalog, site) as settings:
        config = load_config(str(site.file), site_dir=str(folder), strict=False, plugins=plugins, **settings)
        config.plugins.on_startup(command="serve", dirty=False)
        config.site_url = url
        try:
            build(config, serve_url=url)
        finally:
            config.plugins.on_shutdown()


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
