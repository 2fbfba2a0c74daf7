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
