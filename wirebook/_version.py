"""The version of the distribution, defined only here; hatchling reads it from this module."""

__version__ = "0.1.0"
