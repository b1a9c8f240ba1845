"""Figures and how they are printed: ours, the peer's, and the ratio beside the aim."""
import math
import statistics


def ratio_of_means(ours, theirs):
    """The ratio of two means, with its standard error: how far off it may well be by chance."""
    ratio = statistics.mean(ours) / statistics.mean(theirs)
    relative = [statistics.variance(x) / len(x) / statistics.mean(x) ** 2 for x in (ours, theirs)]
    return ratio, ratio * math.sqrt(sum(relative))


def percentile(values, percent):
    """The value that `percent` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(len(ordered) * percent / 100) - 1)]


def heading(text):
    print(f"== {text}", flush=True)


def table(head, rows):
    """Rows of cells under a heading; the first column is text, the others are figures."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        print("   " + "  ".join(cells).rstrip())


def verdict(what, value, aim):
    """One line for one aim: the figure that the aim is about."""
    print(f"   {what}: {value}   (aim: {aim})", flush=True)
