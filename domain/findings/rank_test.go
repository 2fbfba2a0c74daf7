package findings

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"understudy/domain/stats"
	"understudy/domain/walk"
)

// The way of the sessions in these tests leads from start over pay to thanks.
const (
	start  = "a.com|Welcome"
	pay    = "a.com/pay|Pay"
	aside  = "a.com/blog|Blog"
	goHere = "#go"
)

// won is a session that went the way in 20 s.
func won(id string, obs ...Observation) Session {
	return Session{
		SessionID: id, Templates: []string{"a.com", "a.com/pay"}, Succeeded: true, Outcome: walk.Succeeded, SimulatedMS: 22000, WayMS: 20000,
		Visits:       []string{start, pay, "a.com/thanks|Thanks"},
		Way:          []Passage{{Place: start, Role: "button", Name: "Go", Selector: goHere}, {Place: pay, Role: "button", Name: "Pay", Selector: "#pay"}},
		Observations: obs,
	}
}

// failed is a session that ended on the last of its visits.
func failed(id, outcome string, visits []string, obs ...Observation) Session {
	return Session{SessionID: id, Templates: []string{"a.com", "a.com/pay"}, Outcome: outcome, SimulatedMS: 60000, Visits: visits, Observations: obs}
}

func seen(kind, place, template, selector string) Observation {
	o := Observation{
		Kind: kind, Channel: Observed, Template: template, Place: place, PageURL: "https://" + template, CostMS: 5000,
		Deterministic: deterministic[kind], Quote: "why?", Viewport: walk.Size{Width: 1280, Height: 800},
	}
	if selector != "" {
		o.Element = &Element{Role: "button", Name: "Go", Selector: selector, Box: walk.Box{X: 10, Y: 20, W: 100, H: 40}}
	}
	return o
}

func many(n int, make func(id string) Session) (out []Session) {
	for i := range n {
		out = append(out, make(fmt.Sprintf("ses_%02d", i)))
	}
	return out
}

func byKind(issues []Issue) map[string]Issue {
	out := map[string]Issue{}
	for _, i := range issues {
		out[i.Kind] = i
	}
	return out
}

func TestRank(t *testing.T) {
	t.Parallel()
	sessions := many(10, func(id string) Session {
		switch {
		case id < "ses_06":
			return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
		case id < "ses_08":
			s := failed(id, walk.Blocked, []string{start, pay}, seen(FormError, pay, "a.com/pay", "#phone"))
			return s
		}
		static := seen(LowContrast, start, "a.com", goHere)
		static.Channel = Static
		limit := seen(LimitSteps, pay, "a.com/pay", "")
		limit.Channel = Limit
		return won(id, static, limit)
	})
	issues, limits := Rank(sessions)
	var kinds []string
	for i, is := range issues {
		kinds = append(kinds, is.Kind)
		if is.Rank != i+1 || is.Title == "" || is.Description == "" || is.Suggestion == "" || len(is.Evidence) != is.Frequency.Affected || is.SeverityLabel == "" {
			t.Errorf("incomplete: %+v", is)
		}
	}
	if want := []string{LostScent, FormError, LowContrast}; !reflect.DeepEqual(kinds, want) {
		t.Fatalf("ranked %v, want %v", kinds, want)
	}
	if got := []int{issues[0].Severity, issues[1].Severity, issues[2].Severity}; !reflect.DeepEqual(got, []int{3, 4, 1}) {
		t.Errorf("severities %v", got)
	}
	low, high := stats.Wilson(6, 10, stats.Z95)
	if f := issues[0].Frequency; math.Abs(f.Low-low) > 1e-4 || math.Abs(f.High-high) > 1e-4 || f.Total != 10 {
		t.Errorf("frequency %+v", f)
	}
	if e := issues[0].Element; e == nil || e.Selector != goHere || issues[0].Title != "“Go” was not found here" {
		t.Errorf("what should have been found is not named: %+v %q", e, issues[0].Title)
	}
	if len(limits) != 1 || limits[0].Sessions != 2 {
		t.Errorf("limits %+v", limits)
	}
	again, _ := Rank(append(append([]Session{}, sessions[5:]...), sessions[:5]...))
	for i := range again {
		if again[i].ID != issues[i].ID || again[i].Severity != issues[i].Severity || again[i].Description != issues[i].Description {
			t.Errorf("rank %d depends on the order of the sessions", i+1)
		}
	}
}

