package account_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/domaintest"
)

var later = domain.At(now.Add(time.Hour))

func invited(id string, role access.Role, by string) account.Invited {
	return account.Invited{InvitationID: id, Email: "c", Role: role, TokenHash: "t-" + id, InvitedBy: by, ExpiresAt: later, At: now}
}

func joined(id string, role access.Role) account.MemberJoined {
	return account.MemberJoined{UserID: id, Role: role, At: now}
}

// staff is an organization of usr_1, the owner, an admin, a member and a viewer.
func staff(more ...account.Event) events {
	c := found(account.Team)
	return append(events{c.Organization, c.Owner, joined("usr_admin", access.Admin), joined("usr_member", access.Member), joined("usr_viewer", access.Viewer)}, more...)
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	i := invited("inv_1", access.Member, "usr_admin")
	revoked := account.InvitationRevoked{InvitationID: "inv_1", At: now}
	join := account.Join{InvitationID: "inv_1", TokenHash: "t-inv_1", UserID: "usr_2", Now: now}
	came := account.MemberJoined{UserID: "usr_2", Role: access.Member, InvitationID: "inv_1", At: now}
	with := func(edit func(*account.Join)) account.Join { c := join; edit(&c); return c }
	domaintest.Run(t, account.Decider, []fact{
		{Name: "an admin invites", Given: staff(), When: account.Invite{Invitation: i, Now: now}, Then: events{i}},
		{Name: "again", Given: staff(i), When: account.Invite{Invitation: i, Now: now}},
		{Name: "a member does not", Given: staff(), When: account.Invite{Invitation: invited("inv_1", access.Viewer, "usr_member"), Now: now}, Refused: domain.CodeForbidden},
		{Name: "somebody of elsewhere does not", Given: staff(), When: account.Invite{Invitation: invited("inv_1", access.Viewer, "usr_9"), Now: now}, Refused: domain.CodeForbidden},
		{Name: "to be the owner", Given: staff(), When: account.Invite{Invitation: invited("inv_1", access.Owner, "usr_1"), Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "to be what there is not", Given: staff(), When: account.Invite{Invitation: invited("inv_1", "king", "usr_1"), Now: now}, Refused: domain.CodeValidationFailed},
		{
			Name: "once more in place of the first", Given: staff(i), When: account.Invite{Invitation: invited("inv_2", access.Viewer, "usr_1"), Instead: "inv_1", Now: now},
			Then: events{revoked, invited("inv_2", access.Viewer, "usr_1")},
		},
		{Name: "accepted", Given: staff(i), When: join, Then: events{came}},
		{Name: "accepted again", Given: staff(i, came), When: join},
		{Name: "accepted by two", Given: staff(i, came), When: with(func(c *account.Join) { c.UserID = "usr_3" }), Refused: domain.CodeForbidden},
		{Name: "with another's link", Given: staff(i, invited("inv_2", access.Admin, "usr_1")), When: with(func(c *account.Join) { c.InvitationID = "inv_2" }), Refused: domain.CodeForbidden},
		{Name: "too late", Given: staff(i), When: with(func(c *account.Join) { c.Now = later }), Refused: domain.CodeForbidden},
		{Name: "revoked", Given: staff(i), When: account.RevokeInvitation{InvitationID: "inv_1", By: "usr_admin", Now: now}, Then: events{revoked}},
		{Name: "revoked by a viewer", Given: staff(i), When: account.RevokeInvitation{InvitationID: "inv_1", By: "usr_viewer", Now: now}, Refused: domain.CodeForbidden},
		{Name: "accepted after that", Given: staff(i, revoked), When: join, Refused: domain.CodeForbidden},
		{Name: "revoked after that", Given: staff(i, revoked), When: account.RevokeInvitation{InvitationID: "inv_1", By: "usr_admin", Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	change := func(who, by string, role access.Role) account.ChangeRole {
		return account.ChangeRole{UserID: who, By: by, Role: role, Now: now}
	}
	domaintest.Run(t, account.Decider, []fact{
		{Name: "an admin makes an admin", Given: staff(), When: change("usr_member", "usr_admin", access.Admin), Then: events{account.MemberRoleChanged{UserID: "usr_member", Role: access.Admin, At: now}}},
		{Name: "what one is", Given: staff(), When: change("usr_member", "usr_admin", access.Member)},
		{Name: "an owner by an admin", Given: staff(), When: change("usr_member", "usr_admin", access.Owner), Refused: domain.CodeValidationFailed},
		{Name: "the owner", Given: staff(), When: change("usr_1", "usr_admin", access.Viewer), Refused: domain.CodeWrongState},
		{Name: "the owner by the owner", Given: staff(), When: change("usr_1", "usr_1", access.Viewer), Refused: domain.CodeWrongState},
		{Name: "by a member, oneself", Given: staff(), When: change("usr_member", "usr_member", access.Admin), Refused: domain.CodeForbidden},
		{Name: "by who was an admin", Given: staff(account.MemberRoleChanged{UserID: "usr_admin", Role: access.Viewer, At: now}), When: change("usr_admin", "usr_admin", access.Admin), Refused: domain.CodeForbidden},
		{Name: "of somebody else's", Given: staff(), When: change("usr_9", "usr_admin", access.Viewer), Refused: domain.CodeNotFound},
		{Name: "removed by an admin", Given: staff(), When: account.Remove{UserID: "usr_member", By: "usr_admin", Now: now}, Then: events{account.MemberRemoved{UserID: "usr_member", At: now}}},
		{Name: "left", Given: staff(), When: account.Remove{UserID: "usr_viewer", By: "usr_viewer", Now: now}, Then: events{account.MemberRemoved{UserID: "usr_viewer", Left: true, At: now}}},
		{Name: "removed by a member", Given: staff(), When: account.Remove{UserID: "usr_viewer", By: "usr_member", Now: now}, Refused: domain.CodeForbidden},
		{Name: "the owner removed", Given: staff(), When: account.Remove{UserID: "usr_1", By: "usr_admin", Now: now}, Refused: domain.CodeWrongState},
		{Name: "the owner leaves", Given: staff(), When: account.Remove{UserID: "usr_1", By: "usr_1", Now: now}, Refused: domain.CodeWrongState},
		{Name: "removed again", Given: staff(), When: account.Remove{UserID: "usr_9", By: "usr_admin", Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestTheOwnersOwn(t *testing.T) {
	t.Parallel()
	transferred, deleted := account.OwnershipTransferred{From: "usr_1", To: "usr_member", At: now}, account.Deleted{At: now}
	c := found(account.Team)
	domaintest.Run(t, account.Decider, []fact{
		{Name: "transferred", Given: staff(), When: account.Transfer{To: "usr_member", By: "usr_1", Now: now}, Then: events{transferred}},
		{Name: "to oneself", Given: staff(), When: account.Transfer{To: "usr_1", By: "usr_1", Now: now}},
		{Name: "to nobody", Given: staff(), When: account.Transfer{To: "usr_9", By: "usr_1", Now: now}, Refused: domain.CodeNotFound},
		{Name: "by an admin", Given: staff(), When: account.Transfer{To: "usr_admin", By: "usr_admin", Now: now}, Refused: domain.CodeForbidden},
		{Name: "by who was the owner", Given: staff(transferred), When: account.Transfer{To: "usr_1", By: "usr_1", Now: now}, Refused: domain.CodeForbidden},
		{Name: "who then may leave", Given: staff(transferred), When: account.Remove{UserID: "usr_1", By: "usr_1", Now: now}, Then: events{account.MemberRemoved{UserID: "usr_1", Left: true, At: now}}},
		{Name: "deleted", Given: staff(), When: account.Delete{By: "usr_1", Now: now}, Then: events{deleted}},
		{Name: "deleted by an admin", Given: staff(), When: account.Delete{By: "usr_admin", Now: now}, Refused: domain.CodeForbidden},
		{Name: "deleted again", Given: staff(deleted), When: account.Delete{By: "usr_1", Now: now}, Refused: domain.CodeNotFound},
		{Name: "changed after that", Given: staff(deleted), When: account.Change{Threshold: share(0.5), Now: now}, Refused: domain.CodeNotFound},
		{
			Name: "taken over by the first who signs up", Given: events{c.Organization, c.Owner}, When: account.TakeOver{UserID: "usr_2", Now: now},
			Then: events{joined("usr_2", access.Admin), account.OwnershipTransferred{From: "usr_1", To: "usr_2", At: now}},
		},
		{Name: "by the founder", Given: events{c.Organization, c.Owner}, When: account.TakeOver{UserID: "usr_1", Now: now}, Refused: domain.CodeConflict},
		{
			Name: "when only who took over is left",
			Given: events{
				c.Organization, c.Owner, joined("usr_2", access.Admin), account.OwnershipTransferred{From: "usr_1", To: "usr_2", At: now},
				account.MemberRemoved{UserID: "usr_1", Left: true, At: now},
			},
			When: account.TakeOver{UserID: "usr_3", Now: now}, Refused: domain.CodeConflict,
		},
		{
			Name: "by the second", Given: events{c.Organization, c.Owner, joined("usr_2", access.Admin), account.OwnershipTransferred{From: "usr_1", To: "usr_2", At: now}},
			When: account.TakeOver{UserID: "usr_3", Now: now}, Refused: domain.CodeConflict,
		},
	})
}

// ofPeople draws a command about people, nil for one about something else.
func ofPeople(t *rapid.T) account.Command {
	ids := rapid.SampledFrom([]string{"usr_1", "usr_2", "usr_3"})
	who, by := ids.Draw(t, "who"), ids.Draw(t, "by")
	invitation := fmt.Sprint("inv_", rapid.IntRange(1, 3).Draw(t, "invitation"))
	role := rapid.SampledFrom(append([]access.Role{"king"}, access.Roles...)).Draw(t, "role")
	return rapid.SampledFrom([]account.Command{
		nil, nil,
		account.Invite{Invitation: invited(invitation, role, by), Instead: "inv_1", Now: now},
		account.RevokeInvitation{InvitationID: invitation, By: by, Now: now},
		account.Join{InvitationID: invitation, TokenHash: "t-" + invitation, UserID: who, Now: now},
		account.TakeOver{UserID: who, Now: now},
		account.ChangeRole{UserID: who, By: by, Role: role, Now: now},
		account.Remove{UserID: who, By: by, Now: now},
		account.Transfer{To: who, By: by, Now: now},
		account.Delete{By: by, Now: now},
	}).Draw(t, "of people")
}
