// Package validity holds the product against the truth: simulated users walk
// sites that know what really happened to every visitor and which faults were
// put into their pages, in a real browser, and what the product says of it is
// compared with that.
//
// An Errand is a task on a site. Walker.Walk sends one persona on it;
// Walker.Parties sends many, as a test of the product does, several at a time.
// Matches says whether an issue names a fault. RankBiasedOverlap and Trend are
// the statistics that compare what came of it.
//
// The tests of this package are a short regression run with bounds. The command
// in bench measures every aim and prints one table.
package validity
