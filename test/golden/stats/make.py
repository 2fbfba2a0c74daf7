"""Writes expected.json: what domain/stats must answer, computed by SciPy.

    apt-get install python3-scipy
    /usr/bin/python3 test/golden/stats/make.py

Where SciPy has the statistic it is asked; where it lacks it, the value is
computed here from the paper's formula and SciPy's distributions, by another
way than the Go code takes where there is one (all subsets in place of half
sums, Dirichlet draws in place of exponentials). domain/stats/golden_test.go
compares, closed forms and exact tests to 1e-6, resampled ones to the
tolerance that stands with them.
"""

import json
import math
import pathlib

import numpy as np
import scipy
from scipy import special, stats

MANY = 200_000
cases = []


def case(function, want, tolerance=1e-6, **given):
    if not isinstance(want, list):
        want = [want]
    cases.append({"function": function, **given, "want": [float(w) for w in want], "tolerance": tolerance})


def scores(rng, n, shift=0.0):
    """Scores in [0,1] with two decimals, so that some are the same."""
    return np.clip(np.round(rng.beta(4, 2, n) + shift, 2), 0, 1).tolist()


def differences(a, b):
    return np.round(np.subtract(b, a), 12)


# Proportions of different people: kA, nA, kB, nB.


def wilson(k, n):
    ci = stats.binomtest(k, n).proportion_ci(method="wilson")
    return ci.low, ci.high


def newcombe(ka, na, kb, nb):
    pa, pb = ka / na, kb / nb
    (la, ua), (lb, ub) = wilson(ka, na), wilson(kb, nb)
    d = pb - pa
    return [d, d - math.sqrt((pb - lb) ** 2 + (ua - pa) ** 2), d + math.sqrt((ub - pb) ** 2 + (pa - la) ** 2)]


def n_minus_1(ka, na, kb, nb):
    table = [[ka, na - ka], [kb, nb - kb]]
    n = na + nb
    return stats.chi2.sf(stats.chi2_contingency(table, correction=False)[0] * (n - 1) / n, 1)


for counts in [(48, 80, 56, 70), (3, 10, 9, 10), (2, 7, 6, 7), (0, 29, 5, 56), (0, 20, 10, 10), (12, 20, 16, 20),
               (1, 34, 7, 34), (15, 72, 0, 16), (700, 1000, 730, 1000), (5, 5, 0, 5), (1, 400, 3, 380)]:
    ka, na, kb, nb = counts
    case("Wilson", list(wilson(ka, na)), counts=[ka, na])
    case("Newcombe", newcombe(*counts), counts=counts)
    case("NMinus1ChiSquare", n_minus_1(*counts), counts=counts)
    fisher = stats.fisher_exact([[ka, na - ka], [kb, nb - kb]])[1]
    case("Fisher", fisher, counts=counts)
    exact = stats.contingency.expected_freq([[ka, na - ka], [kb, nb - kb]]).min() < 1
    case("Proportions", [fisher if exact else n_minus_1(*counts), exact], counts=counts)

# Proportions of the same people: both, only A, only B, neither.


def newcombe_paired(both, only_a, only_b, neither):
    n = both + only_a + only_b + neither
    ka, kb = both + only_a, both + only_b
    (la, ua), (lb, ub) = wilson(ka, n), wilson(kb, n)
    pa, pb = ka / n, kb / n
    cross = both * neither - only_a * only_b
    if cross > 0:
        cross = max(cross - n / 2, 0)
    margins = ka * (n - ka) * kb * (n - kb)
    phi = cross / math.sqrt(margins) if margins else 0
    # The two limits are errors that vary together.
    covariance = np.array([[1, -phi], [-phi, 1]])
    below, above = np.array([pb - lb, ua - pa]), np.array([ub - pb, pa - la])
    d = (only_b - only_a) / n
    return [d, d - math.sqrt(below @ covariance @ below), d + math.sqrt(above @ covariance @ above)]


for counts in [(20, 2, 12, 16), (36, 2, 12, 0), (18, 0, 14, 18), (14, 0, 5, 22), (1, 7, 1, 12), (59, 16, 6, 80),
               (0, 3, 5, 0), (20, 0, 0, 0), (0, 0, 9, 0), (3, 4, 6, 2), (500, 40, 60, 400)]:
    case("NewcombePaired", newcombe_paired(*counts), counts=counts)

