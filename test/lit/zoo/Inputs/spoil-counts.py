"""Runs check_zoo.py, but all sites except the first, a root, count FACTOR times what they
did: spoil-counts.py FOLDER-OF-CHECK_ZOO FACTOR ARGUMENT..."""

import sys

sys.path.insert(0, sys.argv.pop(1))
factor = int(sys.argv.pop(1))

import check_zoo

true_counts = check_zoo.counts_in


def spoilt(profile, model_id):
    return {site: count * (factor if site else 1)
            for site, count in true_counts(profile, model_id).items()}


check_zoo.counts_in = spoilt
check_zoo.main()
