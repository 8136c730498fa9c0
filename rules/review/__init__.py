"""What a reviewer has to know of a change: what changed, what is missing, who must act."""
