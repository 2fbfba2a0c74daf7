package report

import (
	"fmt"
	"strings"
)

// sentence says how many walks were repeated and what that has shown; "" of none.
func (r *Replays) sentence() string {
	if r == nil || r.Made == 0 {
		return ""
	}
	found := []string{fmt.Sprintf("%d showed the reason", r.Proven)}
	if r.Withheld > 0 {
		found = append(found, fmt.Sprintf("%d ended before anything was sent again that had been accepted", r.Withheld))
	}
	if r.CutShort > 0 {
		found = append(found, fmt.Sprintf("%d was cut short", r.CutShort))
	}
	return fmt.Sprintf(". To find out why sessions fell short, %s made, one for each of %d of %s: %s",
		pluralWere(r.Made, "further visit"), r.Made, plural(r.Causes, "suspected cause"), strings.Join(found, ", "))
}

func pluralWere(n int, what string) string {
	if n == 1 {
		return "one " + what + " was"
	}
	return plural(n, what) + " were"
}
