"""What pages are made of: addresses, escaping, Jinja, links in sentences, field tables, words for
events."""
