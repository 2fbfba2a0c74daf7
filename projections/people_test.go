package projections_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/user"
	"understudy/projections/people"
)

// A rebuild that meets somebody whose key is lost stops there, before it shows
// anything.
func TestPeopleStopAtALostKey(t *testing.T) {
	t.Parallel()
	lost := errors.New("the key of usr_1 is lost")
	var asked []string
	guarded := people.Guarded(func(_ context.Context, subjects []string) error {
		asked = subjects
		return lost
	})
	err := guarded.Apply(t.Context(), nil, []domain.Recorded{
		{Stream: user.Stream("usr_1"), Event: user.Registered{UserID: "usr_1"}},
		{Stream: user.Stream("usr_1"), Event: user.AddressVerified{}},
		{Stream: account.Stream("org_1"), Event: account.Invited{InvitationID: "inv_1"}},
		{Stream: account.Stream("org_2"), Event: account.OrganizationCreated{OrganizationID: "org_2"}},
	})
	if !errors.Is(err, lost) || !slices.Equal(asked, []string{"usr_1", "org_1"}) {
		t.Errorf("asked for %v, it ends with %v", asked, err)
	}
	if guarded.Version != people.Projection.Version || guarded.Name != people.Projection.Name {
		t.Error("it is another read model")
	}
}
