package validity

import (
	"math"
	"strings"
	"testing"
)

func TestRankBiasedOverlap(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, a, b string
		p, want    float64
	}{
		{"the same", "a b c d", "a b c d", 0.9, 1},
		{"nothing in common", "a b c", "d e f", 0.9, 0},
		{"both empty", "", "", 0.9, 1},
		{"one empty", "", "a", 0.9, 0},
		// By hand, p = 0.5, of even length: the overlaps X are 0, 2, 3 at depths 1–3,
		// so 0.5/0.5·(0 + 2/2·0.25 + 3/3·0.125) + 3/3·0.125 = 0.5.
		{"first two swapped", "b a c", "a b c", 0.5, 0.5},
		{"the same as far as it goes", "a b", "a b c d", 0.5, 1},
		// By hand, p = 0.5, s = 2, l = 4: X is 0, 1, 2, 2 at depths 1–4. The sums are
		// 1/2·0.25 + 2/3·0.125 + 2/4·0.0625 = 0.239583 and, for the short list going
		// on as it was, 1·1/(2·3)·0.125 + 1·2/(2·4)·0.0625 = 0.036458; the rest is
		// ((2−1)/4 + 1/2)·0.0625 = 0.046875.
		{"a longer list", "a b", "c a b d", 0.5, 0.322917},
		// By hand, p = 0.9: X is 1, 1, 1;
		// 0.1/0.9·(0.9 + 0.81/2 + 0.729/3) + 1/3·0.729 = 0.415.
		{"only the first", "a b c", "a d e", 0.9, 0.415},
	}
	for _, c := range cases {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		if got := RankBiasedOverlap(a, b, c.p); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if x, y := RankBiasedOverlap(a, b, c.p), RankBiasedOverlap(b, a, c.p); x != y {
			t.Errorf("%s: %v one way, %v the other", c.name, x, y)
		}
	}
}

// TestTrend: without ties Page's L has the mean n·k·(k+1)²/4 and the variance
// n·k²·(k+1)²·(k−1)/144 of Page 1963.
func TestTrend(t *testing.T) {
	t.Parallel()
	rows := [][]float64{{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}}
	l := 30.0 + 29 + 29
	want := (l - 3*4*25/4.0) / math.Sqrt(3*16*25*3/144.0)
	if z, p := Trend(rows); math.Abs(z-want) > 1e-9 || p > 0.01 {
		t.Errorf("z %v, p %v, want z %v", z, p, want)
	}
	if z, p := Trend([][]float64{{4, 3, 2, 1}, {4, 3, 2, 1}}); z >= 0 || p < 0.9 {
		t.Errorf("falling values: z %v, p %v", z, p)
	}
	if z, p := Trend([][]float64{{5, 5, 5}, {1, 1, 1}}); z != 0 || p != 1 {
		t.Errorf("nothing differs: z %v, p %v", z, p)
	}
}
