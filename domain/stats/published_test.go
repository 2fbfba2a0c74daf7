package stats_test

import (
	"math"
	"testing"

	"understudy/domain/stats"
)

// near fails unless got is what was published, to as many digits as were.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.6f, published is %v", what, got, want)
	}
}

// Newcombe 1998, Statistics in Medicine 17:873–890, table II, method 10.
func TestNewcombesTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kA, nA, kB, nB int
		low, high      float64
	}{
		{48, 80, 56, 70, 0.0524, 0.3339},
		{3, 10, 9, 10, 0.1705, 0.8090},
		{2, 7, 6, 7, 0.0582, 0.8062},
		{0, 29, 5, 56, -0.0381, 0.1926},
		{0, 20, 0, 10, -0.1611, 0.2775},
		{0, 10, 0, 10, -0.2775, 0.2775},
		{0, 20, 10, 10, 0.6791, 1},
	} {
		e := stats.Newcombe(c.kA, c.nA, c.kB, c.nB)
		near(t, "low", e.Low, c.low, 5e-5)
		near(t, "high", e.High, c.high, 5e-5)
	}
}

// Fagerland, Lydersen and Laake 2017, Statistical Analysis of Contingency
// Tables, chapters 4 and 8: the trial of Perondi et al., the study of Ritland et
// al. and that of Cavo et al., whose differences are first less second.
func TestFagerlandsExamples(t *testing.T) {
	t.Parallel()
	e := stats.Newcombe(1, 34, 7, 34)
	near(t, "Newcombe's low", e.Low, 0.0189, 5e-5)
	near(t, "Newcombe's high", e.High, 0.3404, 5e-5)
	near(t, "Fisher's p", stats.Fisher(0, 16, 15, 72), 0.06287, 5e-6)
	e = stats.NewcombePaired(stats.Pairs{Both: 59, OnlyB: 6, OnlyA: 16, Neither: 80})
	near(t, "the paired estimate", e.Estimate, -0.0621, 5e-5)
	near(t, "the paired low", e.Low, -0.1186, 5e-5)
	near(t, "the paired high", e.High, -0.0046, 5e-5)
}

// Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91:
// the airways of 21 children before and after a transplantation. Then the cases
// that simulated users are judged by.
func TestMcNemarsMidP(t *testing.T) {
	t.Parallel()
	near(t, "1 to 7", stats.McNemarMidP(1, 7), 0.0391, 5e-5)
	near(t, "5 to 0", stats.McNemarMidP(5, 0), 0.03125, 1e-12)
	near(t, "4 to 0", stats.McNemarMidP(4, 0), 0.0625, 1e-12)
}

// Darwin's maize, crossed against self-fertilized, in eighths of an inch: Fisher
// 1935, The Design of Experiments, section 21, counts 863 of 2¹⁵ flips on each
// side whose sum exceeds the 314 seen or equals it.
func TestDarwinsMaize(t *testing.T) {
	t.Parallel()
	d := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	near(t, "p", stats.SignFlip(d, 1), 2*863.0/32768, 1e-12)
}

// Cohen 1988, Statistical Power Analysis, table 2.3.1's 64 on a side for d = 0.5
// and 26 for d = 0.8; 34 pairs for d_z = 0.5 is what G*Power answers.
func TestCohensNumbers(t *testing.T) {
	t.Parallel()
	if n := stats.PerSideNeeded(1, 0.5); n != 64 {
		t.Errorf("d = 0.5: %d on a side", n)
	}
	if n := stats.PerSideNeeded(1, 0.8); n != 26 {
		t.Errorf("d = 0.8: %d on a side", n)
	}
	if n := stats.PairsNeeded(1, 0.5); n != 34 {
		t.Errorf("d_z = 0.5: %d pairs", n)
	}
}