for a, b in [(5, 0), (0, 4), (1, 7), (2, 9), (3, 3), (1, 1), (40, 60), (300, 310), (0, 1)]:
    n = a + b
    exact = stats.binomtest(a, n, 0.5).pvalue
    here = stats.binom.pmf(a, n, 0.5)
    case("McNemarMidP", exact - here if a != b else exact - here / 2, counts=[a, b])

# Scores of the same people.


def subset_means(d):
    """The means of all nonempty subsets, least first."""
    sums, sizes = np.zeros(1), np.zeros(1)
    for x in d:
        sums, sizes = np.concatenate([sums, sums + x]), np.concatenate([sizes, sizes + 1])
    return np.sort(sums[1:] / sizes[1:])


def flip_interval(means, flips):
    """The limits of Hartigan's typical values: 1 + the subsets whose mean is at
    most the shift are the flips that reach the sum seen on its side."""
    k = math.floor(0.05 * flips / 2)
    return [means[k - 1], means[-k]]


def drawn_flip_interval(rng, d):
    signs = rng.integers(0, 2, (MANY, len(d)))
    taken, count = signs @ d, signs.sum(1)
    means = np.sort(np.concatenate([taken / count, (d.sum() - taken) / (len(d) - count)]))
    k = math.floor(0.05 * (MANY + 1))
    return [means[k - 1], means[-k]]


def better_paired(rng, d):
    means = rng.dirichlet(np.ones(len(d)), MANY) @ d
    return (means > 1e-12).mean() + (abs(means) <= 1e-12).mean() / 2


def cohen_dz(d):
    n = len(d)
    j = special.gamma((n - 1) / 2) / (math.sqrt((n - 1) / 2) * special.gamma((n - 2) / 2))
    return np.mean(d) / np.std(d, ddof=1) * j


rng = np.random.default_rng(4)
paired = [(scores(rng, n), shift) for n, shift in
          [(6, 0.1), (8, 0.0), (10, 0.15), (13, -0.1), (16, 0.05), (20, 0.08), (20, 0.0), (40, 0.03), (90, -0.02)]]
for a, shift in paired:
    b = np.clip(np.round(np.array(a) + shift + rng.normal(0, 0.12, len(a)), 2), 0, 1).tolist()
    d = differences(a, b)
    n = len(d)
    if n <= 20:
        # numpy sums in floating point, and equal sums must be met: whole cents are.
        p = stats.permutation_test((np.round(d * 100),), np.sum, permutation_type="samples", n_resamples=np.inf,
                                   batch=2**16).pvalue
        case("SignFlip", p, a=a, b=b)
        case("SignFlipInterval", [d.mean(), *flip_interval(subset_means(d), 2**n)], a=a, b=b)
    else:
        p = stats.permutation_test((np.round(d * 100),), np.sum, permutation_type="samples", n_resamples=MANY,
                                   batch=2**12, random_state=rng).pvalue
        case("SignFlip", p, tolerance=0.015, a=a, b=b)
        case("SignFlipInterval", [d.mean(), *drawn_flip_interval(rng, d)], tolerance=0.004, a=a, b=b)
    others = d[d != 0]
    untied = len(set(abs(others))) == len(others)
    case("Wilcoxon", stats.wilcoxon(others, correction=True, method="exact" if untied else "approx").pvalue, a=a, b=b)
    case("CohenDz", cohen_dz(d), a=a, b=b)
    case("ProbabilityBetterPaired", better_paired(rng, d), tolerance=0.02, a=a, b=b)

for n in (6, 12, 30, 50, 60):
    a = rng.uniform(0, 1, n).tolist()
    b = np.add(a, rng.normal(0.1, 0.3, n)).tolist()
    case("Wilcoxon", stats.wilcoxon(np.subtract(b, a), correction=True, method="exact" if n <= 50 else "approx").pvalue,
         a=a, b=b)

# Scores of different people.


def welch(a, b):
    t = stats.ttest_ind(b, a, equal_var=False)
    va, vb = np.var(a, ddof=1) / len(a), np.var(b, ddof=1) / len(b)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    d = np.mean(b) - np.mean(a)
    return [d, *stats.t.interval(0.95, df, d, math.sqrt(va + vb)), t.pvalue]


def hedges_g(a, b):
    df = len(a) + len(b) - 2
    sd = math.sqrt((np.var(a, ddof=1) * (len(a) - 1) + np.var(b, ddof=1) * (len(b) - 1)) / df)
    return (np.mean(b) - np.mean(a)) / sd * special.gamma(df / 2) / (math.sqrt(df / 2) * special.gamma((df - 1) / 2))


def better(rng, a, b):
    means = [rng.dirichlet(np.ones(len(x)), MANY) @ np.array(x) for x in (a, b)]
    return (means[1] > means[0]).mean()


