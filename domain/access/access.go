// Package access says who may do what: the scopes of credentials, the roles of
// people, and what each role permits. Nothing else decides on it.
package access

import "slices"

// Scopes of keys and tokens, as the interface specification names them.
const (
	TestsRead     = "tests:read"
	TestsWrite    = "tests:write"
	ReportsRead   = "reports:read"
	PersonasWrite = "personas:write"
	// Full is full access: it includes every other scope.
	Full = "admin"
)

// Scopes are all of them, in the specification's order.
var Scopes = []string{TestsRead, TestsWrite, ReportsRead, PersonasWrite, Full}

// Role is what a person is in an organization.
type Role string

// The roles of the interface specification.
const (
	Viewer Role = "viewer"
	Member Role = "member"
	CICD   Role = "ci_cd"
	Admin  Role = "admin"
	Owner  Role = "owner"
)

// Roles are all of them, those with fewer permissions first. They are additive but
// for CICD, which has no dashboard.
var Roles = []Role{Viewer, CICD, Member, Admin, Owner}

// Permission is what a role permits beside its scopes.
type Permission string

// The permissions that are no scopes.
const (
	Dashboard Permission = "dashboard" // to sign in with a browser
	OwnKeys   Permission = "own_keys"  // to make, change and revoke keys of one's own
	Team      Permission = "team"      // people, everybody's keys, OAuth clients, the audit log
	Webhooks  Permission = "webhooks"  // webhooks and integrations
	Billing   Permission = "billing"   // plan, transfer and deletion of the organization
)

// grants is the table of roles. Source: the interface specification, "Team roles".
var grants = map[Role]struct {
	scopes      []string
	permissions []Permission
}{
	Viewer: {[]string{TestsRead, ReportsRead}, []Permission{Dashboard}},
	CICD:   {[]string{TestsRead, TestsWrite, ReportsRead}, nil},
	Member: {[]string{TestsRead, TestsWrite, ReportsRead, PersonasWrite}, []Permission{Dashboard, OwnKeys}},
	Admin:  {Scopes, []Permission{Dashboard, OwnKeys, Team, Webhooks}},
	Owner:  {Scopes, []Permission{Dashboard, OwnKeys, Team, Webhooks, Billing}},
}

// Known reports whether it is a role.
func (r Role) Known() bool { _, known := grants[r]; return known }

// May reports whether the role has a permission; one that is unknown has none.
func (r Role) May(p Permission) bool { return slices.Contains(grants[r].permissions, p) }

// Covers reports whether the role permits all that another does.
func (r Role) Covers(other Role) bool {
	for _, p := range grants[other].permissions {
		if !r.May(p) {
			return false
		}
	}
	return len(Within(grants[other].scopes, r)) == len(grants[other].scopes)
}

// Scopes are those that a credential of somebody with the role may have at most.
func (r Role) Scopes() []string { return slices.Clone(grants[r].scopes) }

// Within are the scopes that a credential has in effect: those it was given that the
// role of who gave them has today.
func Within(given []string, r Role) []string {
	var out []string
	for _, scope := range given {
		if slices.Contains(grants[r].scopes, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// Allows reports whether scopes include one.
func Allows(scopes []string, scope string) bool {
	return slices.Contains(scopes, scope) || slices.Contains(scopes, Full)
}
