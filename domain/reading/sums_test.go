package reading

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestSumsAreSolved: whatever two numbers are added, taken from each other or
// multiplied, the missing one is found; what is no such equation is left.
func TestSumsAreSolved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(1, 99).Draw(t, "a"), rapid.IntRange(1, 99).Draw(t, "b")
		sign := rapid.SampledFrom([]string{"+", "-", "*"}).Draw(t, "sign")
		n := []int{a, b, map[string]int{"+": a + b, "-": a - b, "*": a * b}[sign]}
		s := []string{fmt.Sprint(a), fmt.Sprint(b), fmt.Sprint(n[2])}
		open := rapid.IntRange(0, 2).Draw(t, "open")
		s[open] = "x"
		text := fmt.Sprintf("What is x? %s %s %s = %s Send", s[0], sign, s[1], s[2])
		if got, ok := Solved(text, "x"); !ok || got != n[open] {
			t.Fatalf("%s: %d, %v, not %d", text, got, ok, n[open])
		}
	})
	for _, text := range []string{"", "x = 4", "x + y = 4", "2 + 2 = 4", "a - 3 = 4", "3 * x = 4"} {
		if got, ok := Solved(text, "x"); ok {
			t.Errorf("%q has the solution %d", text, got)
		}
	}
}
