"""A broker of any release, with faults on demand."""
