package validity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/domain/findings"
	"understudy/test/sites"
)

// tuningCases are a fixed handful of the tuning half: one kind each, what blocks
// and what slows, on all sites whose ways are short.
var tuningCases = []string{
	"saas-sign_up-broken_link", "shop-order-covered", "docs-feedback-dead_control", "clinic-book-script_error",
	"docs-feedback-server_error", "saas-sign_up-unlabelled_field", "news-letter-format_rejected", "shop-order-disabled_submit",
	"docs-exit_code-interruption", "saas-sign_up-needless_field", "docs-restore-redirect_loop", "saas-sign_up-vague_label",
}

// The bounds on them, below the aims: four people walk each, and one miss more
// is no reason to stop.
const (
	peopleOfCase = 4
	leastFound   = 5 // of the twelve, in the top 3
)

// TestFaults walks faulty sites and looks for what was put into them in the
// ranking that the product makes of the walks.
func TestFaults(t *testing.T) {
	all := sites.Cases()
	var parties []Party
	var cases []sites.Case
	for _, name := range tuningCases {
		i := slices.IndexFunc(all, func(c sites.Case) bool { return c.Name == name })
		if i < 0 || all[i].Half() != sites.TuningHalf {
			t.Fatalf("%s is not a case of the tuning half", name)
		}
		e, err := CaseErrand(all[i], all[i].Options())
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, all[i])
		parties = append(parties, Party{Errand: e, Cast: Cast(seedOf, peopleOfCase, all[i].Viewports...), Options: Options{Served: true}})
	}
	found := 0
	lines := make([]string, len(parties))
	err := walker.Parties(t.Context(), parties, nil, func(i int, results []Result) error {
		keep(t, results)
		var sessions []findings.Session
		var served []Served
		for j := range results {
			sessions = append(sessions, results[j].Session())
			served = append(served, results[j].Served)
		}
		issues, _ := findings.Rank(sessions)
		issues = Counted(issues)
		verdicts, _ := Judge(issues, cases[i].Faults, served)
		rank := verdicts[0].Rank
		found += count(rank >= 1 && rank <= 3)
		lines[i] = fmt.Sprintf("%s: rank %d of %d", cases[i].Name, rank, len(issues))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d in the top 3\n%s", found, len(cases), strings.Join(lines, "\n"))
	if found < leastFound {
		t.Errorf("%d of %d injected faults are in the top 3, at least %d should be", found, len(cases), leastFound)
	}
}

// TestEveryKindHasItsIssues: no fault is put in that nothing could name.
func TestEveryKindHasItsIssues(t *testing.T) {
	t.Parallel()
	for _, kind := range sites.FaultKinds() {
		if len(acceptedKinds[kind]) == 0 {
			t.Errorf("no issue is accepted for %s", kind)
		}
	}
}

// TestJudge: an issue of the right kind counts on the fault's element and page
// only, and those that name another injected fault do not push one down.
func TestJudge(t *testing.T) {
	t.Parallel()
	faint := sites.Fault{Kind: "low_contrast", Path: "/pricing", Selector: "#buy"}
	slow := sites.Fault{Kind: "slow_page", Path: "/pricing"}
	served := []Served{{Pages: map[string][]string{"/pricing": {`<main><a id="buy" href="/buy">Buy</a><a id="terms" href="/terms">Terms</a></main>`}}}}
	issue := func(kind, selector, path string) findings.Issue {
		return findings.Issue{ID: kind + selector, Kind: kind, Severity: 2, PageURL: Origin + path, Element: &findings.Element{Selector: selector}}
	}
	issues := []findings.Issue{
		issue(findings.LowContrast, "#terms", "/pricing"), // another element
		issue(findings.SlowPage, "", "/pricing"),
		issue(findings.LowContrast, "#buy", "/"), // another page
		issue(findings.LowContrast, "#buy", "/pricing"),
	}
	verdicts, right := Judge(issues, []sites.Fault{faint, slow}, served)
	if verdicts[0].Rank != 3 || verdicts[1].Rank != 2 {
		t.Errorf("ranks %d and %d, want 3 (behind two wrong ones) and 2", verdicts[0].Rank, verdicts[1].Rank)
	}
	if !slices.Equal(right, []bool{false, true, false, true}) {
		t.Errorf("right: %v", right)
	}
	// A form that is shown again at its action's address is still the form's page.
	served[0].Pages["/orders"], served[0].Answers = []string{"<p>500</p>"}, map[string][]string{"/orders": {"/pricing"}}
	broken := findings.Issue{Kind: findings.ServerError, Severity: 4, PageURL: Origin + "/orders"}
	if !Matches(&broken, sites.Fault{Kind: "server_error", Path: "/pricing"}, served) {
		t.Error("the page that answers the form is not taken for the form's")
	}
}
