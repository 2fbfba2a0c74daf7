// Package stats holds the statistics of proportions, scores and comparisons as
// pure functions: chance comes only from a seed, and the same seed gives the
// same answer.
//
// A is the old design and B the new one. Every difference is B less A, every
// ratio B to A, so that exchanging A and B mirrors each answer. Intervals are
// 95 % intervals and p-values two-sided.
//
// Differences of scores that lie closer than 5e-13 are taken for equal, because
// they differ by the rounding of floating-point sums only.
//
// What cannot be known is said, never guessed: where there are too few values,
// or one is NaN, infinite or beyond ±1e60, a p-value is 1, an effect has no limits and is not
// [Effect.Known], a probability is 0.5, an effect size is NaN and a number of
// sessions is 0.
package stats
