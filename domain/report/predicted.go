package report

import (
	"fmt"
	"math"
)

// What is known of people who did tasks and were asked the Single Ease Question
// (SEQ) after each: the mean over 400 tasks (5.3 to 5.6; Sauro 2012, "10 things to
// know about the Single Ease Question"), the mean share of them who complete a
// task (1,189 tasks; Sauro 2011), and the correlation between one person's
// completion, 0 or 1, and rating (about .5; Sauro 2012, Sauro and Lewis 2009).
// seqSD, the standard deviation of ratings, is an assumption: a quarter of the
// scale's range.
const (
	seqMean        = 5.5
	completionMean = 0.78
	seqCompletion  = 0.5
	seqSD          = 1.5
)

// seqOf is the mean rating to expect where a share of people completes the task:
// the regression line of ratings on completion.
func seqOf(share float64) float64 {
	slope := seqCompletion * seqSD / math.Sqrt(completionMean*(1-completionMean))
	return seqMean + slope*(share-completionMean)
}

// predictionNote holds for every report. The figures of time are those of the
// widgets in docs/results.md.
var predictionNote = fmt.Sprintf("Predicted: no person took part, and nobody was asked. "+
	"SEQ (1 very difficult, 7 very easy) follows from the share that reached the goal, by the correlation of about %.1f between people's completion and ratings "+
	"about their averages of %.0f %% and %.1f (Sauro 2011, 2012); a standard deviation of %.1f is an assumption. "+
	"Success explains about a quarter of how people rate, so that the prediction stays between %.1f and %.1f. "+
	"Time is the geometric mean of the simulated seconds of those who reached the goal. On widgets on which people were timed, "+
	"simulated times ranked as theirs did (Spearman .91) and were 1.05 times as long in the median; whole websites have not been held against people.",
	seqCompletion, 100*completionMean, seqMean, seqSD, seqOf(0), seqOf(1))

// predictedOf predicts how easy people would call the task and how long they
// would take, nil without a completed session. Its intervals are over simulated
// users, not about the model.
func predictedOf(success *Estimate, times Times) *Predicted {
	if success == nil {
		return nil
	}
	low, high := round4(seqOf(*success.Low)), round4(seqOf(*success.High))
	p := Predicted{
		SEQ:  Ease{Estimate: Estimate{Value: round4(seqOf(success.Value)), Low: &low, High: &high, N: success.N}, People: seqMean},
		Note: predictionNote,
	}
	if times.Succeeded != nil {
		p.Time = times.Succeeded.Typical
	}
	return &p
}
