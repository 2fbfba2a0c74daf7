// Package validity holds the oracle and the walking model against what really
// happened: simulated users walk sites that know the truth of every visit, in
// a real browser, and the test compares.
//
// The short run is a regression test with bounds. The environment changes it:
//
//	VALIDITY_PERSONAS  how many personas walk each task (6)
//	VALIDITY_SEED      draws other personas and walks
//	VALIDITY_ONLY      keeps the tasks whose name holds this text
//	VALIDITY_DEFECTS   gives the site "saas" flaws, names of sites.AllDefects with commas
//	VALIDITY_TRACE     a directory for one trace a walk, in plain text, and the
//	                   last picture of each walk that ended short of its goal
package validity
