package access_test

import (
	"slices"
	"testing"

	"understudy/domain/access"
)

// TestRolesAreAdditive: who has a higher role may do all that a lower one may.
func TestRolesAreAdditive(t *testing.T) {
	t.Parallel()
	permissions := []access.Permission{access.Dashboard, access.OwnKeys, access.Team, access.Webhooks, access.Billing}
	for i, lower := range access.Roles {
		for _, higher := range access.Roles[i+1:] {
			for _, scope := range lower.Scopes() {
				if !access.Allows(higher.Scopes(), scope) {
					t.Errorf("%s has %s, %s has not", lower, scope, higher)
				}
			}
			for _, p := range permissions {
				if lower.May(p) && !higher.May(p) && higher != access.CICD {
					t.Errorf("%s may %s, %s may not", lower, p, higher)
				}
			}
		}
	}
}

func TestACredentialNeverExceedsItsCreatorsRole(t *testing.T) {
	t.Parallel()
	for role, want := range map[access.Role][]string{
		access.Viewer: {access.TestsRead, access.ReportsRead},
		access.CICD:   {access.TestsRead, access.TestsWrite, access.ReportsRead},
		access.Member: {access.TestsRead, access.TestsWrite, access.ReportsRead, access.PersonasWrite},
		access.Owner:  access.Scopes,
		"gone":        nil,
	} {
		if got := access.Within(access.Scopes, role); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", role, got, want)
		}
	}
}
