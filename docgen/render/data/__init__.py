"""The files of a site that programs read: JSON, CSV, inventories."""
