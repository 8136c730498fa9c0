"""Rules on all files together. They look only at the type, name, API key and folder of each file.

A check reads unchanged files only if one of these changes in another file.
"""
