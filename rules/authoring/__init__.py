"""Starting points for authors of specs: a repository, a message, and a version."""
