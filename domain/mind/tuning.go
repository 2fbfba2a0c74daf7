package mind

// Tuning is what no study gives and pages have to: the free parameters of the
// walking model. SNIF-ACT's own (k = 600, scent × 50) presuppose similarities
// from latent semantic analysis, so its form is kept and the numbers are
// fitted on the tuning half of test/validity by `make calibrate`. All are
// scents or shares from 0 to 1 unless a unit is given.
type Tuning struct {
	// Aspiration is the scent at which an element is clicked at once, Settle
	// what is good enough on the second pass over a page.
	Aspiration, Settle float64
	// Promising is the scent with which in sight most people look no further.
	Promising float64
	// Noise scales the logistic noise on scent (SNIF-ACT 2.0: s = 1 at a scale
	// of 50, that is 0.02).
	Noise float64
	// Screens is how many screenfuls are looked at before settling.
	Screens int
	// PatienceSeconds is the median of the unproductive simulated seconds that
	// are put up with.
	PatienceSeconds float64
	// HeadingShare of the scent of the heading above is added to a label's own.
	HeadingShare float64
	// IconShare is how far the shape of an icon tells what a label would.
	IconShare float64
	// FaintSearch is how much longer a label is searched for when its contrast
	// is at the edge of legibility, as a share of the time it takes otherwise.
	FaintSearch float64
}

// DefaultTuning is the calibrated model.
func DefaultTuning() Tuning {
	return Tuning{
		Aspiration: 0.55, Settle: 0.30, Promising: 0.42, Noise: 0.035, Screens: 3,
		PatienceSeconds: 90, HeadingShare: 0.3, IconShare: 0.6, FaintSearch: 1,
	}
}
