"""The command line: one module for each command, which parses arguments and calls a function."""
