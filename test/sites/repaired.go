package sites

import "slices"

// healthyDose is where a kind with doses stops to be a fault.
var healthyDose = map[string]float64{
	"low_contrast":   7,    // WCAG 2.2 1.4.6, the enhanced ratio
	"small_target":   44,   // WCAG 2.2 2.5.5, the enhanced size, in CSS px
	"below_the_fold": 0.05, // a strip of decoration, in screens
	"layout_shift":   0.02, // web.dev/cls calls up to 0.1 good
	"slow_page":      50,   // milliseconds
	"wall_of_text":   40,   // words, the length of a short paragraph
}

// Repaired is another way to put a fault right than to serve the clean page as it
// was: the same change at a dose that hinders nobody or, for kinds without doses,
// the clean page with another look or another foot. Faults and Decoys of Options
// take what is theirs (IsDecoy).
func Repaired(f Fault) []Fault {
	if dose, ok := healthyDose[f.Kind]; ok {
		f.Dose = dose
		return []Fault{f}
	}
	if f.OnPage() || f.Selector == "" || f.Kind == "needless_field" {
		return []Fault{{Kind: "reworded_footer", Path: f.Path}}
	}
	return []Fault{{Kind: "restyled", Path: f.Path, Selector: f.Selector}}
}

// IsDecoy reports whether the fault is of one of DecoyKinds.
func (f Fault) IsDecoy() bool { return slices.Contains(DecoyKinds(), f.Kind) }

// RepairedOptions serve a case with its first fault repaired in that other way
// and the rest as it was.
func (c Case) RepairedOptions() Options {
	o := Options{Faults: slices.Clone(c.Faults[1:]), Decoys: slices.Clone(c.Decoys)}
	for _, f := range Repaired(c.Faults[0]) {
		if f.IsDecoy() {
			o.Decoys = append(o.Decoys, f)
		} else {
			o.Faults = append(o.Faults, f)
		}
	}
	return o
}

// Edited is a change of the faulty page that repairs nothing: it is to be served
// as a decoy beside the fault.
func Edited(f Fault) []Fault {
	return []Fault{{Kind: "reworded_footer", Path: f.Path}, {Kind: "plain_picture", Path: f.Path}}
}
