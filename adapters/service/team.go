package service

import (
	"context"
	"strings"
	"time"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/user"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/people"
)

// invitationLink is how long an invitation works.
const invitationLink = 7 * 24 * time.Hour

// MemberDocument is a member as it is shown.
type MemberDocument struct {
	Email        string      `json:"email"`
	ID           string      `json:"id"`
	JoinedAt     domain.Time `json:"joined_at"`
	Name         string      `json:"name"`
	Role         access.Role `json:"role"`
	SecondFactor bool        `json:"second_factor"`
}

// InvitationDocument is an invitation as it is shown.
type InvitationDocument struct {
	CreatedAt domain.Time `json:"created_at"`
	Email     string      `json:"email"`
	ExpiresAt domain.Time `json:"expires_at"`
	ID        string      `json:"id"`
	InvitedBy string      `json:"invited_by"`
	Role      access.Role `json:"role"`
	Status    string      `json:"status"`
}

// MeDocument is whom a credential stands for.
type MeDocument struct {
	Credential   MyCredential   `json:"credential"`
	Organization MyOrganization `json:"organization"`
	Role         access.Role    `json:"role"`
	User         *MyUser        `json:"user"`
}

// MyCredential is what somebody calls with.
type MyCredential struct {
	Environment domain.Environment `json:"environment"`
	ID          string             `json:"id"`
	Scopes      []string           `json:"scopes"`
}

// MyOrganization is for which they call.
type MyOrganization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// MyUser is the person.
type MyUser struct {
	Email string `json:"email"`
	ID    string `json:"id"`
	Name  string `json:"name"`
}

// Me tells whom a credential stands for.
func (p *People) Me(ctx context.Context, who Principal) (projections.Document[MeDocument], error) {
	organization, err := accounts.Read(ctx, p.Pool, who.OrganizationID)
	if err != nil {
		return projections.Document[MeDocument]{}, err
	}
	me := MeDocument{
		Credential:   MyCredential{Environment: who.Environment, ID: who.KeyID, Scopes: append([]string{}, who.Scopes...)},
		Organization: MyOrganization{ID: organization.ID, Name: organization.Name}, Role: who.Role,
	}
	profile, err := p.Profile(ctx, who.UserID)
	switch {
	case err == nil:
		me.User = &MyUser{Email: profile.Email, ID: profile.UserID, Name: profile.Name}
	case domain.CodeOf(err) != domain.CodeNotFound:
		return projections.Document[MeDocument]{}, err
	}
	return projections.Made(who.KeyID, me, 0)
}

// Members lists the people of the caller's organization, the newest people first.
func (p *People) Members(ctx context.Context, who Principal, q Query) (Page[MemberDocument], error) {
	found, more, err := people.Members(ctx, p.Pool, who.OrganizationID, q.After, q.Limit)
	if err != nil {
		return Page[MemberDocument]{}, err
	}
	var docs []projections.Document[MemberDocument]
	for _, m := range found {
		doc, err := p.member(ctx, m)
		if err != nil {
			return Page[MemberDocument]{}, err
		}
		docs = append(docs, doc)
	}
	return byID(docs, more, nil)
}

// Member reads one member of the caller's organization.
func (p *People) Member(ctx context.Context, who Principal, userID string) (projections.Document[MemberDocument], error) {
	m, err := people.GetMember(ctx, p.Pool, who.OrganizationID, userID)
	if err != nil {
		return projections.Document[MemberDocument]{}, err
	}
	return p.member(ctx, m)
}

func (p *People) member(ctx context.Context, m people.Member) (projections.Document[MemberDocument], error) {
	profile, err := p.profile(ctx, m.User)
	if err != nil {
		return projections.Document[MemberDocument]{}, err
	}
	return projections.Made(m.User.ID, MemberDocument{
		Email: profile.Email, ID: m.User.ID, JoinedAt: domain.At(m.JoinedAt), Name: profile.Name, Role: m.Role, SecondFactor: m.User.Factor,
	}, m.Revision)
}

// ChangeRole makes a member another thing. Their keys, tokens and sessions are bounded
// by it from the next request on.
func (p *People) ChangeRole(ctx context.Context, call Call, userID string, role access.Role) (projections.Document[MemberDocument], error) {
	who := call.Principal
	change := account.ChangeRole{UserID: userID, By: who.UserID, Role: role, Now: now()}
	if call.Seen != nil { // others of the organization may have changed, which its stream's revision tells as well
		m, err := people.GetMember(ctx, p.Pool, who.OrganizationID, userID)
		if err != nil {
			return projections.Document[MemberDocument]{}, err
		}
		if change.Was = m.Role; !call.seen(m.Revision) {
			return projections.Document[MemberDocument]{}, account.ErrMemberChanged
		}
	}
	return toAccount(ctx, p, call.about(who.OrganizationID), who.OrganizationID, change,
		func(account.State) (projections.Document[MemberDocument], error) { return p.Member(ctx, who, userID) })
}

