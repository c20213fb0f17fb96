"""Aligned columns under headings."""


def print_rows(headings, rows):
    table = [headings, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    table.insert(1, ["-" * width for width in widths])
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
