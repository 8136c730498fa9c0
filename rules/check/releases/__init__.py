"""The releases that a check compares with: their specs, and other files of them."""
