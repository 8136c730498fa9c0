"""Which MkDocs configuration a site is built with: the user's, or ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirebook.specs.problems import InputError

PLUGIN = "wirebook"
NAMES = ("mkdocs.yml", "mkdocs.yaml")
# The top of a checkout, or the folder `wirebook` of an installed package: both have mkdocs.yml and
# site_src.
HOME = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class SiteConfig:
    """A configuration file of MkDocs, its plugins with their options, its output folder."""

    file: Path
    plugins: dict[str, Any]
    site_dir: Path

    @property
    def is_builtin(self) -> bool:
        """Whether it is the configuration that comes with wirebook, also in a checkout."""
        return is_builtin(self.file)

    def with_options(self, **options: object) -> dict[str, Any]:
        """The plugins, with options of the wirebook plugin set."""
        return {**self.plugins, PLUGIN: {**(self.plugins[PLUGIN] or {}), **options}}


def find_config(folder: Path) -> SiteConfig:
    """The configuration for a site that is built in `folder`. That is its mkdocs.yml if it names
    the wirebook plugin, else the built-in one. Raises InputError if the file cannot be read."""
    for name in NAMES:
        path = folder / name
        if path.is_file():
            # A file that names the plugin is trusted: the rest of it may run code.
            if PLUGIN in _plugins(read_settings(path, with_objects=False), path):
                raw = read_settings(path)
                site_dir = folder / str(raw.get("site_dir") or "site")
                return SiteConfig(path, _plugins(raw, path), site_dir)
            break
    return replace(builtin_config(), site_dir=folder / "site")


def is_builtin(file: str | Path) -> bool:
    """Whether a configuration file is the one that comes with wirebook."""
    return Path(file).resolve() == (HOME / NAMES[0]).resolve()


def builtin_config() -> SiteConfig:
    """The configuration of the Kafka reference, which comes with wirebook."""
    file = HOME / NAMES[0]
    return SiteConfig(file, _plugins(read_settings(file), file), Path("site"))


def read_settings(file: Path, *, with_objects: bool = True) -> dict[str, Any]:
    """The content of a configuration file and of those that it inherits; its tags may run code of
    the checkout. Without objects, tags are null.

    Raises InputError if it cannot be read.
    """
    import yaml  # type: ignore[import-untyped]
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.exceptions import MkDocsException
    from mkdocs.utils.yaml import get_yaml_loader, yaml_load

    class Plain(yaml.SafeLoader):  # type: ignore[misc]
        """Reads no object of Python."""

    Plain.add_multi_constructor("", lambda _loader, _suffix, _node: None)
    loader = yaml.Loader if with_objects else Plain
    try:
        with open(file, "rb") as source:
            raw = yaml_load(source, get_yaml_loader(loader, MkDocsConfig(str(file))))
    except OSError as error:
        raise InputError(error.strerror or str(error), str(file)) from None
    except MkDocsException as error:
        raise InputError(" ".join(str(error).split()), str(file)) from None
    if not isinstance(raw, dict):
        raise InputError("is not a MkDocs configuration", str(file))
    return raw


def _plugins(raw: dict[str, Any], file: Path) -> dict[str, Any]:
    """The options of each plugin, from either form that MkDocs reads: a mapping, or a list."""
    written = raw.get("plugins")
    plugins: dict[str, Any] = {}
    for entry in written if isinstance(written, list) else [written or {}]:
        options = entry if isinstance(entry, dict) else {str(entry): None}
        if twice := options.keys() & plugins.keys():
            raise InputError(f'names the plugin "{min(twice)}" twice', str(file))
        plugins |= options
    return plugins
