"""Chapter 1: one request, one machine."""
