"""The plots that Benchmarks/results.md shows: small, with labels at the lines, readable on light and dark pages."""

import matplotlib

matplotlib.use("svg")
from figures import core, middle, rows, shown  # noqa: E402
from matplotlib import pyplot  # noqa: E402 (the backend comes first)

# In between light and dark, so that it can be read on both; the page shows through.
INK = "#808890"
COLOURS = {
    "diffabled": "#2f81f7", "diffable": "#2f81f7", "limit": "#8b949e", "redis": "#e5534b", "redis-durable": "#e5534b",
    "mosquitto": "#b083f0", "met": "#2f81f7", "not met": "#e5534b", "Heckel": "#e5534b", "standard library": "#c69026",
}
SIZE = (7.2, 3.0)

pyplot.rcParams.update({
    "font.size": 9, "font.family": "sans-serif", "svg.fonttype": "none", "svg.hashsalt": "diffabled",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.titlesize": 9, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.grid.axis": "y", "grid.color": INK, "grid.alpha": 0.3, "grid.linewidth": 0.6,
    "lines.linewidth": 1.6, "lines.markersize": 4, "figure.facecolor": "none", "axes.facecolor": "none",
    "savefig.facecolor": "none",
})


def draw_all(figures, directory):
    """Draws the results; returns the file names with descriptions."""
    drawn = []
    for draw, name, description in (
            (targets, "targets.svg", "Each row of the table beside its target: right of the line it is met"),
            (operations, "operations.svg", "Time of one operation by the number of items: nearly flat"),
            (differences, "differences.svg", "Time of a difference by the number of items, beside other algorithms"),
            (deliveries, "deliveries.svg", "Deliveries a second by server"),
            (processor_time, "processor.svg", "The server's processor time for each delivery"),
            (durable, "durable.svg", "Durable transactions a second beside redis"),
            (memory, "memory.svg", "Resident memory beside redis")):
        figure = draw(figures)
        if figure is None:
            continue
        figure.savefig(directory / name, metadata={"Date": None}, bbox_inches="tight", transparent=True)
        pyplot.close(figure)
        drawn.append((name, description))
    return drawn


def _sizes(figures, name):
    return sorted({
        result["items"] for result in figures.results if result["part"] == "core" and result["workload"] == name
        and "nanoseconds" in result})


def _label_ends(axes, ends, gap):
    """Names each line at its right end, the names a little apart from each other. `gap` is in parts of the height."""
    transform = axes.transAxes.inverted()
    points = [transform.transform(axes.transData.transform(point)) for point, _, _ in ends]
    order = sorted(range(len(ends)), key=lambda index: points[index][1])
    heights = {index: points[index][1] for index in order}
    # Those that are too close push each other away until none are.
    for _ in range(200):
        for low, high in zip(order, order[1:]):
            excess = gap - (heights[high] - heights[low])
            if excess > 0:
                heights[low] -= excess / 2
                heights[high] += excess / 2
    for index, (_, name, colour) in enumerate(ends):
        axes.text(
            points[index][0] + 0.015, heights[index], name, color=colour, transform=axes.transAxes, va="center")


def _by_size(axes):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_xlabel("items")
    axes.set_xticks([1e3, 1e4, 1e5, 1e6], ["1,000", "10,000", "100,000", "1,000,000"])
    axes.yaxis.set_major_formatter(lambda value, _: _time(value))


def _time(value):
    for unit, factor in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value / 1e-9:g} ns"


