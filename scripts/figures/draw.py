"""A small drawing kit for the book's figures.

A figure is inline SVG: it takes its colours from the page (`currentColor` and the theme's variables), so the light and dark
schemes, forced colours and print need no second file. Lengths are in units of a 336-unit-wide drawing, which is about one
CSS pixel on a 360 px phone; the smallest text allowed there stays above 12 px.
"""

from __future__ import annotations

from html import escape
from math import atan2, cos, hypot, log10, sin

WIDTH = 336
SHOWN_WIDTH = 432  # CSS pixels, so that a small text is as high as the page's; the theme narrows it to the column
SMALL, BODY, LARGE = 12.5, 13.5, 15.5
GLYPH = 0.6  # width of an average glyph per unit of text size, in the widest of the usual system fonts

INK = "currentColor"
MUTED = "var(--md-default-fg-color--light, currentColor)"
FAINT = "var(--md-default-fg-color--lighter, currentColor)"
ACCENT = "var(--md-accent-fg-color, currentColor)"
PAPER = "var(--md-default-bg-color, Canvas)"
DASH = "5 3"


class Figure:
    """One drawing. `chapter` is the two-digit chapter, `name` the file's name, `height` in drawing units.

    `title` says what the figure is and `desc` what is drawn (the alternative text); both are read aloud, neither is shown.
    """

    def __init__(self, chapter: str, name: str, height: float, title: str, desc: str):
        self.chapter, self.name, self.height = chapter, name, height
        self.title, self.desc = title, desc
        self.id = f"fig-{chapter}-{name}"
        self.parts: list[str] = []
        self.patterns: dict[str, str] = {}

    def _add(self, tag: str, content: str | None = None, **attributes) -> None:
        pairs = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items() if value is not None)
        self.parts.append(f"<{tag}{pairs}/>" if content is None else f"<{tag}{pairs}>{escape(content, quote=False)}</{tag}>")

    def text(self, x: float, y: float, words: str, size: float = SMALL, anchor: str = "start", bold: bool = False,
             tone: str | None = None, clear: bool = False) -> None:
        """Words with their baseline at y; a line break starts a new line below. `clear` keeps lines behind them at a distance.

        Raises ValueError when the words leave the drawing.
        """
        if size < SMALL:
            raise ValueError(f"{self.id}: text of size {size} is below {SMALL}: {words!r}")
        for number, line in enumerate(words.split("\n")):
            reach = GLYPH * size * len(line)
            left = x - {"start": 0, "middle": reach / 2, "end": reach}[anchor]
            if left < -1 or left + reach > WIDTH + 1:
                raise ValueError(f"{self.id}: {line!r} leaves the drawing ({left:.0f} to {left + reach:.0f})")
            self._add("text", line, x=x, y=y + number * 1.25 * size, font_size=None if size == SMALL else size,
                      text_anchor=None if anchor == "start" else anchor, font_weight="bold" if bold else None, fill=tone,
                      **({"stroke": PAPER, "stroke_width": 4, "paint_order": "stroke"} if clear else {}))

    def line(self, *points: tuple[float, float], tone: str = INK, width: float = 1.5, dash: str | None = None) -> None:
        """A line through the points."""
        self._add("path", d=_path(points), fill="none", stroke=tone, stroke_width=width, stroke_dasharray=dash)

    def arrow(self, *points: tuple[float, float], tone: str = INK, width: float = 1.5, dash: str | None = None) -> None:
        """A line through the points with a head at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        head = 5 + 1.5 * width
        if hypot(x1 - x0, y1 - y0) < head:
            raise ValueError(f"{self.id}: an arrow's last leg is shorter than its head")
        angle, half = atan2(y1 - y0, x1 - x0), head * 0.5
        base = (x1 - head * cos(angle), y1 - head * sin(angle))
        side = (half * sin(angle), -half * cos(angle))
        self.line(*points[:-1], base, tone=tone, width=width, dash=dash)
        self.shape((x1, y1), (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1]), fill=tone, line=None)

    def shape(self, *points: tuple[float, float], fill: str = "none", line: str | None = INK, width: float = 1.5,
              dash: str | None = None) -> None:
        """A closed polygon. `fill` is a colour of this module, "none", "tint" or "hatch"."""
        self._add("path", d=_path(points) + "Z", **self._paint(fill), stroke=line, stroke_width=line and width, stroke_dasharray=dash)

    def rect(self, x: float, y: float, width: float, height: float, fill: str = "none", line: str | None = INK,
             stroke: float = 1.5, dash: str | None = None, radius: float | None = None) -> None:
        """A rectangle from its upper left corner. `fill` as in `shape`."""
        self._add("rect", x=x, y=y, width=width, height=height, rx=radius, **self._paint(fill), stroke=line,
                  stroke_width=line and stroke, stroke_dasharray=dash)

    def dot(self, x: float, y: float, radius: float = 4, fill: str = INK, line: str | None = None) -> None:
        """A filled circle around (x, y)."""
        self._add("circle", cx=x, cy=y, r=radius, **self._paint(fill), stroke=line, stroke_width=line and 1.5)

    def _paint(self, fill: str) -> dict:
        if fill == "tint":
            return {"fill": ACCENT, "fill_opacity": 0.22}
        if fill == "hatch":
            name = f"{self.id}-hatch"
            self.patterns[name] = (f'<pattern id="{name}" width="6" height="6" patternUnits="userSpaceOnUse">'
                                   f'<path d="M-1,7L7,-1M-1,1L1,-1M5,7L7,5" stroke="{INK}" stroke-opacity="0.45"/></pattern>')
            return {"fill": f"url(#{name})"}
        return {"fill": fill}

    def svg(self) -> str:
        """The figure's text: one element a line, no blank line, the same at every run."""
        defs = ["<defs>", *self.patterns.values(), "</defs>"] if self.patterns else []
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fig {self.id}" role="img" aria-labelledby="{self.id}-title"'
            f' aria-describedby="{self.id}-desc" viewBox="0 0 {WIDTH} {_value(self.height)}" width="{SHOWN_WIDTH}"'
            f' font-family="var(--md-text-font-family, sans-serif)" font-size="{SMALL}" fill="{INK}" data-search-exclude="">',
            f'<title id="{self.id}-title">{escape(self.title, quote=False)}</title>',
            f'<desc id="{self.id}-desc">{escape(self.desc, quote=False)}</desc>',
            *defs, *self.parts, "</svg>", ""])


class Log:
    """A logarithmic axis: calling it maps a value between `low` and `high` to a coordinate between `start` and `end`."""

    def __init__(self, low: float, high: float, start: float, end: float):
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        if not self.low <= value <= self.high:
            raise ValueError(f"{value} is outside the axis, {self.low} to {self.high}")
        return self.start + (self.end - self.start) * log10(value / self.low) / log10(self.high / self.low)

    def decades(self) -> list[float]:
        """The powers of ten from `low`, itself one, to `high`."""
        first = round(log10(self.low))
        return [10.0 ** power for power in range(first, round(log10(self.high)) + 1)]


def _value(value) -> str:
    return f"{round(value, 1):g}" if isinstance(value, int | float) and abs(value) >= 1 else escape(str(value))


def _path(points) -> str:
    return "M" + "L".join(f"{_value(float(x))},{_value(float(y))}" for x, y in points)
