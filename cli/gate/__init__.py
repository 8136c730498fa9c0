"""Commands for those who change a protocol and those who review the change."""