def distance(x, y, axis):
    return abs(np.mean(x, axis) - np.mean(y, axis))


for na, nb, shift in [(2, 2, 0.3), (4, 4, 0.4), (5, 7, 0.1), (9, 9, -0.1), (10, 10, 0.2), (20, 20, 0.1), (25, 14, -0.05)]:
    a, b = scores(rng, na), scores(rng, nb, shift)
    case("Welch", welch(a, b), a=a, b=b)
    case("HedgesG", hedges_g(a, b), a=a, b=b)
    exact = special.comb(na + nb, na) <= 200_000
    # About the least common multiple, the cents are whole and equal means meet.
    whole = [np.round(np.array(x) * 100) * math.lcm(na, nb) for x in (a, b)]
    p = stats.permutation_test(whole, distance, vectorized=True, alternative="greater", batch=2**12,
                               n_resamples=np.inf if exact else MANY, random_state=rng).pvalue
    case("Permutation", p, tolerance=1e-6 if exact else 0.015, a=a, b=b)
    case("ProbabilityBetter", better(rng, a, b), tolerance=0.02, a=a, b=b)
    untied = len(set(a + b)) == na + nb
    case("MannWhitney", stats.mannwhitneyu(b, a, method="exact" if untied and max(na, nb) <= 20 else "asymptotic").pvalue,
         a=a, b=b)

for na, nb in [(3, 3), (5, 8), (20, 17), (21, 20), (60, 45)]:
    a, b = rng.uniform(0, 1, na).tolist(), rng.uniform(0.1, 1.1, nb).tolist()
    case("MannWhitney", stats.mannwhitneyu(b, a, method="exact" if max(na, nb) <= 20 else "asymptotic").pvalue, a=a, b=b)

# Times.

for na, nb in [(2, 2), (5, 5), (12, 12), (20, 20), (30, 30)]:
    a, b = np.round(rng.lognormal(4, 0.5, na), 1), np.round(rng.lognormal(3.8, 0.4, nb), 1)
    logs = np.log(b) - np.log(a)
    ci = stats.t.interval(0.95, na - 1, logs.mean(), stats.sem(logs))
    case("GeometricRatioPaired", [*np.exp([logs.mean(), *ci]), stats.ttest_rel(np.log(b), np.log(a)).pvalue],
         a=a.tolist(), b=b.tolist())
    b = np.append(b, [31.5, 20.0])
    *effect, p = welch(np.log(a), np.log(b))
    case("GeometricRatio", [*np.exp(effect), p], a=a.tolist(), b=b.tolist())

# Many tests, and how many sessions.


def holm(p):
    adjusted, running = [0] * len(p), 0
    for rank, i in enumerate(np.argsort(p, kind="stable")):
        running = max(running, min(1, (len(p) - rank) * p[i]))
        adjusted[i] = running
    return adjusted


for p in ([0.01, 0.04, 0.03], [0.2], [0.5, 0.5, 0.001, 0.04, 0.9, 0.012, 0.012, 0.3], [0.7, 0.8]):
    case("Holm", holm(p), a=p)
    case("ThroughPrimary", [max(0.02, q) for q in holm(p)], a=[0.02], b=p)


def power(delta, df):
    bar = stats.t.ppf(0.975, df)
    return stats.nct.sf(bar, df, delta) + stats.nct.cdf(-bar, df, delta)


for sd, effect in [(0.1, 0.05), (0.2, 0.05), (0.3, -0.1), (0.05, 0.05), (0.02, 0.05), (0.35, 0.05), (0.1, 0.1)]:
    n = 6
    while power(math.sqrt(n) * abs(effect) / sd, n - 1) < 0.8:
        n += 1
    case("PairsNeeded", n, a=[sd, effect])
    n = 4
    while power(math.sqrt(n / 2) * abs(effect) / sd, 2 * n - 2) < 0.8:
        n += 1
    case("PerSideNeeded", n, a=[sd, effect])

# A single test.

for n in (2, 5, 20):
    a = scores(rng, n)
    low, high = stats.t.interval(0.95, n - 1, np.mean(a), stats.sem(a))
    case("MeanInterval", [max(0, low), min(1, high)], a=a)

lines = ",\n".join("  " + json.dumps(c) for c in cases)
pathlib.Path(__file__).with_name("expected.json").write_text(
    f'{{"made_by": "SciPy {scipy.__version__}", "cases": [\n{lines}\n]}}\n')
print(len(cases), "cases")
