"""What a reviewer needs to know about a change: what changed, what is missing, who must act."""
