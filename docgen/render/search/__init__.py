"""What readers search: things by name and the words of all places, and entries for the index of a
theme."""
