"""Rows of contenders that were measured in one process or in several."""

import statistics


def beside_plain(group):
    """Each contender with the plain calls of its own run."""
    plain = None
    rows = []
    for row in group:
        if row["contender"].startswith("plain"):
            plain = row
        elif "absent" in row:
            rows.append(row)
        else:
            rows.append(dict(row, plain_min_ns=plain["min_ns"],
                             plain_median_ns=plain["median_ns"]))
    return rows


def over_processes(groups):
    """The same rows from several processes as one: the median of each number."""
    def merged(rows):
        return {key: statistics.median(row[key] for row in rows)
                if isinstance(value, (int, float)) else value
                for key, value in rows[0].items()}
    return [dict(merged(rows), processes=len(rows)) for rows in zip(*groups)]
