"""What programs read of a site: JSON, CSV, feeds, inventories."""
