"""One comment on a pull or merge request, kept up to date through the API of GitHub or GitLab."""