func TestBlameGoesToWhereTheWayWasLeft(t *testing.T) {
	t.Parallel()
	// All leave the way at the start, where the button was overlooked, and end on
	// a page of a wrong turn, where something else is dead.
	lostThere := func(id string) Session {
		overlooked := seen(LowContrast, start, "a.com", goHere)
		overlooked.Resolved = true // a wrong link was taken after all
		return failed(id, walk.GaveUp, []string{start, aside}, overlooked, seen(DeadClick, aside, "a.com/blog", "#share"))
	}
	sessions := append(many(4, lostThere), won("ses_90"), won("ses_91"))
	got := byKind(first(Rank(sessions)))
	if got[LowContrast].Severity != 3 || got[LowContrast].Rank != 1 {
		t.Errorf("where the way was left: %+v", got[LowContrast])
	}
	if got[DeadClick].Severity != 2 {
		t.Errorf("something on a wrong turn has severity %d", got[DeadClick].Severity)
	}
	// Without a successful session there is nothing to compare with: the barrier
	// that was not got past is to blame.
	got = byKind(first(Rank(many(4, lostThere))))
	if got[DeadClick].Severity != 3 || got[LowContrast].Severity != 2 {
		t.Errorf("with nobody to compare with: %d and %d", got[DeadClick].Severity, got[LowContrast].Severity)
	}
}

func TestASuspectIsToBlameWhereOthersUsedIt(t *testing.T) {
	t.Parallel()
	with := func(selector string) []Session {
		return append(many(5, func(id string) Session {
			s := failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
			suspect := seen(UnclearLabel, start, "a.com", selector)
			suspect.Channel = Static
			s.Suspects = []Observation{suspect}
			return s
		}), won("ses_90"), won("ses_91"))
	}
	got := byKind(first(Rank(with(goHere))))
	if got[UnclearLabel].Severity != 3 || len(got) != 1 {
		t.Errorf("the nameless button that others went on with: %+v", got)
	}
	got = byKind(first(Rank(with("#other"))))
	if _, there := got[UnclearLabel]; there || got[LostScent].Severity != 3 {
		t.Errorf("a nameless thing that nobody needs: %+v", got)
	}
}

func TestAFewWhoDifferAreNoSevereIssue(t *testing.T) {
	t.Parallel()
	sessions := append(many(2, func(id string) Session {
		return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
	}), many(18, func(id string) Session { return won("x" + id) })...)
	if got := byKind(first(Rank(sessions))); got[LostScent].Severity != 2 {
		t.Errorf("two of twenty: severity %d", got[LostScent].Severity)
	}
	broken := append(many(1, func(id string) Session {
		return failed(id, walk.Blocked, []string{start, pay}, seen(ServerError, pay, "a.com/pay", "#pay"))
	}), many(19, func(id string) Session { return won("x" + id) })...)
	if got := byKind(first(Rank(broken))); got[ServerError].Severity != 4 {
		t.Errorf("one reproduction of what is deterministic: severity %d", got[ServerError].Severity)
	}
}

func TestReplaysSettleTheCause(t *testing.T) {
	t.Parallel()
	sessions := func(proven bool) []Session {
		return append(many(3, func(id string) Session {
			s := failed(id, walk.GaveUp, []string{start}, seen(LowContrast, start, "a.com", goHere), seen(WallOfText, start, "a.com", ""))
			s.Causes = []Cause{{Kind: LowContrast, Selector: goHere, Template: "a.com", Proven: !proven}, {Kind: WallOfText, Template: "a.com", Proven: proven}}
			return s
		}), many(17, func(id string) Session { return won("x" + id) })...)
	}
	got := byKind(first(Rank(sessions(true))))
	if got[WallOfText].Severity != 3 || got[WallOfText].Proven != 3 || got[LowContrast].Severity != 2 {
		t.Errorf("text proven, contrast disproved: %+v", got)
	}
	got = byKind(first(Rank(sessions(false))))
	if got[WallOfText].Severity != 2 || got[LowContrast].Severity != 3 {
		t.Errorf("contrast proven, text disproved: %+v", got)
	}
	forced := many(4, func(id string) Session {
		s := failed(id, walk.GaveUp, []string{start}, seen(DisabledControl, start, "a.com", goHere))
		s.Causes = []Cause{{Kind: DisabledControl, Selector: goHere, Template: "a.com"}}
		return s
	})
	if got := byKind(first(Rank(forced)))[DisabledControl]; got.Severity < 3 || got.Proven != 0 {
		t.Errorf("forced open in vain: %+v", got)
	}
}

