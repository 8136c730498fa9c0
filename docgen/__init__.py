"""What people read: the pipeline, the pages and the command line; depends on `specs` and `rules`."""
