"""The plots of the PAR sheet as SVG text. Equal sheets give equal text: no date, no random names."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from cabinet.analysis.par.sheet import CONFIDENCES, ParSheet, half_width, result_name
from cabinet.analysis.svg import INK, QUIET, svg

PAGE = "common-hand par"
WIDTH = 9.4
AMBER, TEAL, PALE = "#e09a1b", "#2c6a6b", "#a9c6c2"
BANDS = {99: "#dce9e6", 95: "#b4d0cc", 90: "#7faeaa"}


def net_plot(sheet: ParSheet) -> str:
    """How often a round of one seat ends with which net result."""

    def draw(axes: Axes) -> None:
        rows = [(result, chance) for result, chance in sorted(sheet.odds.net.items()) if chance]
        places = range(len(rows))
        colours = [AMBER if result > 0 else PALE if result == 0 else TEAL for result, _ in rows]
        axes.bar(places, [100 * chance for _, chance in rows], color=colours, width=0.74)
        for place, (_, chance) in zip(places, rows, strict=True):
            digits = 1 if chance > 0.01 else 3
            axes.text(
                place, 100 * chance + 0.8, f"{100 * chance:.{digits}f}", ha="center", va="bottom", color=INK
            )
        axes.set_xticks(places, [result_name(result).replace("-", "\N{MINUS SIGN}") for result, _ in rows])
        axes.set_xlabel("net result in first bets")
        axes.set_ylabel("% of rounds")
        axes.tick_params(length=0)

    return svg(draw, WIDTH, 3.5, PAGE)


def band_plot(sheet: ParSheet) -> str:
    """Between which returns most series of so many rounds end."""

    def draw(axes: Axes) -> None:
        rounds = np.logspace(3, 7, 121)
        middle = 100 + 100 * sheet.odds.mean
        for share in reversed(CONFIDENCES):
            wide = np.array([half_width(sheet.odds, int(count), share) for count in rounds])
            axes.fill_between(
                rounds, middle - wide, middle + wide, color=BANDS[share], lw=0, label=f"{share} %"
            )
        axes.axhline(100, color=INK, lw=0.8, ls=(0, (4, 3)))
        axes.text(1e7, 100.3, "100 %: nobody wins", ha="right", va="bottom", color=QUIET, size=9)
        axes.axhline(middle, color=AMBER, lw=1.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(10))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set_xlim(1e3, 1e7)
        axes.margins(y=0.02)
        axes.set_xlabel("rounds of one seat, equal bets")
        axes.set_ylabel("return, % of the first bets")
        axes.legend(frameon=False, loc="upper right", title="share of series", ncols=3, labelcolor=INK)

    return svg(draw, WIDTH, 3.9, PAGE)


def totals_plot(sheet: ParSheet) -> str:
    """On which totals hands end, of the player and of the dealer."""

    def draw(axes: Axes) -> None:
        hands, dealer = sheet.odds.hand_totals, sheet.odds.dealer_totals
        names = [name for name, share in hands.items() if share or name in dealer]
        places = np.arange(len(names))
        for shift, shares, colour, label in (
            (-0.2, hands, AMBER, "player's hands"),
            (0.2, dealer, TEAL, "dealer"),
        ):
            heights = [100 * shares.get(name, 0.0) for name in names]
            axes.bar(places + shift, heights, width=0.38, color=colour, label=label)
        axes.set_xticks(places, [{"blackjack": "BJ"}.get(name, name) for name in names])
        axes.set_ylabel("%")
        axes.tick_params(length=0)
        axes.legend(frameon=False, loc="upper left", labelcolor=INK)

    return svg(draw, WIDTH, 3.2, PAGE)
