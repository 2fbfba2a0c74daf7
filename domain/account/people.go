package account

import (
	"understudy/domain"
	"understudy/domain/access"
)

// MaxMembers and MaxInvitations bound an organization's people.
const (
	MaxMembers     = 1000
	MaxInvitations = 200
)

// Invite asks somebody to join. It takes the place of an invitation to the same
// address, Instead.
type Invite struct {
	Invitation Invited
	Instead    string
	Now        domain.Time
}

// RevokeInvitation takes an invitation back.
type RevokeInvitation struct {
	InvitationID, By string
	Now              domain.Time
}

// Join makes somebody a member who came with an invitation's link.
type Join struct {
	InvitationID, TokenHash, UserID string
	Now                             domain.Time
}

// TakeOver makes somebody the owner in the place of the founder, who is alone in the
// organization until then.
type TakeOver struct {
	UserID string
	Now    domain.Time
}

// ChangeRole makes a member another thing. Was is what they must be now, "" for
// whatever it is.
type ChangeRole struct {
	UserID, By string
	Role, Was  access.Role
	Now        domain.Time
}

// Remove ends a membership, one's own among them.
type Remove struct {
	UserID, By string
	Now        domain.Time
}

// Transfer makes another member the owner.
type Transfer struct {
	To, By string
	Now    domain.Time
}

// Delete ends the organization.
type Delete struct {
	By  string
	Now domain.Time
}

func (Invite) accountCommand()           {}
func (RevokeInvitation) accountCommand() {}
func (Join) accountCommand()             {}
func (TakeOver) accountCommand()         {}
func (ChangeRole) accountCommand()       {}
func (Remove) accountCommand()           {}
func (Transfer) accountCommand()         {}
func (Delete) accountCommand()           {}

// Owner is the owner's id.
func (s State) Owner() string {
	for id, role := range s.Members {
		if role == access.Owner {
			return id
		}
	}
	return ""
}

var (
	errNoMember     = domain.Refuse(domain.CodeNotFound, "there is no such member")
	errNoInvitation = domain.Refuse(domain.CodeNotFound, "there is no such invitation")

	// ErrMemberChanged is the answer to who has seen a member as something else.
	ErrMemberChanged = domain.Refuse(domain.CodeChanged, "the member's role has changed since; read it again")
)

// may refuses who lacks a permission in the organization as of now.
func (s State) may(userID string, p access.Permission) error {
	if !s.Members[userID].May(p) {
		return domain.Refuse(domain.CodeForbidden, "your role in the organization does not permit this")
	}
	return nil
}

// grantable are roles that somebody can be given; an owner is made by transfer.
func grantable(role access.Role) error {
	if !role.Known() || role == access.Owner {
		return domain.Invalid("role", "enum", "role must be viewer, member, ci_cd or admin; ownership is transferred")
	}
	return nil
}

func ofPeople(s State, c Command) ([]Event, error) {
	switch c := c.(type) {
	case Invite:
		return invite(s, c)
	case RevokeInvitation:
		if err := s.may(c.By, access.Team); err != nil {
			return nil, err
		}
		if _, waits := s.Invitations[c.InvitationID]; !waits {
			return nil, errNoInvitation
		}
		return []Event{InvitationRevoked{InvitationID: c.InvitationID, At: c.Now}}, nil
	case Join:
		return join(s, c)
	case TakeOver:
		if c.UserID == s.Founder || s.Members[s.Founder] != access.Owner || len(s.Members) != 1 {
			return nil, domain.Refuse(domain.CodeConflict, "the organization has an owner")
		}
		return []Event{
			MemberJoined{UserID: c.UserID, Role: access.Admin, At: c.Now},
			OwnershipTransferred{From: s.Founder, To: c.UserID, At: c.Now},
		}, nil
	case ChangeRole:
		return changeRole(s, c)
	case Remove:
		return remove(s, c)
	case Transfer:
		if err := s.may(c.By, access.Billing); err != nil {
			return nil, err
		}
		switch _, member := s.Members[c.To]; {
		case !member:
			return nil, errNoMember
		case c.To == s.Owner():
			return nil, nil
		}
		return []Event{OwnershipTransferred{From: s.Owner(), To: c.To, At: c.Now}}, nil
	case Delete:
		if err := s.may(c.By, access.Billing); err != nil {
			return nil, err
		}
		return []Event{Deleted{At: c.Now}}, nil
	case Found, Change, ChangePlan:
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func invite(s State, c Invite) ([]Event, error) {
	if _, made := s.Invitations[c.Invitation.InvitationID]; made {
		return nil, nil
	}
	if err := s.may(c.Invitation.InvitedBy, access.Team); err != nil {
		return nil, err
	}
	if err := grantable(c.Invitation.Role); err != nil {
		return nil, err
	}
	var events []Event
	if _, waits := s.Invitations[c.Instead]; waits {
		events = append(events, InvitationRevoked{InvitationID: c.Instead, At: c.Now})
	} else if len(s.Invitations) >= MaxInvitations {
		return nil, domain.Refuse(domain.CodeConflict, "%d invitations wait for an answer; revoke some first", MaxInvitations)
	}
	return append(events, c.Invitation), nil
}

func join(s State, c Join) ([]Event, error) {
	if _, member := s.Members[c.UserID]; member {
		return nil, nil
	}
	i, waits := s.Invitations[c.InvitationID]
	if !waits || c.TokenHash != i.TokenHash || !c.Now.Before(i.ExpiresAt.Time) {
		return nil, domain.Refuse(domain.CodeForbidden, "this invitation has been used or revoked, or has expired; ask for another")
	}
	if len(s.Members) >= MaxMembers {
		return nil, domain.Refuse(domain.CodeConflict, "an organization has %d members at most", MaxMembers)
	}
	return []Event{MemberJoined{UserID: c.UserID, Role: i.Role, InvitationID: i.InvitationID, At: c.Now}}, nil
}

func changeRole(s State, c ChangeRole) ([]Event, error) {
	if err := s.may(c.By, access.Team); err != nil {
		return nil, err
	}
	if err := grantable(c.Role); err != nil {
		return nil, err
	}
	switch role, member := s.Members[c.UserID]; {
	case !member:
		return nil, errNoMember
	case role == access.Owner:
		return nil, domain.Refuse(domain.CodeWrongState, "the owner stays the owner until the ownership is transferred")
	case c.Was != "" && c.Was != role:
		return nil, ErrMemberChanged
	case role == c.Role:
		return nil, nil
	}
	return []Event{MemberRoleChanged{UserID: c.UserID, Role: c.Role, At: c.Now}}, nil
}

func remove(s State, c Remove) ([]Event, error) {
	left := c.UserID == c.By
	if !left {
		if err := s.may(c.By, access.Team); err != nil {
			return nil, err
		}
	}
	switch role, member := s.Members[c.UserID]; {
	case !member:
		return nil, errNoMember
	case role == access.Owner:
		return nil, domain.Refuse(domain.CodeWrongState, "the owner cannot leave; transfer the ownership or delete the organization first")
	}
	return []Event{MemberRemoved{UserID: c.UserID, Left: left, At: c.Now}}, nil
}
