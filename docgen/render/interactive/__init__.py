"""Pages that work in the browser from the published JSON; without scripts, they are lists of
links."""
