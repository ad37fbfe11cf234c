"""The plots of the comparison as SVG text. Equal reports give equal text: no date, no random names."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import legend_handler, patches
from matplotlib.axes import Axes

from cabinet.analysis.compare.figures import ComparisonRow, PaceRow
from cabinet.analysis.svg import INK, svg

PAGE = "common-hand compare"
WIDTH = 7.4
WARM, COOL = "#d98c0b", "#2c6a6b"
# Where the seconds go, in the order of `Parts`: one shade each, from dark to light, for each game.
PARTS = ("cards", "decisions", "settlement", "bets")
WARM_SHADES = ("#b87406", "#eba32c", "#f6cd86", "#fbe8c8")
COOL_SHADES = ("#1d4f50", "#4f8f8e", "#9fc3c0", "#d5e6e3")


def speed_plot(rows: Sequence[PaceRow]) -> str:
    """Rounds per hour over the number of players. Standard errors are thinner than the lines."""

    def draw(axes: Axes) -> None:
        seats = [row.seats for row in rows]
        common = [row.common.rounds_per_hour.value for row in rows]
        standard = [row.standard.rounds_per_hour.value for row in rows]
        faster = [mine > other for mine, other in zip(common, standard, strict=True)]
        axes.fill_between(
            seats, common, standard, where=faster, interpolate=True, color=WARM, alpha=0.08, lw=0
        )
        for values, other, colour, name in (
            (common, standard, WARM, "common hand"),
            (standard, common, COOL, "standard dealing"),
        ):
            axes.plot(seats, values, color=colour, lw=2.4, marker="o", ms=6, label=name)
            for seat, value, against in zip(seats, values, other, strict=True):
                above = value > against
                axes.annotate(
                    f"{value:.0f}",
                    (seat, value),
                    xytext=(0, 9 if above else -9),
                    textcoords="offset points",
                    ha="center",
                    va="bottom" if above else "top",
                    color=colour,
                )
        axes.set_ylim(0, 1.16 * max(*common, *standard))
        axes.set_xticks(seats)
        axes.set_xlabel("players")
        axes.set_ylabel("rounds per hour")
        axes.legend(frameon=False, loc="upper right", labelcolor=INK)

    return svg(draw, WIDTH, 3.3, PAGE)


def parts_plot(rows: Sequence[PaceRow]) -> str:
    """Where the seconds of a round go: a pair of bars for each number of players."""

    def draw(axes: Axes) -> None:
        for shift, shades, game in ((-0.21, WARM_SHADES, "common"), (0.21, COOL_SHADES, "standard")):
            for row in rows:
                pace = row.common if game == "common" else row.standard
                parts = (
                    pace.parts.cards_s,
                    pace.parts.decisions_s,
                    pace.parts.settlement_s,
                    pace.parts.bets_s,
                )
                bottom = 0.0
                for seconds, shade in zip(parts, shades, strict=True):
                    axes.bar(row.seats + shift, seconds, 0.38, bottom=bottom, color=shade)
                    bottom += seconds
                axes.text(row.seats + shift, bottom, f"{bottom:.1f}", ha="center", va="bottom", size=8.5)
        axes.set_xticks([row.seats for row in rows])
        axes.tick_params(axis="x", length=0)
        axes.set_xlabel("players")
        axes.set_ylabel("seconds a round")
        _legend(axes)

    return svg(draw, WIDTH, 3.6, PAGE)


def _legend(axes: Axes) -> None:
    """Both shades of each part beside its name, the uppermost part first."""
    handles = [
        (patches.Patch(color=warm), patches.Patch(color=cool))
        for warm, cool in zip(WARM_SHADES, COOL_SHADES, strict=True)
    ]
    axes.legend(
        handles[::-1],
        PARTS[::-1],
        handler_map={tuple: legend_handler.HandlerTuple(ndivide=None, pad=0)},
        frameon=False,
        loc="upper left",
        labelcolor=INK,
    )


def variance_plot(rows: Sequence[ComparisonRow]) -> str:
    """The standard deviation of what all seats win together."""

    def draw(axes: Axes) -> None:
        for shift, colour, label, values in (
            (-0.21, WARM, "common hand", [row.common.variance.value for row in rows]),
            (0.21, COOL, "standard dealing", [row.standard.variance.value for row in rows]),
        ):
            places = [row.seats + shift for row in rows]
            deviations = [value**0.5 for value in values]
            axes.bar(places, deviations, 0.38, color=colour, label=label)
            for place, deviation in zip(places, deviations, strict=True):
                axes.text(place, deviation, f"{deviation:.2f}", ha="center", va="bottom", size=8.5)
        axes.set_xticks([row.seats for row in rows])
        axes.tick_params(axis="x", length=0)
        axes.set_xlabel("players")
        axes.set_ylabel("standard deviation, in bets")
        axes.legend(frameon=False, loc="upper left", labelcolor=INK)

    return svg(draw, WIDTH, 2.9, PAGE)
