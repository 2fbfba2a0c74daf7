// Package stats holds the statistics of proportions, scores and comparisons as
// pure functions.
package stats
