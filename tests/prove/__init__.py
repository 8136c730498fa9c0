"""`make prove`: random protocols, their bytes by a codec of their own, and what the check says of
them."""
