"""Which MkDocs configuration a site is built with: the user's, or ours."""

from __future__ import annotations

from pathlib import Path

from wirebook.specs.problems import InputError

PLUGIN = "wirebook"
# The top of a checkout, or the folder `wirebook` of an installed package: both have mkdocs.yml and
# site_src.
BUILTIN = Path(__file__).resolve().parents[2] / "mkdocs.yml"


def find_config(folder: Path) -> Path:
    """The configuration for a site that is built in `folder`: its mkdocs.yml if that names the
    wirebook plugin, else the built-in one. Raises InputError if the file cannot be read."""
    for name in ("mkdocs.yml", "mkdocs.yaml"):
        file = folder / name
        if file.is_file() and _names_plugin(file):
            return file
    return BUILTIN


def is_builtin(file: str | Path) -> bool:
    """Whether a configuration file is the one that comes with wirebook."""
    return Path(file).resolve() == BUILTIN


def _names_plugin(file: Path) -> bool:
    """Whether a file names the plugin: only then is it trusted, as its tags and plugins run
    code."""
    import yaml  # type: ignore[import-untyped]

    class Plain(yaml.SafeLoader):  # type: ignore[misc]
        """Reads every object of Python as null."""

    Plain.add_multi_constructor("", lambda _loader, _suffix, _node: None)
    try:
        raw = yaml.load(file.read_bytes(), Plain)
    except OSError as error:
        raise InputError(error.strerror or str(error), str(file)) from None
    except yaml.YAMLError as error:
        raise InputError(" ".join(str(error).split()), str(file)) from None
    if not isinstance(raw, dict):
        raise InputError("is not a MkDocs configuration", str(file))
    named = raw.get("plugins") or ()
    return any(PLUGIN in (each if isinstance(each, dict) else [each]) for each in named)
