package service

import (
	"context"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/user"
	"understudy/projections/people"
)

// DeleteOrganization ends the caller's organization for good. Nobody belongs to it any
// longer, so that no key, token or session counts; its own key is destroyed. name is
// the organization's, for who might have meant another.
func (p *People) DeleteOrganization(ctx context.Context, call Call, name string) error {
	who := call.Principal
	result, err := p.Streams.Accounts.Load(ctx, account.Stream(who.OrganizationID))
	if err != nil {
		return err
	}
	if name != result.State.Organization.Name {
		return domain.Invalid("organization", "wrong", "this is not the organization's name")
	}
	_, err = toAccount(ctx, p, call.about(who.OrganizationID), who.OrganizationID, account.Delete{By: who.UserID, Now: now()}, done)
	return err
}

// Erase ends the account of who is signed in and knows the password: memberships and
// sessions end, the address is free, and the key of all that the log has of them is
// destroyed. Who owns an organization transfers or deletes it first.
func (p *People) Erase(ctx context.Context, v Visit, who Principal, password string) error {
	memberships, err := people.Memberships(ctx, p.Pool, who.UserID)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if m.Role == access.Owner {
			return domain.Refuse(domain.CodeWrongState, "you own an organization; transfer the ownership or delete it first")
		}
	}
	state, err := p.loadUser(ctx, who.UserID)
	if err != nil {
		return err
	}
	email, err := p.Subjects.Open(ctx, who.UserID, placeEmail, state.User.Email)
	if err != nil {
		return err
	}
	name, err := p.Subjects.Hash(ctx, email)
	if err != nil {
		return err
	}
	if err := p.checkPassword(ctx, v, name, state, password); err != nil {
		return err
	}
	meta, err := p.metaOf(ctx, v, who)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		call := Call{Principal: who, Meta: meta, CommandID: v.of("leave " + m.OrganizationID)}
		call.Meta.OrganizationID = m.OrganizationID
		_, err := toAccount(ctx, p, call, m.OrganizationID, account.Remove{UserID: who.UserID, By: who.UserID, Now: now()}, done)
		if err != nil && domain.CodeOf(err) != domain.CodeNotFound {
			return err
		}
	}
	if _, err := p.Streams.Addresses.Handle(ctx, v.of("release"), address.Stream(name), address.Release{UserID: who.UserID, Now: now()}, meta); err != nil {
		return err
	}
	_, err = toUser(ctx, p, v.of("erase"), who.UserID, user.Erase{Now: now()}, meta, done)
	return err
}
