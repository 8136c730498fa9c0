"""Rules on all files together: they look at type, name, API key and folder of each, and at nothing else.

A check reads the files that do not differ only where one of these does.
"""
