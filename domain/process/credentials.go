package process

import (
	"understudy/domain"
	"understudy/domain/account"
)

// Credential is something that somebody may still call with, and the command that
// ends it.
type Credential struct {
	Stream      string
	Environment domain.Environment
	Command     any
}

// EndsCredentials is whose credentials in the event's organization end with it, "" for
// everybody's, and why.
func EndsCredentials(e domain.Recorded) (userID, reason string, ok bool) {
	switch e := e.Event.(type) {
	case account.MemberRemoved:
		return e.UserID, "member_removed", true
	case account.Deleted:
		return "", "organization_deleted", true
	}
	return "", "", false
}

// EndCredential ends one. Where the person was who is behind the event is sealed for
// them, and is nothing of the process.
func EndCredential(because domain.Recorded, c Credential) domain.Envelope {
	e := envelope(because, c.Stream, "revoke", c.Command)
	e.Meta.Environment, e.Meta.Address = c.Environment, ""
	return e
}
