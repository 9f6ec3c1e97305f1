"""Carries the static binary of strata; `strata` on the command line runs it."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "strata")
    os.execv(program, ["strata", *sys.argv[1:]])
