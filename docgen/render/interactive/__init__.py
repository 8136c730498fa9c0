"""Pages that work in the browser from the published JSON; without scripts they link to what works without."""
