"""The pages of APIs, levels, rules and negotiation."""