// RemoveMember ends a membership, the caller's own among them: keys, tokens and
// sessions of the person count no longer in this organization.
func (p *People) RemoveMember(ctx context.Context, call Call, userID string) error {
	who := call.Principal
	_, err := toAccount(ctx, p, call.about(who.OrganizationID), who.OrganizationID, account.Remove{UserID: userID, By: who.UserID, Now: now()}, done)
	if err != nil {
		return err
	}
	_, err = toUser(ctx, p, domain.DeriveUUID(call.CommandID.String(), "depart"), userID, user.Depart{OrganizationID: who.OrganizationID, Now: now()}, call.Meta, done)
	if domain.CodeOf(err) == domain.CodeNotFound { // who came before people had streams
		return nil
	}
	return err
}

// Transfer makes another member the owner; who was it is an admin.
func (p *People) Transfer(ctx context.Context, call Call, userID string) (projections.Document[MemberDocument], error) {
	who := call.Principal
	return toAccount(ctx, p, call.about(who.OrganizationID), who.OrganizationID, account.Transfer{To: userID, By: who.UserID, Now: now()},
		func(account.State) (projections.Document[MemberDocument], error) { return p.Member(ctx, who, userID) })
}

// Invitations lists those of the caller's organization, newest first.
func (p *People) Invitations(ctx context.Context, who Principal, q Query) (Page[InvitationDocument], error) {
	found, more, err := people.Invitations(ctx, p.Pool, who.OrganizationID, q.Status, q.After, q.Limit)
	if err != nil {
		return Page[InvitationDocument]{}, err
	}
	var docs []projections.Document[InvitationDocument]
	for _, i := range found {
		doc, err := p.invitation(ctx, i)
		if err != nil {
			return Page[InvitationDocument]{}, err
		}
		docs = append(docs, doc)
	}
	return byID(docs, more, nil)
}

func (p *People) invitation(ctx context.Context, i people.Invitation) (projections.Document[InvitationDocument], error) {
	email, err := p.Subjects.Open(ctx, i.OrganizationID, placeInvited+i.ID, i.Email)
	if err != nil {
		return projections.Document[InvitationDocument]{}, err
	}
	return projections.Made(i.ID, InvitationDocument{
		CreatedAt: domain.At(i.CreatedAt), Email: email, ExpiresAt: domain.At(i.ExpiresAt), ID: i.ID, InvitedBy: i.InvitedBy, Role: i.Role, Status: i.Status,
	}, 0)
}

// Invite asks somebody to join by a mail with a link. An invitation to the same
// address that waits is taken back.
func (p *People) Invite(ctx context.Context, call Call, invitationID, email string, role access.Role) (projections.Document[InvitationDocument], error) {
	var none projections.Document[InvitationDocument]
	email, err := normal(email)
	if err != nil {
		return none, err
	}
	organizationID := call.Principal.OrganizationID
	if err := p.Subjects.Create(ctx, organizationID); err != nil {
		return none, err
	}
	sealed, err := p.Subjects.Seal(ctx, organizationID, placeInvited+invitationID, email)
	if err != nil {
		return none, err
	}
	instead, err := p.invited(ctx, organizationID, email)
	if err != nil {
		return none, err
	}
	token, hash := secret()
	at, sent := now(), false
	doc, err := toAccount(ctx, p, call.about(organizationID), organizationID, account.Invite{Invitation: account.Invited{
		InvitationID: invitationID, Email: sealed, Role: role, TokenHash: hash, InvitedBy: call.Principal.UserID,
		ExpiresAt: domain.At(at.Add(invitationLink)), At: at,
	}, Instead: instead, Now: at}, func(state account.State) (projections.Document[InvitationDocument], error) {
		// The letter of an earlier try has the link that counts.
		sent = state.Invitations[invitationID].TokenHash != hash
		i, err := people.GetInvitation(ctx, p.Pool, organizationID, invitationID)
		if err != nil {
			return none, err
		}
		return p.invitation(ctx, i)
	})
	if err != nil || sent {
		return doc, err
	}
	organization, err := accounts.Read(ctx, p.Pool, organizationID)
	if err != nil {
		return none, err
	}
	link := p.AppURL + "/invitation?token=" + organizationID + "." + invitationID + "." + token
	p.Post.Send(Letter{
		ID: invitationID, To: email, Subject: "You are invited to " + organization.Name, Link: link,
		Text: "You are invited to the organization " + organization.Name + " of Understudy as " + string(role) + ". To join, open this address within 7 days:\n\n" + link + "\n",
	})
	return doc, nil
}

