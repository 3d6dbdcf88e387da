"""The analyzers: one file a kind of content, and the registry that orders them."""
