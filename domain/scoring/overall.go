package scoring

import (
	"maps"
	"slices"
)

// overall is the name of the overall score among the criteria.
const overall = "overall"

// Overall is a session's overall score by the named criteria, rounded to four
// decimals: the mean of those that have evidence, and never more than its
// task_completion where that is named and known. Whoever did not get there has
// 0.4 at most, however pleasant the way was: completion is the gateway measure,
// "if users can't complete a task, not much else matters" (Sauro and Lewis,
// MeasuringU). That the limit is task_completion itself is an assumption, chosen
// because everybody can check it. ok is false when no criterion has evidence.
func Overall(scores map[string]float64, criteria []string) (score float64, ok bool) {
	sum, n := 0.0, 0
	most := 1.0
	for i, c := range criteria {
		v, has := scores[c]
		if !has || slices.Contains(criteria[:i], c) {
			continue
		}
		sum += v
		n++
		if c == TaskCompletion {
			most = v
		}
	}
	if n == 0 {
		return 0, false
	}
	return round4(min(sum/float64(n), most)), true
}

// Tally adds up the scores of sessions. The zero value has none.
type Tally struct {
	// Sums and Counts are by criterion, of the sessions that have evidence for it;
	// under "overall" they are of the sessions' overall scores.
	Sums   map[string]float64 `json:"sums"`
	Counts map[string]int     `json:"counts"`
}

// With is the tally with the scores of one more session, whose overall score is
// by the named criteria. The receiver stays as it is.
func (t Tally) With(scores map[string]float64, criteria []string) Tally {
	sums, counts := make(map[string]float64, len(t.Sums)+1), make(map[string]int, len(t.Counts)+1)
	maps.Copy(sums, t.Sums)
	maps.Copy(counts, t.Counts)
	add := func(name string, v float64) {
		sums[name] += v
		counts[name]++
	}
	for c, v := range scores {
		add(c, v)
	}
	if v, ok := Overall(scores, criteria); ok {
		add(overall, v)
	}
	return Tally{sums, counts}
}

// Means are the mean of each named criterion over the sessions that have
// evidence for it, as they are judged and shown: rounded to four decimals. A
// criterion without evidence is absent.
func (t Tally) Means(criteria []string) map[string]float64 {
	means := map[string]float64{}
	for _, c := range criteria {
		if v, ok := t.mean(c); ok {
			means[c] = v
		}
	}
	return means
}

// Overall is the mean of the sessions' overall scores, rounded to four decimals;
// ok is false when no session has one. As each is limited by its session's
// task_completion, so is it by the mean of those.
func (t Tally) Overall() (score float64, ok bool) { return t.mean(overall) }

func (t Tally) mean(name string) (float64, bool) {
	n := t.Counts[name]
	if n == 0 {
		return 0, false
	}
	return round4(t.Sums[name] / float64(n)), true
}

// Aggregate is the tally of all of the sessions' scores.
func Aggregate(sessions []map[string]float64, criteria []string) (t Tally) {
	for _, scores := range sessions {
		t = t.With(scores, criteria)
	}
	return t
}
