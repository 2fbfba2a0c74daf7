package findings

import (
	"slices"
	"strings"
	"testing"

	"understudy/domain/walk"
)

// TestWhereTheyTurnedBackIsTold: five sessions give up on the first page; what they took
// and what they passed by is named, and what would have led on as far as it is known.
func TestWhereTheyTurnedBackIsTold(t *testing.T) {
	t.Parallel()
	blog, plan := link("#blog", "Blog", "https://example.com/blog"), link("#plan", "Offers", "https://example.com/plan")
	plan.InViewport = false
	start := at("/", blog, plan)
	lost := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{click(start, blog, to("/blog")), back(at("/blog")), slow(scroll(start)), quit(start)}}
	gone := func(id string) Session { return NewSession(id, lost.walked()) }
	turned := func(issues []Issue) *Issue {
		at := slices.IndexFunc(issues, func(i Issue) bool { return i.Kind == LostScent })
		if at < 0 {
			t.Fatalf("nobody is told to have turned back: %+v", issues)
		}
		return &issues[at]
	}
	names := func(offers []Offer) (out []string) {
		for _, o := range offers {
			out = append(out, o.Name+" "+o.Noticed)
		}
		return out
	}

	i := turned(first(Rank(many(5, gone))))
	if i.Severity != 3 || i.Title != "5 of 5 turned back on “Page /”" || i.Cost.Ended != 5 || i.Turn == nil {
		t.Fatalf("%+v", i)
	}
	if !slices.Equal(names(i.Turn.Taken), []string{"Blog seen"}) || i.Turn.Taken[0].Sessions != 5 || !slices.Equal(names(i.Turn.NotTaken), []string{"Offers unseen"}) {
		t.Errorf("on offer: %+v", i.Turn)
	}
	if i.Turn.KnownBy != "unknown" || len(i.Turn.Ways) > 0 || len(i.Turn.Expected) == 0 {
		t.Errorf("with nobody who succeeded: %+v", i.Turn)
	}

	seenPlan := plan
	seenPlan.InViewport = true
	through := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", blog, seenPlan), seenPlan, to("/plan")), done(at("/plan"))}}
	i = turned(first(Rank(append(many(3, gone), NewSession("ses_90", through.walked()), NewSession("ses_91", through.walked())))))
	if i.Turn.KnownBy != "sessions" || !slices.Equal(names(i.Turn.Ways), []string{"Offers unseen"}) || i.Turn.Ways[0].Sessions != 2 {
		t.Errorf("with two who succeeded: %+v", i.Turn)
	}
	if !strings.Contains(i.Description, "“Offers” would have led on and was never on the screen") || i.Title != "3 of 5 turned back on “Page /”" {
		t.Errorf("%q: %q", i.Title, i.Description)
	}
	if lost := Lost(many(2, gone)); len(lost) != 2 || !strings.HasSuffix(lost["ses_00"], "|Page /") {
		t.Errorf("lost at %v", lost)
	}
}

// TestOneIssueForOneCause: four faint fields are one issue with four places, and what is
// said twice of one control is said in one.
func TestOneIssueForOneCause(t *testing.T) {
	t.Parallel()
	note := func(kind, selector, template string) Observation {
		o := seen(kind, template+"|x", template, selector)
		o.Channel, o.Consequence, o.Element.Name = Static, ConsequenceNone, selector
		return o
	}
	var all []Observation
	for _, field := range []string{"#name", "#mail", "#phone", "#note"} {
		all = append(all, note(LowContrast, field, "a.com"), note(UnlabelledField, field, "a.com"))
	}
	all = append(all, note(LowContrast, "#send", "a.com/pay"), note(SmallTarget, "#mail", "a.com"))
	issues := first(Rank(many(5, func(id string) Session { return won(id, all...) })))
	got := byKind(issues)
	i := got[LowContrast]
	if len(issues) != 1 || i.Title != "“#mail” and 4 more are hard to read" || len(i.Places) != maxFolded || !i.Folded {
		t.Fatalf("%+v", issues)
	}
	for _, also := range []string{"Also: “#mail” is hard to hit.", "Also: “#mail” and 3 more do not say what they want."} {
		if !strings.Contains(i.Description, also) {
			t.Errorf("%q is not in %q", also, i.Description)
		}
	}

	// Where somebody was stopped by one of them, that one gives the issue its name and the
	// others of its page are its places.
	stopped := seen(LowContrast, start, "a.com", goHere)
	stopped.Consequence = ConsequenceRecovered
	issues = first(Rank(append(many(4, func(id string) Session {
		return failed(id, walk.GaveUp, []string{start}, append(slices.Clone(all), stopped)...)
	}), won("ses_90"))))
	if i := issues[0]; i.Kind != LowContrast || i.Severity != 3 || i.Element.Selector != goHere || !strings.HasPrefix(i.Title, "“Go” and ") || i.Cost.Ended != 4 || i.Folded {
		t.Errorf("%+v", i)
	}
}