// invited is the invitation that waits for an address, "" for none.
func (p *People) invited(ctx context.Context, organizationID, email string) (string, error) {
	result, err := p.Streams.Accounts.Load(ctx, account.Stream(organizationID))
	if err != nil {
		return "", err
	}
	for id, i := range result.State.Invitations {
		open, err := p.Subjects.Open(ctx, organizationID, placeInvited+id, i.Email)
		if err != nil {
			return "", err
		}
		if open == email {
			return id, nil
		}
	}
	return "", nil
}

// RevokeInvitation takes an invitation back.
func (p *People) RevokeInvitation(ctx context.Context, call Call, invitationID string) error {
	who := call.Principal
	_, err := toAccount(ctx, p, call.about(who.OrganizationID), who.OrganizationID, account.RevokeInvitation{InvitationID: invitationID, By: who.UserID, Now: now()}, done)
	return err
}

// Invited is an invitation as whom it is for sees it.
type Invited struct {
	OrganizationID, Organization, Email string
	Role                                access.Role
	id, hash                            string
}

var errInvitation = domain.Refuse(domain.CodeForbidden, "this invitation has been used or revoked, or has expired; ask for another")

// Invitation reads the invitation that a link's token is of.
func (p *People) Invitation(ctx context.Context, token string) (Invited, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !domain.ValidID(domain.PrefixOrganization, parts[0]) || !domain.ValidID(domain.PrefixInvitation, parts[1]) {
		return Invited{}, errInvitation
	}
	result, err := p.Streams.Accounts.Load(ctx, account.Stream(parts[0]))
	if isNew(err) {
		return Invited{}, errInvitation
	}
	if err != nil {
		return Invited{}, err
	}
	i, waits := result.State.Invitations[parts[1]]
	if !waits || i.TokenHash != hashOf(parts[2]) || !now().Before(i.ExpiresAt.Time) {
		return Invited{}, errInvitation
	}
	email, err := p.Subjects.Open(ctx, parts[0], placeInvited+parts[1], i.Email)
	return Invited{
		OrganizationID: parts[0], Organization: result.State.Organization.Name, Email: email, Role: i.Role, id: parts[1], hash: i.TokenHash,
	}, err
}

// Join accepts an invitation for somebody who is signed in, whose session is one for
// that organization from then on.
func (p *People) Join(ctx context.Context, v Visit, who Principal, token string) error {
	i, err := p.Invitation(ctx, token)
	if err != nil {
		return err
	}
	if err := p.join(ctx, v, who.UserID, i); err != nil {
		return err
	}
	if !i.Role.May(access.Dashboard) {
		return nil
	}
	return p.ChooseOrganization(ctx, v, who, i.OrganizationID)
}

func (p *People) join(ctx context.Context, v Visit, userID string, i Invited) error {
	meta, err := p.meta(ctx, v, userID, i.OrganizationID)
	if err != nil {
		return err
	}
	_, err = toAccount(ctx, p, Call{CommandID: v.of("join"), Meta: meta}, i.OrganizationID, account.Join{
		InvitationID: i.id, TokenHash: i.hash, UserID: userID, Now: now(),
	}, done)
	return err
}

// JoinAnew makes an account for whom an invitation is for, accepts it, and signs them
// in. The link has come to their address, which needs no other confirmation.
func (p *People) JoinAnew(ctx context.Context, v Visit, token, name, password string) (Entry, error) {
	i, err := p.Invitation(ctx, token)
	if err != nil {
		return Entry{}, err
	}
	if name, err = checkName(name); err != nil {
		return Entry{}, err
	}
	if err := checkNewPassword(password); err != nil {
		return Entry{}, err
	}
	owner, err := p.ownerOf(ctx, i.Email)
	if err != nil {
		return Entry{}, err
	}
	if owner.Confirmed {
		return Entry{}, domain.Refuse(domain.CodeConflict, "this address has an account; sign in and open the invitation once more")
	}
	hash, err := p.Passwords.Hash(ctx, password)
	if err != nil {
		return Entry{}, err
	}
	userID, err := p.register(ctx, v, NewPerson{Name: name, Email: i.Email}, hash)
	if err != nil {
		return Entry{}, err
	}
	if err := p.vouch(ctx, v, userID, i.Email); err != nil {
		return Entry{}, err
	}
	if err := p.join(ctx, v, userID, i); err != nil {
		return Entry{}, err
	}
	return p.enter(ctx, v, Entry{UserID: userID, checked: hash})
}

// vouch confirms an address whose owner has come with a link that was sent to it.
func (p *People) vouch(ctx context.Context, v Visit, userID, email string) error {
	name, err := p.Subjects.Hash(ctx, email)
	if err != nil {
		return err
	}
	meta, err := p.meta(ctx, v, userID, "")
	if err != nil {
		return err
	}
	if _, err := p.Streams.Addresses.Handle(ctx, v.of("confirm"), address.Stream(name), address.Confirm{UserID: userID, Now: now()}, meta); err != nil {
		return err
	}
	_, err = toUser(ctx, p, v.of("vouch"), userID, user.Vouch{Now: now()}, meta, done)
	return err
}
