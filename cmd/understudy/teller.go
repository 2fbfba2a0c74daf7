package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"understudy/projections"
)

// lineEvery is how often a line tells the progress where there is no terminal.
const lineEvery = 5 * time.Second

// teller tells the operator how a rebuild goes on: as a bar on a terminal, else
// as lines.
type teller struct {
	out   io.Writer
	name  string
	bar   *progressbar.ProgressBar // nil without a terminal
	began time.Time
	told  time.Time
}

func newTeller(out io.Writer, p projections.Projection) *teller {
	t := &teller{out: out, name: fmt.Sprintf("%s v%d", p.Name, p.Version)}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(t.name))
	}
	return t
}

func (t *teller) begin() { t.began, t.told = time.Now(), time.Now() }

// progress is called after every batch.
func (t *teller) progress(p projections.Progress) {
	passed, whole := p.Position-p.From, max(p.Head-p.From, 1)
	took := time.Since(t.began)
	if t.bar != nil {
		t.bar.Describe(fmt.Sprintf("%-14s %9d events, %6d a second", t.name, p.Events, rate(p.Events, took)))
		t.bar.ChangeMax64(whole)
		_ = t.bar.Set64(min(passed, whole-1)) // it is finished when its rows serve
		return
	}
	if time.Since(t.told) < lineEvery || passed <= 0 {
		return
	}
	t.told = time.Now()
	left := time.Duration(float64(took) * float64(whole-min(passed, whole)) / float64(passed))
	fmt.Fprintf(t.out, "%s: %d %% of the log, %d events, %d a second, %s left\n",
		t.name, 100*min(passed, whole)/whole, p.Events, rate(p.Events, took), left.Round(time.Second))
}

func (t *teller) end(done projections.Rebuilt, err error) {
	if t.bar != nil {
		_ = t.bar.Finish()
	}
	if err != nil {
		return // main tells it
	}
	how := "filled"
	switch {
	case done.Replaced:
		how = "replaced"
	case done.Resumed && done.Events == 0:
		fmt.Fprintf(t.out, "%s: up to date at position %d\n", t.name, done.Position)
		return
	case done.Resumed:
		how = "filled up"
	}
	fmt.Fprintf(t.out, "%s: %s with %d events in %s, %d a second, at position %d\n",
		t.name, how, done.Events, done.Took.Round(time.Millisecond), rate(done.Events, done.Took), done.Position)
}
