"""JSON with comments and TOML to Python values, with the position of each; knows nothing of specs."""
