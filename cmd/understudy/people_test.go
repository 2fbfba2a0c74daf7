package main

import (
	"errors"
	"path/filepath"
	"testing"

	"understudy/adapters/keyring"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/projections"
	"understudy/projections/people"
	"understudy/projections/readmodels"
)

// A key that is lost stops the read model of people for good: waiting brings it back
// to nobody.
func TestALostKeyStopsPeople(t *testing.T) {
	t.Parallel()
	subjects := keyring.NewSubjects(keyring.Folder(filepath.Join(t.TempDir(), "subjects")), newKeys(t))
	event := domain.Recorded{Stream: account.Stream("org_1"), Event: account.Invited{InvitationID: "inv_1"}}
	for _, p := range guarded(readmodels.All(), subjects) {
		if p.Name != people.Projection.Name {
			continue
		}
		err := p.Apply(t.Context(), nil, []domain.Recorded{event})
		stops, missing := (*projections.ApplyError)(nil), (*keyring.MissingError)(nil)
		if !errors.As(err, &stops) || !errors.As(err, &missing) {
			t.Errorf("it ends with %v", err)
		}
		return
	}
	t.Error("nothing is guarded")
}
