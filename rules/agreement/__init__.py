"""When two specs agree on a version of a message, and where they do not."""