// TestWhatIsLeftIsToldByItself: where the worse of two faint controls is told in an issue
// of its own, the other's has its own figures, words and picture.
func TestWhatIsLeftIsToldByItself(t *testing.T) {
	t.Parallel()
	faint := func(selector, detail string, step, ms int) Observation {
		o := seen(LowContrast, start, "a.com", selector)
		o.Element.Name, o.Detail, o.Step, o.CostMS, o.Consequence = selector, detail, step, ms, ConsequenceRecovered
		return o
	}
	stopped := seen(DeadClick, start, "a.com", "#mail")
	stopped.Consequence = ConsequenceBlocked
	issues := first(Rank(many(4, func(id string) Session {
		return failed(id, walk.GaveUp, []string{start}, stopped, faint("#mail", "1.5:1", 3, 9000), faint("#send", "2.0:1", 7, 4000))
	})))
	i := byKind(issues)[LowContrast]
	if i.Title != "“#send” is hard to read" || !strings.Contains(i.Description, "2.0:1") || i.Evidence[0].Step != 7 || i.Cost.Seconds != 4 {
		t.Errorf("%+v", i)
	}
}

// TestAFaultIsMetByThoseWhomItTouches: what only a screen reader is not told is no hindrance
// to who sees the field.
func TestAFaultIsMetByThoseWhomItTouches(t *testing.T) {
	t.Parallel()
	o := seen(UnlabelledField, start, "a.com", "#mail")
	o.Channel, o.Detail, o.Unmet = Static, "axe-core: label", true
	issues := first(Rank(many(5, func(id string) Session { return won(id, o) })))
	if len(issues) != 1 || issues[0].Frequency.Affected != 0 || issues[0].Severity != 1 || !strings.Contains(issues[0].Description, "screen reader") || len(issues[0].Evidence) != 1 {
		t.Errorf("%+v", issues)
	}
	o.Unmet = false
	hears := won("ses_90", o)
	o.Unmet = true
	issues = first(Rank(append(many(4, func(id string) Session { return won(id, o) }), hears)))
	if f := issues[0].Frequency; f.Affected != 1 || f.Total != 5 || issues[0].Evidence[0].SessionID != "ses_90" {
		t.Errorf("%+v", issues[0])
	}
}

// TestWhatOthersFoundOnThePage: who turns back on the page where others found what they
// came for by reading on is told so.
func TestWhatOthersFoundOnThePage(t *testing.T) {
	t.Parallel()
	blog := link("#blog", "Blog", "https://example.com/blog")
	lost := scene{outcome: walk.GaveUp, steps: []walk.StepRecord{click(at("/", blog), blog, to("/blog")), back(at("/blog")), slow(scroll(at("/", blog))), quit(at("/", blog))}}
	read := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{scroll(at("/", blog)), done(at("/", blog))}}
	issues := first(Rank(append(many(4, func(id string) Session { return NewSession(id, lost.walked()) }), NewSession("ses_90", read.walked()))))
	i := byKind(issues)[LostScent]
	if i.Turn == nil || i.Turn.KnownBy != "page" || len(i.Turn.Ways) > 0 || !strings.Contains(i.Description, "others found it by reading on") {
		t.Errorf("%+v", i)
	}
}

// TestWhoReadOnIsToldSo: where all looked for the way on and found what they came for by
// reading on, the page is not said to lead nowhere.
func TestWhoReadOnIsToldSo(t *testing.T) {
	t.Parallel()
	start := at("/", link("#blog", "Blog", "https://example.com/blog"))
	read := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
		slow(scroll(start, sig(walk.SigLostScent))), slow(scroll(start, sig(walk.SigLostScent))), slow(scroll(start, sig(walk.SigLostScent))), done(start),
	}}
	i := byKind(first(Rank(many(4, func(id string) Session { return NewSession(id, read.walked()) }))))[LostScent]
	if i.Title != "Nothing says that what people came for is on this page" || i.Suggestion != nameOnTop || i.Cost.Ended > 0 {
		t.Errorf("%+v", i)
	}
}

// TestOneControlOnSeveralPagesIsOneIssue: a faint link of the menu that held people up on
// two pages is told once, with both.
func TestOneControlOnSeveralPagesIsOneIssue(t *testing.T) {
	t.Parallel()
	faint := func(template string) Observation {
		o := seen(LowContrast, template+"|x", template, "#glossary-"+template)
		o.Consequence, o.CostMS, o.Element.Role, o.Element.Name = ConsequenceRecovered, 5000, "link", "Glossary"
		return o
	}
	issues := first(Rank(many(5, func(id string) Session { return won(id, faint("a.com"), faint("a.com/search")) })))
	if len(issues) != 1 || issues[0].Title != "“Glossary” is hard to read" || len(issues[0].Places) != 2 {
		t.Errorf("%+v", issues)
	}
}

// TestALongShotIsNoBarrier: people who are lost try what leads nowhere; that is not why
// they are lost.
func TestALongShotIsNoBarrier(t *testing.T) {
	t.Parallel()
	dead := seen(DeadClick, start, "a.com", "#twitter")
	dead.Deterministic, dead.Consequence = false, ConsequenceRecovered
	issues := first(Rank(append(many(4, func(id string) Session { return failed(id, walk.GaveUp, []string{start}, dead) }), won("ses_90"))))
	if i := byKind(issues)[DeadClick]; i.Severity > 2 || i.Cost.Ended > 0 {
		t.Errorf("%+v", i)
	}
}
