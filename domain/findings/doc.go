// Package findings detects what went wrong in walks and ranks it.
//
// One walk at a time, detectors (examine.go lists them) turn steps into
// observations, of which those that another one explains are dropped
// (explain.go). With all sessions of a test in view, Rank compares each session
// that fell short with the ways of those that succeeded and finds what it is to
// be blamed on (blame.go), and merges observations into issues (rank.go).
package findings
