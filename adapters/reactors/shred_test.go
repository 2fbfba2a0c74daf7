package reactors_test

import (
	"context"
	"maps"
	"testing"

	"understudy/adapters/reactors"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/user"
)

// shredded are the subjects whose keys were destroyed, with the position of why.
type shredded map[string]uint64

func (s shredded) Destroy(_ context.Context, subject string, position uint64) error {
	s[subject] = position
	return nil
}

func TestKeysEndWithWhomTheyAreOf(t *testing.T) {
	t.Parallel()
	got := shredded{}
	for _, reactor := range (&reactors.Reactors{Shredder: got}).All() {
		if reactor.Name != "shredding" {
			continue
		}
		for position, e := range []domain.Recorded{
			{Stream: user.Stream("usr_1"), Event: user.Registered{UserID: "usr_1"}},
			{Stream: account.Stream("org_1"), Event: account.MemberRemoved{UserID: "usr_1"}},
			{Stream: user.Stream("usr_1"), Event: user.Erased{}},
			{Stream: account.Stream("org_1"), Event: account.Deleted{}},
		} {
			e.Position = uint64(position)
			if err := reactor.React(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := (shredded{"usr_1": 2, "org_1": 3}); !maps.Equal(got, want) {
		t.Errorf("destroyed %v, want %v", got, want)
	}
}