func TestEffectsGoToTheirRoot(t *testing.T) {
	t.Parallel()
	// Half of those who were lost saw that the button is covered; the others
	// were lost for the same reason. All gave up.
	sessions := many(8, func(id string) Session {
		if id < "ses_04" {
			return failed(id, walk.GaveUp, []string{start}, seen(Covered, start, "a.com", goHere))
		}
		return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
	})
	got := byKind(first(Rank(sessions)))
	if len(got) != 1 || got[Covered].Frequency.Affected != 8 || got[Covered].Severity != 3 {
		t.Errorf("%+v", got)
	}
}

func TestADetourIsBlamedOnWhatCostMost(t *testing.T) {
	t.Parallel()
	sessions := many(4, func(id string) Session {
		menu := seen(HiddenInMenu, start, "a.com", goHere)
		menu.CostMS = 30000
		s := won(id, menu, seen(QuickBack, start, "a.com", "#x"))
		s.SimulatedMS, s.Moves = 61000, 7
		return s
	})
	got := byKind(first(Rank(sessions)))
	if got[HiddenInMenu].Severity != 3 || got[QuickBack].Severity == 3 {
		t.Errorf("%+v", got)
	}
}

func TestEvidenceHasTheBoxOfItsStep(t *testing.T) {
	t.Parallel()
	issues, _ := Rank([]Session{won("ses_1", seen(DeadClick, start, "a.com", goHere))})
	e := issues[0].Evidence[0]
	if e.Box == nil || *e.Box != (walk.Box{X: 10, Y: 20, W: 100, H: 40}) || e.ViewportWidth != 1280 {
		t.Errorf("%+v", e)
	}
}

func first(issues []Issue, _ []LimitNote) []Issue { return issues }

// TestWanderingsAfterTheBarrierAreNoIssues: who missed the way meets pages that
// promise nothing; that is no fault of those pages.
func TestWanderingsAfterTheBarrierAreNoIssues(t *testing.T) {
	t.Parallel()
	lostOn := func(place, template string, step int) Observation {
		o := seen(LostScent, place, template, "")
		o.Step = step
		return o
	}
	faint := seen(LowContrast, start, "a.com", goHere)
	faint.Step = 2
	sessions := append(many(4, func(id string) Session { return won(id) }),
		many(4, func(id string) Session {
			return failed("x"+id, walk.GaveUp, []string{start, aside}, faint, lostOn(aside, "a.com/blog", 5))
		})...)
	issues, _ := Rank(sessions)
	if got := byKind(issues); len(issues) != 1 || got[LowContrast].Severity < 3 {
		t.Errorf("%d issues: %+v", len(issues), issues)
	}
	// Lost before the barrier, or without any, it stays.
	before := append(many(4, func(id string) Session { return won(id) }),
		many(4, func(id string) Session {
			return failed("x"+id, walk.GaveUp, []string{start}, lostOn(start, "a.com", 1))
		})...)
	issues, _ = Rank(before)
	if _, there := byKind(issues)[LostScent]; !there {
		t.Errorf("being lost on the way is no issue any more: %+v", issues)
	}
}

