package reading

import (
	"regexp"
	"strconv"
	"strings"
)

// sum is an equation of whole numbers with one unknown, on its left or alone on its right.
var sum = regexp.MustCompile(`(?:^|[^\w.])(\d{1,6}|[a-z]) *([-+−–*×·]) *(\d{1,6}|[a-z]) *= *(-?\d{1,6}|[a-z?_]+)`)

// Solved is what an unknown of a simple equation in a text is, as anybody reckons it who
// went to school: a sum, a difference or a product of two whole numbers. unknown is its
// name, "" for any. false where there is none, or no whole number solves it.
func Solved(text, unknown string) (int, bool) {
	for _, found := range sum.FindAllStringSubmatch(strings.ToLower(text), -1) {
		var n [3]int
		open := -1 // where the unknown stands
		for i, s := range []string{found[1], found[3], found[4]} {
			v, err := strconv.Atoi(s)
			switch {
			case err == nil:
				n[i] = v
			case open >= 0 || unknown != "" && s != strings.ToLower(unknown):
				open = len(n) // two of them, or another
			default:
				open = i
			}
		}
		if open < 0 || open == len(n) {
			continue
		}
		a, b, c := n[0], n[1], n[2]
		switch found[2] {
		case "+":
			return [...]int{c - b, c - a, a + b}[open], true
		case "*", "×", "·":
			switch {
			case open == 2:
				return a * b, true
			case a+b != 0 && c%(a+b) == 0: // the unknown counts nothing
				return c / (a + b), true
			}
		default:
			return [...]int{c + b, a - c, a - b}[open], true
		}
	}
	return 0, false
}
