"""Tables and plots: plain text, Markdown that is both, and SVG."""

import math


def number(value, digits=None):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if digits is not None:
        return "{:,.{}f}".format(value, digits)
    if isinstance(value, int):
        return "{:,}".format(value)
    if value and abs(value) < 0.1:
        return "%.4f" % value
    if abs(value) < 10:
        return "%.3f" % value
    if abs(value) < 1000:
        return "%.1f" % value
    return "{:,.0f}".format(value)


def markdown(heads, rows):
    """A table with columns as wide as their cells: first column left."""
    cells = [heads] + [[number(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]

    def line(row):
        return "| " + " | ".join(
            c.ljust(w) if i == 0 else c.rjust(w)
            for i, (c, w) in enumerate(zip(row, widths))) + " |"

    rule = "|" + "|".join(
        "-" * (w + 2) if i == 0 else "-" * (w + 1) + ":"
        for i, w in enumerate(widths)) + "|"
    return "\n".join([line(cells[0]), rule] + [line(r) for r in cells[1:]])


COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#b8860b")


def svg(title, x_title, y_title, series, log_x=True):
    """Lines over points: series is [(name, [(x, y), ...]), ...]; y from 0."""
    width, height, left, top, right, bottom = 640, 360, 70, 40, 150, 50
    xs = [x for _, points in series for x, _ in points]
    top_y = max(y for _, points in series for _, y in points) * 1.15 or 1

    def fx(x):
        lo, hi, v = min(xs), max(xs), x
        if log_x:
            lo, hi, v = math.log(lo), math.log(hi), math.log(x)
        return left + (v - lo) / ((hi - lo) or 1) * (width - left - right)

    def fy(y):
        return height - bottom - y / top_y * (height - top - bottom)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % (width, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="%d" y="20" font-size="14">%s</text>' % (left, title)]

    for i in range(6):
        y = top_y * i / 5
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" '
                   'stroke="#ddd"/>' % (left, width - right, fy(y), fy(y)))
        out.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>'
                   % (left - 6, fy(y) + 4, number(y)))

    for x in sorted(set(xs)):
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>'
                   % (fx(x), height - bottom + 18, number(x, 0)))

    out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>'
               % ((left + width - right) / 2, height - 10, x_title))
    out.append('<text x="14" y="%.1f" text-anchor="middle" '
               'transform="rotate(-90 14 %.1f)">%s</text>'
               % (height / 2, height / 2, y_title))

    for i, (name, points) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" '
                   'points="%s"/>' % (colour, " ".join(
                       "%.1f,%.1f" % (fx(x), fy(y)) for x, y in points)))
        for x, y in points:
            out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>'
                       % (fx(x), fy(y), colour))
        out.append('<text x="%d" y="%d" fill="%s">%s</text>'
                   % (width - right + 12, top + 16 + 18 * i, colour, name))

    return "\n".join(out + ["</svg>"]) + "\n"
