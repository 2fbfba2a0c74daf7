// Command calibrate looks for better values of the walking model's free
// parameters (mind.Tuning) on pages of our own: the sites without faults and
// the tuning half of the faulty cases; the test half is left alone. It moves
// one parameter at a time and keeps what is better, which takes hours over all
// of them: choose some with -only. It changes nothing; what it finds goes into
// mind.DefaultTuning by hand.
//
//	go run ./test/validity/calibrate [-only settle,noise] [-people 4] [-every 4]
package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"understudy/domain/findings"
	"understudy/domain/mind"
	"understudy/test/sites"
	"understudy/test/validity"
)

// knob is one parameter with the values to try.
type knob struct {
	name   string
	values []float64
	set    func(*mind.Tuning, float64)
	get    func(mind.Tuning) float64
}

var knobs = []knob{
	{"aspiration", []float64{0.45, 0.5, 0.55, 0.6, 0.65}, func(t *mind.Tuning, v float64) { t.Aspiration = v }, func(t mind.Tuning) float64 { return t.Aspiration }},
	{"settle", []float64{0.2, 0.25, 0.3, 0.35}, func(t *mind.Tuning, v float64) { t.Settle = v }, func(t mind.Tuning) float64 { return t.Settle }},
	{"promising", []float64{0.36, 0.42, 0.48}, func(t *mind.Tuning, v float64) { t.Promising = v }, func(t mind.Tuning) float64 { return t.Promising }},
	{"noise", []float64{0.02, 0.035, 0.05, 0.07}, func(t *mind.Tuning, v float64) { t.Noise = v }, func(t mind.Tuning) float64 { return t.Noise }},
	{"screens", []float64{2, 3, 4}, func(t *mind.Tuning, v float64) { t.Screens = int(v) }, func(t mind.Tuning) float64 { return float64(t.Screens) }},
	{"patience", []float64{60, 90, 120, 150}, func(t *mind.Tuning, v float64) { t.PatienceSeconds = v }, func(t mind.Tuning) float64 { return t.PatienceSeconds }},
	{"heading", []float64{0.2, 0.3, 0.4}, func(t *mind.Tuning, v float64) { t.HeadingShare = v }, func(t mind.Tuning) float64 { return t.HeadingShare }},
	{"icon", []float64{0.4, 0.6, 0.8}, func(t *mind.Tuning, v float64) { t.IconShare = v }, func(t mind.Tuning) float64 { return t.IconShare }},
}

// score is what a tuning is worth: people get done what can be done, and what
// was put in their way is what the ranking names. Both count the same; ties go
// to the value that is there.
type score struct {
	done, walks, named, faults int
}

func (s score) value() float64 {
	return float64(s.done)/float64(max(1, s.walks)) + float64(s.named)/float64(max(1, s.faults))
}

func (s score) String() string {
	return fmt.Sprintf("%d of %d clean walks done, %d of %d faults in the top 3: %.3f", s.done, s.walks, s.named, s.faults, s.value())
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	only := flag.String("only", "", "comma-separated parameters instead of all: "+strings.Join(names(), ", "))
	people := flag.Int("people", 4, "personas in each test")
	every := flag.Int("every", 4, "one of so many cases of the tuning half is walked")
	flag.Parse()
	if *people < 1 || *every < 1 {
		return fmt.Errorf("-people and -every are 1 or more")
	}
	for _, name := range strings.Split(*only, ",") {
		if *only != "" && !slices.Contains(names(), name) {
			return fmt.Errorf("-only: there is no parameter %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	walker, err := validity.NewWalker(4)
	if err != nil {
		return err
	}
	defer func() {
		if closed := walker.Close(); err == nil {
			err = closed
		}
	}()
	s := search{walker: walker, people: *people, every: *every}
	tuning := mind.DefaultTuning()
	best, err := s.try(ctx, "as it is", tuning)
	if err != nil {
		return err
	}
	for _, k := range knobs {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), k.name) {
			continue
		}
		for _, v := range k.values {
			changed := tuning
			if k.set(&changed, v); changed == tuning {
				continue
			}
			got, err := s.try(ctx, fmt.Sprintf("%s %g", k.name, v), changed)
			if err != nil {
				return err
			}
			if got.value() > best.value() {
				best, tuning = got, changed
			}
		}
		fmt.Printf("keeps %s %g\n", k.name, k.get(tuning))
	}
	fmt.Printf("\n%+v\n%v\n", tuning, best)
	return nil
}

func names() []string {
	var out []string
	for _, k := range knobs {
		out = append(out, k.name)
	}
	return out
}

// search walks the same people over the same pages with one tuning after the other.
type search struct {
	walker        *validity.Walker
	people, every int
}

func (s search) try(ctx context.Context, what string, t mind.Tuning) (score, error) {
	began := time.Now()
	options := validity.Options{Tuning: t}
	var parties []validity.Party
	for _, e := range validity.SiteErrands() {
		if e.Doable {
			parties = append(parties, validity.Party{Errand: e, Cast: s.cast(e.Name), Options: options})
		}
	}
	clean := len(parties)
	var cases []sites.Case
	for _, c := range sites.Cases() {
		if c.Half() == sites.TuningHalf && len(c.Faults) == 1 {
			cases = append(cases, c)
		}
	}
	var walked []sites.Case
	for i := 0; i < len(cases); i += s.every {
		e, err := validity.CaseErrand(cases[i], cases[i].Options())
		if err != nil {
			return score{}, err
		}
		faulty := options
		faulty.Served, faulty.Causes = true, true
		parties = append(parties, validity.Party{Errand: e, Cast: s.cast(cases[i].Name, cases[i].Viewports...), Options: faulty})
		walked = append(walked, cases[i])
	}
	var got score
	err := s.walker.Parties(ctx, parties, nil, func(i int, results []validity.Result) error {
		if i < clean {
			for j := range results {
				got.walks++
				if results[j].Reached {
					got.done++
				}
			}
			return nil
		}
		got.faults++
		if named(walked[i-clean], results) {
			got.named++
		}
		return nil
	})
	fmt.Printf("%-18s %v (%s)\n", what, got, time.Since(began).Round(time.Second))
	return got, err
}

func (s search) cast(name string, views ...string) []validity.Plan {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return validity.Cast(h.Sum64()>>11, s.people, views...)
}

// named reports whether the ranking has the case's fault among its first three.
func named(c sites.Case, results []validity.Result) bool {
	var sessions []findings.Session
	var served []validity.Served
	for i := range results {
		sessions = append(sessions, results[i].Session())
		served = append(served, results[i].Served)
	}
	issues, _ := findings.Rank(sessions)
	verdicts, _ := validity.Judge(validity.Counted(issues), c.Faults, served)
	return verdicts[0].Rank >= 1 && verdicts[0].Rank <= 3
}