def targets(figures):
    """How far each row is from its target, on one scale: the median and the extent of the rounds."""
    measured = [row for row in rows(figures) if row.is_measured and row.target and all(row.values)]
    if not measured:
        return None
    figure, axes = pyplot.subplots(figsize=(SIZE[0], 0.21 * len(measured) + 0.6))
    for height, row in enumerate(reversed(measured)):
        margins = [value / row.target if row.is_least else row.target / value for value in row.values]
        middle_margin = row.median / row.target if row.is_least else row.target / row.median
        colour = COLOURS["met"] if row.is_met else COLOURS["not met"]
        axes.plot([min(margins), max(margins)], [height, height], color=colour, linewidth=2.5, alpha=0.45)
        axes.plot([middle_margin], [height], marker="o", color=colour)
        axes.annotate(
            shown(row.median, row.unit), (max(margins), height), (6, 0), textcoords="offset points", va="center",
            fontsize=7, color=colour)
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.margins(x=0.12)
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_ylim(-0.8, len(measured) - 0.2)
    axes.set_yticks(range(len(measured)), [row.what.replace("`", "") for row in reversed(measured)], fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", visible=True)
    axes.set_xlabel("times as good as its target (logarithmic)")
    return figure


def operations(figures):
    names = ["insert", "delete", "move", "reconfigure", "index of id", "id at index", "difference, one change apart"]
    names = [name for name in names if _sizes(figures, name)]
    if not names:
        return None
    figure, axes = pyplot.subplots(figsize=SIZE)
    figure.subplots_adjust(right=0.72)
    palette = ["#2f81f7", "#e5534b", "#c69026", "#57ab5a", "#b083f0", "#39c5cf", "#8b949e"]
    ends = []
    for name, colour in zip(names, palette):
        sizes = _sizes(figures, name)
        times = [middle(core(figures, name, size)) for size in sizes]
        axes.plot(sizes, times, marker="o", color=colour)
        ends.append(((sizes[-1], times[-1]), name, colour))
    _by_size(axes)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 1e-7), max(high, 1e-5))
    axes.set_title("one operation, processor time")
    figure.canvas.draw()
    _label_ends(axes, ends, 0.09)
    return figure


def differences(figures):
    if not _sizes(figures, "difference, mix"):
        return None
    figure, panels = pyplot.subplots(1, 2, figsize=SIZE, sharey=True)
    figure.subplots_adjust(wspace=0.62, right=0.86)
    titles = {"difference, mix": "difference, 1% each of four changes", "difference, shuffled": "difference, shuffled"}
    all_ends = []
    for axes, (name, title) in zip(panels, titles.items()):
        ends = []
        for engine in ("diffable", "Heckel", "standard library"):
            points = [(size, middle(core(figures, name, size, engine))) for size in _sizes(figures, name)]
            points = [(size, time) for size, time in points if time is not None]
            if not points:
                continue
            axes.plot(*zip(*points), marker="o", color=COLOURS[engine])
            if points[-1][0] < _sizes(figures, name)[-1]:
                axes.annotate(
                    engine, points[-1], (-5, 0), textcoords="offset points", ha="right", va="center",
                    color=COLOURS[engine])
            else:
                ends.append((points[-1], {"diffable": "diffabled"}.get(engine, engine), COLOURS[engine]))
        _by_size(axes)
        axes.set_xticks([1e3, 1e4, 1e5, 1e6], ["1k", "10k", "100k", "1M"])
        axes.yaxis.set_tick_params(labelleft=True)
        axes.set_title(title)
        all_ends.append((axes, ends))
    figure.canvas.draw()
    for axes, ends in all_ends:
        _label_ends(axes, ends, 0.09)
    return figure


def _bars(figures, key, window, title, form, logarithmic):
    results = [result for result in figures.results if result["part"] == "fanout" and result["window"] == window]
    if not results:
        return None
    servers = list(dict.fromkeys(result["server"] for result in results))
    counts = sorted({result["subscribers"] for result in results})

    def fill(axes):
        width = 0.8 / len(servers)
        for index, server in enumerate(servers):
            values = [
                middle(figures.series("fanout", key, server=server, window=window, subscribers=count)) or 0
                for count in counts]
            places = [position + (index - (len(servers) - 1) / 2) * width for position in range(len(counts))]
            axes.bar(places, values, width * 0.92, color=COLOURS[server])
            for place, value in zip(places, values):
                axes.annotate(
                    form(value), (place, value), (0, 2), textcoords="offset points", ha="center", va="bottom",
                    fontsize=6.5, rotation=90)
        axes.set_xticks(range(len(counts)), [f"{count:,}" for count in counts])
        axes.set_xlabel("subscribers")
        if logarithmic:
            axes.set_yscale("log")
        axes.set_yticks([])
        axes.minorticks_off()
        axes.grid(False)
        axes.spines["left"].set_visible(False)
        axes.margins(y=0.22)
        axes.set_title(title)
    return fill, servers


