package scoring

// Formula is how a criterion's score is computed, in words for readers of a
// report; "" for what is no criterion. The functions in formulas.go are the
// same, and their comments say so.
func Formula(criterion string) string { return formulary[criterion] }

var formulary = map[string]string{
	TaskCompletion: "1 when the goal was verifiably reached, else 0.4 × subgoals done ÷ subgoals in all",
	CTAFindability: "mean over the decisions that the task needs: e^(−excess seconds ÷ 30) ÷ (1 + wrong clicks) when reached, else 0",
	Navigation:     "(1 − lostness, cut to 0–1) × (0.5 + 0.5 × progress); lostness = √((N/S − 1)² + (R/N − 1)²) with N distinct states, S states visited, R fewest needed; no score for who fell short without leaving the first page",
	Efficiency:     "time on the shortest known path ÷ time taken, cut to 0–1; 0 without success",
	Readability:    "over the words on the screen: 0.4 × (tolerated grade + 6 − Flesch–Kincaid grade) ÷ 6, cut to 0–1, + 0.3 × (1 − unfamiliar share ÷ 0.10, cut to 0–1) + 0.3 × share of words in blocks of at most 80",
	Accessibility:  "(1 − impeded steps ÷ required steps) × e^(−Σ weights of the rules that fail on the path); critical 0.4, serious 0.2, moderate 0.05, minor 0.02; no score for who fell short without a step of the way or a barrier",
	ErrorRecovery:  "mean over the errors met: 0.5 × 2^(−seconds ÷ 30) + 0.3 when the input was kept + 0.2 for a specific message beside the field when resolved, else 0",
	Trust:          "1 − risk aversion × Σ risks met, cut to 0–1; insecure 0.3, late cost 0.25, forced account 0.2, needless sensitive field 0.15, missing terms 0.1, interruption 0.1; without a risk no score for who fell short before filling something in and before half of the way",
	Speed:          "mean over page views of the worst of LCP (2.5/4 s), INP (200/500 ms) and CLS (0.1/0.25): 1 at good, 0.5 at poor, 0 at twice poor, linear between",
	overall:        "mean over the sessions of each one's own: the mean of its requested criteria that have evidence, and never more than its task_completion where that is requested",
}
