"""The files of a site that programs read: JSON and CSV."""