def _two_windows(figures, key, form, titles, logarithmic=False):
    panels = [_bars(figures, key, window, title, form, logarithmic) for window, title in zip((1, 64), titles)]
    if None in panels:
        return None
    figure, both = pyplot.subplots(1, 2, figsize=SIZE)
    figure.subplots_adjust(wspace=0.12, bottom=0.25)
    for axes, (fill, servers) in zip(both, panels):
        fill(axes)
    across = 0.13
    for server in servers:
        text = figure.text(across, 0.02, "C limit" if server == "limit" else server, color=COLOURS[server])
        across += 0.03 + 0.012 * len(text.get_text())
    return figure


def deliveries(figures):
    def form(value):
        return f"{value / 1e6:.1f}M" if value >= 1e6 else f"{value / 1e3:.0f}k"

    return _two_windows(
        figures, "deliveriesPerSecond", form,
        ("deliveries a second, one at a time", "deliveries a second, window 64"))


def processor_time(figures):
    return _two_windows(
        figures, "serverMicrosecondsPerDelivery", lambda value: f"{value:.1f}" if value >= 1 else f"{value:.2f}",
        ("server CPU a delivery in µs (log), one at a time", "the same, window 64"), logarithmic=True)


def durable(figures):
    results = [result for result in figures.results if result["part"] == "durable"]
    if not results:
        return None
    loads = list(dict.fromkeys((result["publishers"], result["window"]) for result in results))
    names = {(1, 1): "1 in flight", (32, 1): "32 clients", (1, 32): "1 client,\n32 in flight", (256, 1): "256 clients"}
    figure, axes = pyplot.subplots(figsize=SIZE)
    for index, server in enumerate(("diffabled", "redis-durable")):
        values = [
            middle(figures.series("durable", "answersPerSecond", server=server, publishers=load[0], window=load[1]))
            or 0 for load in loads]
        places = [position + (index - 0.5) * 0.36 for position in range(len(loads))]
        axes.bar(places, values, 0.34, color=COLOURS[server])
        for place, value in zip(places, values):
            axes.annotate(
                f"{value / 1e3:.1f}k", (place, value), (0, 2), textcoords="offset points", ha="center", fontsize=8)
    axes.set_xticks(range(len(loads)), [names[load] for load in loads])
    axes.set_yticks([])
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    axes.set_title("durable transactions a second")
    axes.text(0.01, 0.92, "diffabled", color=COLOURS["diffabled"], transform=axes.transAxes)
    axes.text(0.01, 0.83, "redis, appendfsync always", color=COLOURS["redis"], transform=axes.transAxes)
    return figure


def memory(figures):
    parts = (
        ("memory of a million", 2**20, "a million items, MiB"), ("memory at start", 2**20, "at start, MiB"),
        ("memory of a subscriber", 2**10, "an idle subscriber, KiB"))
    if not any(result["part"] == parts[0][0] for result in figures.results):
        return None
    figure, panels = pyplot.subplots(1, 3, figsize=(SIZE[0], 1.5))
    figure.subplots_adjust(wspace=0.5)
    for axes, (part, unit, title) in zip(panels, parts):
        for index, server in enumerate(("redis", "diffabled")):
            value = (middle(figures.series(part, "bytes", server=server)) or 0) / unit
            axes.barh(index, value, 0.7, color=COLOURS[server])
            axes.annotate(
                f"{value:.0f}" if value >= 100 else f"{value:.1f}", (value, index), (3, 0),
                textcoords="offset points", va="center")
        axes.set_yticks(range(2), ["redis", "diffabled"])
        axes.set_xticks([])
        axes.grid(False)
        axes.spines["bottom"].set_visible(False)
        axes.margins(x=0.3)
        axes.set_title(title)
    return figure
