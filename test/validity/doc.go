// Package validity holds the oracle and the walking model against what really
// happened: simulated users walk sites that know the truth of every visit, in
// a real browser, and the test compares.
//
// The short run is a regression test with bounds. The long one is asked for
// with the environment variable VALIDITY_PERSONAS, the number of personas a
// task is walked by; VALIDITY_SEED draws other personas, VALIDITY_DEFECTS gives
// the site "saas" flaws (names of sites.AllDefects with commas), VALIDITY_ONLY keeps the tasks whose name holds its text,
// and VALIDITY_TRACE names a directory for one trace a walk, in plain text,
// and the last picture of each walk that ended short of its goal.
package validity
