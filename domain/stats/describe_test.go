package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The quartiles are those that R's quantile() gives for 1, 2, 4, 8, 16.
func TestDescribe(t *testing.T) {
	t.Parallel()
	d := Describe([]float64{8, 1, 16, 2, 4})
	if d.N != 5 || d.Mean != 6.2 || d.Min != 1 || d.Q1 != 2 || d.Median != 4 || d.Q3 != 8 || d.Max != 16 || math.Abs(*d.SD-6.0992) > 5e-5 {
		t.Errorf("%+v", d)
	}
	if Describe(nil) != nil || Describe([]float64{3}).SD != nil {
		t.Error("nothing, and one number, have no spread")
	}
}

// The second case is numpy.percentile([1, 2, 3, 4], [25, 75]).
func TestQuantile(t *testing.T) {
	t.Parallel()
	four := []float64{1, 2, 3, 4}
	if a, b := Quantile(four, 0.25), Quantile(four, 0.75); a != 1.75 || b != 3.25 {
		t.Errorf("quartiles %v and %v", a, b)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 50).Draw(t, "values")
		slices.Sort(values)
		p, q := rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "q")
		if a, b := Quantile(values, min(p, q)), Quantile(values, max(p, q)); a > b+1e-6 || a < values[0] || b > values[len(values)-1]+1e-6 {
			t.Fatalf("%v and %v of %v", a, b, values)
		}
	})
}

func TestHistogramCountsEverythingOnce(t *testing.T) {
	t.Parallel()
	if got := Histogram([]float64{0, 0.0999, 0.1, 0.3, 0.7, 0.95, 1}, 10); !slices.Equal(got, []int{2, 1, 0, 1, 0, 0, 0, 1, 0, 2}) {
		t.Errorf("%v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64Range(-0.5, 1.5)).Draw(t, "values")
		sum := 0
		for _, n := range Histogram(values, 10) {
			sum += n
		}
		if sum != len(values) {
			t.Fatalf("%d of %d", sum, len(values))
		}
	})
}

func TestExplained(t *testing.T) {
	t.Parallel()
	if e := Explained([][]float64{{1, 1, 1}, {0, 0, 0}}); e != 1 {
		t.Errorf("groups that say it all explain %v", e)
	}
	if e := Explained([][]float64{{1, 0, 1, 0}, {0, 1, 0, 1}, nil}); e != 0 {
		t.Errorf("groups that are alike explain %v", e)
	}
	if e := Explained([][]float64{{1}, {0}}); e != 0 {
		t.Errorf("one of each explains %v", e)
	}
}

// TestGeometricMean: of 20, 40 and 80 the middle is 40, and the interval is that
// of t with two degrees of freedom (4.3027, table) about its logarithm.
func TestGeometricMean(t *testing.T) {
	t.Parallel()
	m := GeometricMean([]float64{20, 40, 80})
	factor := math.Exp(4.3027 * math.Ln2 / math.Sqrt(3))
	if math.Abs(m.Estimate-40) > 1e-9 || math.Abs(m.Low-40/factor) > 1e-3 || math.Abs(m.High-40*factor) > 2e-2 {
		t.Errorf("%+v, want 40 within %.3f to %.3f", m, 40/factor, 40*factor)
	}
	for name, times := range map[string][]float64{"none": nil, "a time of 0": {0, 1}} {
		if m := GeometricMean(times); m.Known() {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if one := GeometricMean([]float64{7}); math.Abs(one.Estimate-7) > 1e-9 || one.Low != 0 || !math.IsInf(one.High, 1) {
		t.Errorf("one time sets limits: %+v", one)
	}
}
