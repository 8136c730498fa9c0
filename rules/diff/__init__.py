"""Every change between two layouts, messages or protocols, breaking or not."""
