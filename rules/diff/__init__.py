"""Every change between two layouts, messages and protocols, breaking or not."""
