package mind

// Promise is how well a label fits the subgoal with this index, 0 to 1: the
// scent that a reader who sees everything would find in it, without noise and
// without the heading above. An index beyond the last subgoal counts as the last.
func (g Goal) Promise(subgoal int, label string) float64 {
	if len(g.Subgoals) == 0 {
		return 0
	}
	w := analyse(label)
	return similarity(&g.Subgoals[max(0, min(subgoal, len(g.Subgoals)-1))], &w)
}
