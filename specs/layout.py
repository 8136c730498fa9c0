"""A message at one version, resolved to the exact wire layout."""
