package findings

import (
	"testing"

	"understudy/domain/walk"
)

// TestWordsThatOthersCouldNotRead: the same control was missed for its size by
// some and said nothing to others: one issue, and it is the size.
func TestWordsThatOthersCouldNotRead(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string]int{goHere: 1, "#other": 2} {
		issues, _ := Rank(many(6, func(id string) Session {
			if id < "ses_03" {
				return won(id, seen(SmallTarget, start, "a.com", goHere))
			}
			return won(id, seen(UnclearLabel, start, "a.com", selector))
		}))
		if len(issues) != want {
			t.Errorf("unclear at %s, small at %s: %+v", selector, goHere, issues)
		}
		if got := byKind(issues)[SmallTarget].Frequency.Affected; want == 1 && got != 6 {
			t.Errorf("%d of 6 affected", got)
		}
	}
}

// TestOneFailureOfManyPages: a server's failure that several pages lead to is
// shown at the page on which most met it first.
func TestOneFailureOfManyPages(t *testing.T) {
	t.Parallel()
	issues, _ := Rank(many(5, func(id string) Session {
		place, template := start, "a.com"
		if id < "ses_03" {
			place, template = pay, "a.com/pay"
		}
		o := seen(ServerError, place, template, "#yes")
		o.Leads = "a.com/feedback"
		return failed(id, walk.GaveUp, []string{place}, o)
	}))
	if len(issues) != 1 || issues[0].PageURL != "https://a.com/pay" || issues[0].Frequency.Affected != 5 {
		t.Errorf("%+v", issues)
	}
}

// TestOnePersonsEyes: one of several who cannot see what keeps WCAG's contrast
// is a note; two are not, and neither is one where the contrast is too low.
func TestOnePersonsEyes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		people, severity int
		compliant        bool
	}{{1, 1, true}, {2, 2, true}, {1, 2, false}} {
		issues, _ := Rank(many(6, func(id string) Session {
			if int(id[len(id)-1]-'0') >= c.people {
				return won(id)
			}
			o := seen(LowContrast, start, "a.com", goHere)
			o.Compliant, o.Consequence = c.compliant, ConsequenceRecovered
			return won(id, o)
		}))
		if len(issues) != 1 || issues[0].Severity != c.severity {
			t.Errorf("%+v: %+v", c, issues)
		}
	}
}

// TestTheWayEndsOnce: who was lost where the last form had led was not lost at
// the page before it as well.
func TestTheWayEndsOnce(t *testing.T) {
	t.Parallel()
	issues, _ := Rank(many(4, func(id string) Session {
		s := failed(id, walk.GaveUp, []string{start, pay, start}, seen(LostScent, start, "a.com", ""), seen(LostScent, pay, "a.com/pay", ""))
		s.Frontier = pay
		return s
	}))
	if len(issues) != 1 || issues[0].PageURL != "https://a.com/pay" {
		t.Errorf("%+v", issues)
	}
}

// TestWhereAGuessStoodIsNoReasonForIt: what some had to scroll for is what they
// guessed, not why.
func TestWhereAGuessStoodIsNoReasonForIt(t *testing.T) {
	t.Parallel()
	ways := []string{goHere, "#other", "#third"}
	issues, _ := Rank(many(6, func(id string) Session {
		o := seen(LostScent, start, "a.com", "")
		o.Guess, o.Consequence = true, ConsequenceRecovered
		s := won(id, o)
		if id < "ses_03" {
			s.Observations[0] = seen(BelowFold, start, "a.com", goHere)
		}
		s.Way[0].Selector = ways[int(id[len(id)-1]-'0')%len(ways)]
		return s
	}))
	if got := byKind(issues); got[LostScent].Frequency.Affected != 3 || got[BelowFold].Frequency.Affected != 3 {
		t.Errorf("%+v", issues)
	}
}
