package testrun_test

import (
	"testing"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/findings"
	"understudy/domain/replay"
	"understudy/domain/testrun"
)

var (
	faint = findings.Cause{Kind: findings.LowContrast, Selector: "#buy", Template: "shop/item"}
	form  = findings.Sent{Method: "POST", Template: "shop/order"}

	begun     = testrun.ReplayBegun{N: 1, SessionID: "ses_0", Kind: faint.Kind, Selector: "#buy", Template: "shop/item", At: at(20)}
	proven    = testrun.ReplayEnded{N: 1, Result: "proven", Sent: []testrun.Sent{{Method: "POST", Template: "shop/order"}}, At: at(30)}
	examining = testrun.SessionsFinished{SessionsCompleted: 1, ExamineCauses: true, At: at(10)}
)

// asked is a test of one session whose walks may be repeated, unless it is changed.
func asked(change func(*testrun.Created)) testrun.Created {
	c := created(1)
	c.Replays = testrun.Safe
	if change != nil {
		change(&c)
	}
	return c
}

func TestWalksAreRepeatedWhereTheyMayAndCanBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*testrun.Created)
		want   bool
	}{
		"safe":                               {nil, true},
		"recorded before there was a choice": {func(c *testrun.Created) { c.Replays = "" }, true},
		"off":                                {func(c *testrun.Created) { c.Replays = testrun.Off }, false},
		"sandbox":                            {func(c *testrun.Created) { c.Environment = domain.Sandbox }, false},
		"a language model":                   {func(c *testrun.Created) { c.Model = "openai/some" }, false},
	} {
		finish := examining
		finish.ExamineCauses = c.want
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			domaintest.For(t, testrun.Decider).Given(asked(c.change), started(1)).When(ends(0, true)).
				Then(ended(0, true), progressed(1, 1, 100, 10), finish)
		})
	}
}

func TestAReplayIsClaimedOnceAndEndsOnce(t *testing.T) {
	t.Parallel()
	claim := testrun.BeginReplay{N: 1, SessionID: "ses_0", Cause: faint, Now: at(20)}
	tell := testrun.EndReplay{N: 1, Outcome: replay.Outcome{Result: replay.Proven, Sent: []findings.Sent{form}}, Now: at(30)}
	conclude := testrun.EndExamination{Suspected: 3, Now: at(40)}
	given := func(more ...testrun.Event) *domaintest.Scenario[testrun.State, testrun.Command, testrun.Event] {
		return domaintest.For(t, testrun.Decider).Given(asked(nil), started(1), ended(0, true), examining).Given(more...)
	}
	given().When(claim).Then(begun)
	given(begun).When(claim).ThenRefused(domain.CodeWrongState)
	given(begun).When(tell).Then(proven)
	given(begun, proven).When(tell).Then()
	given(begun, proven).When(testrun.BeginReplay{N: 2, Now: at(31)}).Then(testrun.ReplayBegun{N: 2, At: at(31)})
	given(begun, proven).When(conclude).Then(testrun.CausesExamined{Suspected: 3, Made: 1, Proven: 1, At: at(40)})
	// Whoever made it is gone: what it sent is not known, so none follows.
	given(begun).When(testrun.BeginReplay{N: 2}).ThenRefused(domain.CodeWrongState)
	given(begun).When(conclude).Then(testrun.CausesExamined{Suspected: 3, Made: 1, CutShort: 1, At: at(40)})
	// The report waits, and a cancellation ends it all.
	given().When(judge).ThenRefused(domain.CodeWrongState)
	over := testrun.CausesExamined{At: at(40)}
	given(over).When(claim).ThenRefused(domain.CodeWrongState)
	given(over).When(conclude).Then()
	gone := testrun.Cancelled{SessionsCompleted: 1, SessionsTotal: 1, At: at(25)}
	given(begun, gone).When(tell).ThenRefused(domain.CodeWrongState)
	given(gone).When(claim).ThenRefused(domain.CodeWrongState)
}

func TestWhatReplaysHaveShown(t *testing.T) {
	t.Parallel()
	var s testrun.State
	for _, e := range []testrun.Event{
		asked(nil), examining, begun, proven,
		testrun.ReplayBegun{N: 2, Kind: findings.BelowFold}, testrun.ReplayEnded{N: 2, Result: "unchanged"},
		testrun.ReplayBegun{N: 3, Kind: findings.Covered}, testrun.ReplayEnded{N: 3, Result: "withheld"},
	} {
		s = testrun.Decider.Evolve(s, e)
	}
	if causes := s.Causes(); len(causes) != 2 || !causes[0].Proven || !causes[0].Is(faint) || causes[1].Proven {
		t.Errorf("causes %+v", causes)
	}
	if tried := s.Tried(); len(tried) != 3 || tried[2].Kind != findings.Covered {
		t.Errorf("tried %+v", tried)
	}
	if sent := s.Sent(); len(sent) != 1 || sent[0] != form {
		t.Errorf("sent %+v", sent)
	}
	if !s.MayReplay() {
		t.Error("no other replay may follow")
	}
}
