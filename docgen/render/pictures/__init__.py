"""Pictures of the history as SVG, drawn from the catalog: they need no script, and no style but classes."""
