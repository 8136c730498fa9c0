"""What readers search: an index of things by name, and entries for the full text of the theme."""
