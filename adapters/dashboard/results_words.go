package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"
)

// resultWords are what pages of results say things with.
var resultWords = template.FuncMap{
	"percent": percentWords, "criterion": criterionWords, "counted": countedWords, "span": spanWords, "trendOf": trendQuery, "verdict": verdictWords,
	"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}

// percentWords writes a share: "75 %".
func percentWords(v any) string {
	share := 0.0
	switch v := v.(type) {
	case float64:
		share = v
	case *float64:
		if v == nil {
			return "–"
		}
		share = *v
	}
	return fmt.Sprintf("%.0f %%", math.Floor(100*share+.5))
}

// criterionWords are the names of criteria as words.
func criterionWords(names string) string {
	return capital(strings.NewReplacer("_", " ", "cta_", "CTA ").Replace(names))
}

// countedWords are a number of things: "1 step", "3 steps".
func countedWords(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// spanWords are a time in seconds: "12 s", "3 min 5 s".
func spanWords(seconds *int) string {
	switch s := deref(seconds); {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	}
}

// verdictWords are why a gate passed or failed, which is said beside it.
func verdictWords(summary string) string {
	return criterionWords(strings.TrimPrefix(summary, "failed: "))
}
