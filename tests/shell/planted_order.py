"""planted_order.py CHECK_PLANTED STRATA FIRST COUNT: do findings come in the order of their true gains?

Seeds from FIRST on are planted as CHECK_PLANTED does. The true gain of a finding is that of the planted cause if
it is accepted for it, else that of the remedy it asks for, which plant tries, too. A seed is in order if no predicted
finding comes before one that truly gains more than twice as much. Findings without a true gain are passed over.
"""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile

LEAST = 1  # percent: what gains less may come anywhere

tool, strata, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_planted", tool)
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_planted", loader))
loader.exec_module(check)
plant = check.load_plant()
asks = {ident: name for name, (_, idents) in plant.REMEDIES.items() for ident in idents}


def is_accepted(truth, detector):
    return detector in truth["accept"] or detector in check.OWN.get(truth["cause"], ())


def true_gain(truth, detector):
    if is_accepted(truth, detector):
        return truth["gain_pct"]
    return truth["other_gains_pct"].get(asks.get(detector))


def disorder(truth, findings):
    known = [(true_gain(truth, f["detector"]), f["detector"]) for f in findings
             if f["severity"] != "headline" and f.get("predicted_pct") is not None]
    # what others of the same cause are left with is not known
    seen = [i for i, (_, ident) in enumerate(known) if is_accepted(truth, ident)][1:]
    known = [(gain, ident) for i, (gain, ident) in enumerate(known) if gain is not None and i not in seen]
    return [f"{a} ({ga:.1f} %) before {b} ({gb:.1f} %)" for i, (ga, a) in enumerate(known)
            for gb, b in known[i + 1:] if gb >= LEAST and ga < gb / 2]


causes, good, judged = list(plant.CAUSES), 0, 0
with tempfile.TemporaryDirectory() as folder:
    for seed in range(first, first + count):
        try:
            truth = plant.plant(seed, causes[seed % len(causes)], folder)
        except SystemExit:
            continue
        files = [os.path.join(folder, f) for f in truth["files"]]
        wrong = [] if truth["timeless"] else disorder(truth, check.report(strata, "advice", files) or [])
        for why in wrong:
            print(f"{truth['name']}: {why}", flush=True)
        judged += not truth["timeless"]
        good += not truth["timeless"] and not wrong
        for path in files:
            os.remove(path)
print(f"in order: {good} of {judged}")
