"""Chapter 2: model architecture."""
