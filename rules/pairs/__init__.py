"""What rules judge: pairs of matched items, the released specs of each, and the walk over them."""
