"""Starting points for authors of specs: a repository, a message, a version, and the formatting of files."""
