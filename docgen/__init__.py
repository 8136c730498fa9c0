"""What people read: the catalog, the pipeline, the pages and the site."""