// TestOnePersonsWrongTurnIsANote: of several people one goes astray on any page.
func TestOnePersonsWrongTurnIsANote(t *testing.T) {
	t.Parallel()
	turned := func(n int) map[string]Issue {
		sessions := many(n, func(id string) Session { return won(id, seen(CompetingLabels, start, "a.com", "#x")) })
		return byKind(first(Rank(append(sessions, many(4, func(id string) Session { return won("x" + id) })...))))
	}
	if got := turned(1)[CompetingLabels]; got.Severity != 1 {
		t.Errorf("one of five: severity %d", got.Severity)
	}
	if got := turned(2)[CompetingLabels]; got.Severity != 2 {
		t.Errorf("two of six: severity %d", got.Severity)
	}
	if got := byKind(first(Rank([]Session{won("a", seen(CompetingLabels, start, "a.com", "#x"))}))); got[CompetingLabels].Severity != 2 {
		t.Errorf("the only one there is: severity %d", got[CompetingLabels].Severity)
	}
	dead := append(many(1, func(id string) Session { return won(id, seen(DeadClick, start, "a.com", "#x")) }), many(4, func(id string) Session { return won("x" + id) })...)
	if got := byKind(first(Rank(dead))); got[DeadClick].Severity != 2 {
		t.Errorf("what is dead for everybody: severity %d", got[DeadClick].Severity)
	}
}

// TestPagesBesideTheWayOwnNothing: what nobody needed need not say how to go on.
func TestPagesBesideTheWayOwnNothing(t *testing.T) {
	t.Parallel()
	sessions := append(many(3, func(id string) Session {
		return failed(id, walk.GaveUp, []string{aside, start}, seen(LostScent, aside, "a.com/blog", ""), seen(LostScent, start, "a.com", ""))
	}), won("ses_90"), won("ses_91"))
	issues, _ := Rank(sessions)
	if len(issues) != 1 || issues[0].PageURL != "https://a.com" {
		t.Errorf("%+v", issues)
	}
}

// TestASlightWrongTurn of one or two people of many is a slip, of most of them the
// page's doing, but weighs no more than a note.
func TestASlightWrongTurn(t *testing.T) {
	t.Parallel()
	turned := func(wrong, ms int) []Issue {
		sessions := many(8, func(id string) Session { return won(id) })
		for i := range wrong {
			o := seen(CompetingLabels, start, "a.com", fmt.Sprintf("#twin-%d", i%2))
			o.CostMS = ms // of 22 s
			sessions[i].Observations = []Observation{o}
		}
		long := seen(LowContrast, pay, "a.com/pay", "#pay")
		for i := range sessions[4:] {
			sessions[4+i].Observations = append(sessions[4+i].Observations, long)
		}
		return first(Rank(sessions))
	}
	for _, c := range []struct{ wrong, ms, rank int }{{1, 2000, 0}, {2, 2000, 0}, {4, 2000, 2}, {8, 2000, 2}, {8, 5000, 1}} {
		rank := byKind(turned(c.wrong, c.ms))[CompetingLabels].Rank
		if rank != c.rank {
			t.Errorf("%d of 8 lose %d ms by the wrong one of two: rank %d, want %d", c.wrong, c.ms, rank, c.rank)
		}
	}
}

// TestWhoGotFurtherWasNotLostBefore: a server's failure behind the page that a
// form led to is what the end is to be blamed on, where nobody succeeded.
func TestWhoGotFurtherWasNotLostBefore(t *testing.T) {
	t.Parallel()
	sessions := many(4, func(id string) Session {
		astray := seen(LostScent, start, "a.com", "")
		astray.Astray, astray.CostMS = true, 50000
		s := failed(id, walk.GaveUp, []string{start, pay, start, aside}, astray, seen(ServerError, pay, "a.com/pay", "#pay"))
		s.Frontier = start
		return s
	})
	issues, _ := Rank(sessions)
	if len(issues) != 1 || issues[0].Kind != ServerError || issues[0].Severity < 3 {
		t.Errorf("%+v", issues)
	}
}

