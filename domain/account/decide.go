package account

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/gate"
)

// Command is a wish to an organization's stream.
//
//sumtype:decl
type Command interface{ accountCommand() }

// Found makes an organization with its owner and first keys, all at once.
type Found struct {
	Organization OrganizationCreated
	Owner        UserAdded
	Keys         []KeyCreated
}

// Change changes the organization's name and what it demands of its tests. What it
// does not mention stays as it is.
type Change struct {
	Name *string
	// ForgetThreshold goes back to gate.DefaultThreshold; a Threshold given
	// beside it counts.
	ForgetThreshold bool
	Threshold       *float64
	// ForgetCriteria drops the thresholds of all single criteria, before
	// Criteria sets some or, with nil, drops them.
	ForgetCriteria bool
	Criteria       map[string]*float64
	Now            domain.Time
}

// ChangePlan puts the organization on another plan.
type ChangePlan struct {
	Plan Plan
	Now  domain.Time
}

func (Found) accountCommand()      {}
func (Change) accountCommand()     {}
func (ChangePlan) accountCommand() {}

// State is what deciding needs to know.
type State struct {
	Organization OrganizationCreated
	QualityGate  gate.Rule
	Plan         Plan
	// Founder is who was the owner at first.
	Founder string
	// Members are the people with what they are.
	Members map[string]access.Role
	// Invitations are those that wait for an answer, by id.
	Invitations map[string]Invited
	Deleted     bool
}

// Exists reports whether there is such an organization.
func (s State) Exists() bool { return s.Organization.OrganizationID != "" && !s.Deleted }

// Decider is the organization's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Deleted },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case OrganizationCreated:
		s.Organization, s.Plan = e, e.Plan
	case QualityGateChanged:
		s.QualityGate = e.Rule()
	case Renamed:
		s.Organization.Name = e.Name
	case PlanChanged:
		s.Plan = e.Plan
	case UserAdded:
		if s.Founder == "" {
			s.Founder = e.UserID
		}
		s.Members = with(s.Members, e.UserID, access.Role(e.Role))
	case MemberJoined:
		s.Members = with(s.Members, e.UserID, e.Role)
		s.Invitations = without(s.Invitations, e.InvitationID)
	case MemberRoleChanged:
		s.Members = with(s.Members, e.UserID, e.Role)
	case MemberRemoved:
		s.Members = without(s.Members, e.UserID)
	case OwnershipTransferred:
		s.Members = with(with(s.Members, e.From, access.Admin), e.To, access.Owner)
	case Invited:
		s.Invitations = with(s.Invitations, e.InvitationID, e)
	case InvitationRevoked:
		s.Invitations = without(s.Invitations, e.InvitationID)
	case Deleted:
		s.Deleted, s.Members, s.Invitations = true, nil, nil
	case KeyCreated:
	}
	return s
}

// with is a map with one more entry, without one with one less; the map itself stays.
func with[V any](m map[string]V, key string, value V) map[string]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]V{}
	}
	m[key] = value
	return m
}

func without[V any](m map[string]V, key string) map[string]V {
	m = maps.Clone(m)
	delete(m, key)
	return m
}

var errNoOrganization = domain.Refuse(domain.CodeNotFound, "there is no such organization")

func decide(s State, c Command) ([]Event, error) {
	switch c := c.(type) {
	case Found:
		if s.Organization.OrganizationID != "" {
			return nil, domain.Refuse(domain.CodeConflict, "this organization exists already")
		}
		if err := c.Organization.Plan.known(); err != nil {
			return nil, err
		}
		events := []Event{c.Organization, c.Owner}
		for _, k := range c.Keys {
			for _, scope := range k.Scopes {
				if !slices.Contains(access.Scopes, scope) {
					return nil, domain.Invalid("scopes", "enum", "%q is not a scope", scope)
				}
			}
			events = append(events, k)
		}
		return events, nil
	case Change:
		if !s.Exists() {
			return nil, errNoOrganization
		}
		return change(s, c)
	case ChangePlan:
		if !s.Exists() {
			return nil, errNoOrganization
		}
		return changePlan(s, c)
	case Invite, RevokeInvitation, Join, TakeOver, ChangeRole, Remove, Transfer, Delete:
		if !s.Exists() {
			return nil, errNoOrganization
		}
		return ofPeople(s, c)
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// maxName is how many characters the organization's name has at most.
const maxName = 100

func change(s State, c Change) (events []Event, err error) {
	if c.Name != nil {
		name := strings.TrimSpace(*c.Name)
		if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
			return nil, domain.Invalid("name", "length", "a name has 1 to %d characters, all of them visible", maxName)
		}
		if name != s.Organization.Name {
			events = append(events, Renamed{Name: name, At: c.Now})
		}
	}
	rule := changed(s.QualityGate, c)
	if err := rule.Validate("quality_gate"); err != nil {
		return nil, err
	}
	if !same(rule, s.QualityGate) {
		events = append(events, QualityGateChanged{Threshold: rule.Threshold, Criteria: rule.Criteria, At: c.Now})
	}
	return events, nil
}

func changePlan(s State, c ChangePlan) ([]Event, error) {
	if err := c.Plan.known(); err != nil {
		return nil, err
	}
	if c.Plan == s.Plan {
		return nil, nil
	}
	return []Event{PlanChanged{Plan: c.Plan, At: c.Now}}, nil
}

// changed is the rule with what the command says; the rule itself stays.
func changed(rule gate.Rule, c Change) gate.Rule {
	if c.ForgetThreshold {
		rule.Threshold = nil
	}
	if c.Threshold != nil {
		rule.Threshold = c.Threshold
	}
	criteria := map[string]float64{}
	if !c.ForgetCriteria {
		maps.Copy(criteria, rule.Criteria)
	}
	for name, threshold := range c.Criteria {
		if threshold == nil {
			delete(criteria, name)
		} else {
			criteria[name] = *threshold
		}
	}
	rule.Criteria = criteria
	return rule
}

func same(a, b gate.Rule) bool {
	if a.Threshold == nil || b.Threshold == nil {
		return a.Threshold == b.Threshold && maps.Equal(a.Criteria, b.Criteria)
	}
	return *a.Threshold == *b.Threshold && maps.Equal(a.Criteria, b.Criteria)
}
