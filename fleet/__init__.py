"""Which applications a release breaks: from logs, metrics and telemetry to tables, a summary and a page."""