// TestAFailureIsShownWhereItIsMetFirst: the same thing fails from other pages
// that are tried afterwards, and longer.
func TestAFailureIsShownWhereItIsMetFirst(t *testing.T) {
	t.Parallel()
	from := func(place, template string, step, ms int) Observation {
		o := seen(ServerError, place, template, "#yes")
		o.Leads, o.Step, o.CostMS = "a.com/feedback", step, ms
		return o
	}
	issues, _ := Rank(many(3, func(id string) Session {
		return failed(id, walk.GaveUp, []string{start, aside}, from(start, "a.com", 1, 5000), from(aside, "a.com/blog", 4, 20000))
	}))
	if len(issues) != 1 || issues[0].PageURL != "https://a.com" || issues[0].Severity != 3 {
		t.Errorf("%+v", issues)
	}
}

// TestSomeSearchWhereMostGoOn: without anything that misled them, the few who
// are lost at a page that most get past are a minor matter.
func TestSomeSearchWhereMostGoOn(t *testing.T) {
	t.Parallel()
	for lost, want := range map[int]int{3: 2, 4: 3} {
		issues, _ := Rank(many(8, func(id string) Session {
			if id < fmt.Sprintf("ses_%02d", lost) {
				return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
			}
			return won(id)
		}))
		if got := byKind(issues)[LostScent].Severity; got != want {
			t.Errorf("%d of 8 lost: severity %d, want %d", lost, got, want)
		}
	}
}

// TestWhoFoundItOnThePageNeededNoLink: the label of a link that one of several
// went on by is not to blame where the others read on.
func TestWhoFoundItOnThePageNeededNoLink(t *testing.T) {
	t.Parallel()
	for readers, blamed := range map[int]bool{0: true, 3: false} {
		sessions := many(3, func(id string) Session {
			return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
		})
		guessed := won("ses_90")
		guessed.Way[0].Scent = 0.1
		sessions = append(sessions, guessed)
		for i := range readers {
			s := won(fmt.Sprintf("ses_8%d", i))
			s.Visits, s.Way = []string{start}, nil
			sessions = append(sessions, s)
		}
		issues, _ := Rank(sessions)
		if _, found := byKind(issues)[UnclearLabel]; found != blamed {
			t.Errorf("%d read on and found it: %+v", readers, issues)
		}
	}
}

// TestWhatAReplayHasClearedTakesNoBlame: who gave up likewise with a readable
// button did not give up for its contrast, although others did.
func TestWhatAReplayHasClearedTakesNoBlame(t *testing.T) {
	t.Parallel()
	for cleared, affected := range map[bool]int{false: 5, true: 4} {
		faint := seen(LowContrast, start, "a.com", goHere)
		sessions := many(3, func(id string) Session { return won(id, faint) })
		sessions = append(sessions, failed("ses_80", walk.GaveUp, []string{start}, faint))
		lost := failed("ses_81", walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
		if cleared {
			lost.Causes = []Cause{{Kind: LowContrast, Selector: goHere, Template: "a.com"}}
		}
		issues, _ := Rank(append(sessions, lost))
		if got := byKind(issues)[LowContrast].Frequency.Affected; got != affected {
			t.Errorf("cleared %v: %d affected, want %d", cleared, got, affected)
		}
	}
}

// TestWhoMissedTheWayAndPutItRight: one of eight is what any page has, one of five is told, and so
// is one of eight who gave up.
func TestWhoMissedTheWayAndPutItRight(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		people int
		first  func(id string) Session
		told   bool
	}{
		"one of eight": {8, func(id string) Session { return won(id, seen(LostScent, start, "a.com", "")) }, false},
		"one of five":  {5, func(id string) Session { return won(id, seen(LostScent, start, "a.com", "")) }, true},
		"one of eight, who gave up": {8, func(id string) Session {
			return failed(id, walk.GaveUp, []string{start}, seen(LostScent, start, "a.com", ""))
		}, true},
		"one of eight, of a fault": {8, func(id string) Session { return won(id, seen(DeadClick, start, "a.com", goHere)) }, true},
	} {
		n := 0
		issues, _ := Rank(many(c.people, func(id string) Session {
			if n++; n == 1 {
				return c.first(id)
			}
			return won(id)
		}))
		if told := len(issues) > 0; told != c.told {
			t.Errorf("%s: told %v: %+v", name, told, issues)
		}
	}
}
