package stats

import (
	"math"
	"testing"
)

// The expected values are those of Newcombe 1998, table I, method 3.
func TestWilson(t *testing.T) {
	t.Parallel()
	cases := []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	}
	for _, c := range cases {
		low, high := Wilson(c.k, c.n, Z95)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("Wilson(%d, %d) = %.4f–%.4f, want %.4f–%.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
	if low, high := Wilson(0, 0, Z95); low != 0 || high != 1 {
		t.Errorf("no trials: %v–%v", low, high)
	}
	if low, high := Wilson(9, 5, Z95); low <= 0.5 || high != 1 {
		t.Errorf("more hits than trials: %v–%v", low, high)
	}
}
