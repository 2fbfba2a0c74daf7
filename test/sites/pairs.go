package sites

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
)

// Pair is two designs of one site for an A/B comparison: the site as it is, and
// the same site with one fault in the way of the task.
type Pair struct {
	// Case is the damaged design; the other one is its site without faults.
	Case
	// DamagedA: the damaged design is A, else B.
	DamagedA bool
}

// Pairs are one pair for each of FaultKinds, in their order. Of the cases with
// one fault of a kind that with the least hash of its name is taken, so that
// nobody picks what is easy to tell apart; A and B are damaged in turn, so that
// who prefers one side wins half.
func Pairs() []Pair {
	cases := Cases()
	var out []Pair
	for i, kind := range FaultKinds() {
		of := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return len(c.Faults) != 1 || c.Faults[0].Kind != kind })
		out = append(out, Pair{Case: slices.MinFunc(of, byHash("pair")), DamagedA: i%2 == 0})
	}
	return out
}

// Twins are one task of each site, by the least hash, as cases without a fault:
// what differs between two tests of one of them is chance.
func Twins() []Case {
	var out []Case
	for _, site := range Names() {
		var of []Case
		for _, t := range Tasks[site] {
			of = append(of, Case{Name: site + "-" + t.Name, Site: site, Task: t.Name, Viewports: devices})
		}
		out = append(out, slices.MinFunc(of, byHash("twin")))
	}
	return out
}

// EditedTwins are the same tasks with an edit of the page they start on that
// hinders nobody: what differs between one of them and its twin is a false alarm.
func EditedTwins() []Case {
	out := Twins()
	for i, c := range out {
		t := Tasks[c.Site][slices.IndexFunc(Tasks[c.Site], func(t Task) bool { return t.Name == c.Task })]
		out[i].Decoys = Edited(Fault{Path: t.Start})
	}
	return out
}

// byHash orders cases by a hash of what they are chosen for and their names.
func byHash(purpose string) func(x, y Case) int {
	hash := func(c Case) []byte { h := sha256.Sum256([]byte(purpose + "/" + c.Name)); return h[:] }
	return func(x, y Case) int { return cmp.Or(bytes.Compare(hash(x), hash(y)), cmp.Compare(x.Name, y.Name)) }
}
