package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy/domain/domaintest"
	"understudy/domain/findings"
	"understudy/domain/session"
)

// A field that the findings get and that is not taken over would be lost when a
// session is recorded.
func TestFindingsAreTakenWhole(t *testing.T) {
	t.Parallel()
	full := domaintest.Full[findings.Session]()
	if diff := cmp.Diff(full, session.TakeFindings(full).Taken(), cmpopts.IgnoreUnexported(findings.Observation{})); diff != "" {
		t.Errorf("what the detectors found is not what is recorded of it (-found +recorded):\n%s", diff)
	}
	recorded := domaintest.Full[*session.Findings]()
	if diff := cmp.Diff(recorded, session.TakeFindings(recorded.Taken())); diff != "" {
		t.Errorf("what was recorded is not what reports read of it (-recorded +read):\n%s", diff)
	}
}

// What was recorded before ways were is ranked too.
func TestOldSessionsCanBeRanked(t *testing.T) {
	t.Parallel()
	old := `{"session_id":"ses_1","observations":[{"kind":"dead_click","channel":"observed","template":"a.com","page_url":"https://a.com/","element":{"role":"button","name":"Go","selector":"#go","box":{"x":1,"y":2,"w":3,"h":4}},"step":2,"quote":"Hm.","consequence":"blocked","cost_ms":4000,"deterministic":true}],"templates":["a.com"],"succeeded":false}`
	done := lifted(t, entry(t, "session.completed.v1"), `{"findings":`+old+`}`)
	issues, _ := findings.Rank([]findings.Session{done.Findings.Taken()})
	if len(issues) != 1 || issues[0].Kind != findings.DeadClick || issues[0].Severity != 4 {
		t.Errorf("%+v", issues)
	}
	var none *session.Findings
	if issues, _ := findings.Rank([]findings.Session{none.Taken()}); len(issues) > 0 {
		t.Errorf("a session without findings: %+v", issues)
	}
}
