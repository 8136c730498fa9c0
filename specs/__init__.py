"""What a protocol is: its specs and their model, the layouts of messages and their bytes."""
