"""From an answer to what a reader sees: HTML, SVG, Markdown."""
