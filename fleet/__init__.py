"""Which applications a release breaks: from lines of request logs to counts, a summary and a
page."""
