"""The version of the distribution: the one place that names it; hatchling reads it from here."""

__version__ = "0.1.0"
