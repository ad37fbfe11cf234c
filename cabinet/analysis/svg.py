"""Plots as SVG text for a page that is one file. Equal figures give equal text: no date, no random names."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK, QUIET, RULE = "#15302f", "#5d7775", "#d5dfdc"
_STYLE: Any = {  # matplotlib has a literal type for the name of each setting
    "axes.edgecolor": RULE,
    "axes.labelcolor": QUIET,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
}


def svg(draw: Callable[[Axes], None], width: float, height: float, page: str) -> str:
    """The plot as an element for a page: no prolog, no names but those that are referred to.

    `width` and `height` in inches. Names inside begin with what the name of the `page` makes, so that
    plots of one page share them and those of others do not.
    """
    with mpl.rc_context({**_STYLE, "svg.hashsalt": page}):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    referred = set(re.findall(r'(?:url\(#|href="#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda name: name[0] if name[1] in referred else "", text)
    text = re.sub(r'<svg [^>]*?(viewBox="[^"]+")[^>]*>', r'<svg \1 aria-hidden="true">', text, count=1)
    return re.sub(r" font-family: [^;]*;", "", text)  # that of the page
