package service

import (
	"context"

	"understudy/domain"
	"understudy/domain/address"
	"understudy/domain/user"
)

// Forgot mails a link to another password. Whether there is an account is told to
// nobody: the answer is the same, and takes as long.
func (p *People) Forgot(ctx context.Context, v Visit, email string) error {
	email, err := normal(email)
	if err != nil {
		return err
	}
	if err := p.attempt(ctx, map[string]int{"forgot:" + v.Bucket: freeByAddress}); err != nil {
		return err
	}
	p.later(ctx, "mail a link to another password", func(ctx context.Context) error {
		owner, err := p.ownerOf(ctx, email)
		if err != nil || owner.UserID == "" {
			return err
		}
		if wait, err := p.Attempts.Take(ctx, "forgot:"+owner.UserID, freeByAccount); err != nil || wait > 0 {
			return err // nobody's mail is filled by others
		}
		token, hash := secret()
		meta, err := p.meta(ctx, v, owner.UserID, "")
		if err != nil {
			return err
		}
		meta.Actor = "" // whoever it was
		at := now()
		request := user.RequestReset{TokenHash: hash, ExpiresAt: domain.At(at.Add(resetLink)), Now: at}
		_, err = p.Streams.Users.Handle(ctx, v.of("reset"), user.Stream(owner.UserID), request, meta)
		if err != nil {
			return err
		}
		link := p.AppURL + "/reset?token=" + owner.UserID + "." + token
		p.Post.Send(Letter{
			ID: v.of("mail").String(), To: email, Subject: "Choose another password", Link: link,
			Text: "To choose another password, open this address within an hour:\n\n" + link + "\n\nIf you have not asked for it, do nothing: your password stays.\n",
		})
		return nil
	})
	return nil
}

// Reset changes the password of somebody who comes with the link, and ends all of
// their sessions. A second factor is asked for on as before.
func (p *People) Reset(ctx context.Context, v Visit, token, password string) error {
	if err := checkNewPassword(password); err != nil {
		return err
	}
	userID, hash, state, err := p.linked(ctx, token)
	if err != nil {
		return err
	}
	if !state.Reset.Opens(hash, now()) {
		return errLink
	}
	passwordHash, err := p.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	email, err := p.Subjects.Open(ctx, userID, placeEmail, state.User.Email)
	if err != nil {
		return err
	}
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
	if !state.Verified { // first, so that the link works again when the answer is lost before it
		if err := p.settle(ctx, state.User, meta); err != nil {
			return err
		}
	}
	if _, err := toUser(ctx, p, v.of("reset"), userID, user.Reset{TokenHash: hash, PasswordHash: passwordHash, Now: now()}, meta, done); err != nil {
		return err
	}
	return p.Attempts.Clear(ctx, "account:"+name)
}

// ChangePassword changes that of somebody who is signed in and knows it, and ends
// their other sessions.
func (p *People) ChangePassword(ctx context.Context, v Visit, who Principal, current, password string) error {
	if err := checkNewPassword(password); err != nil {
		return err
	}
	state, err := p.loadUser(ctx, who.UserID)
	if err != nil {
		return err
	}
	if err := p.attempt(ctx, map[string]int{"change:" + who.UserID: freeByAccount}); err != nil {
		return err
	}
	ok, err := p.Passwords.Check(ctx, current, state.User.PasswordHash)
	if err != nil {
		return err
	}
	if !ok {
		return domain.Invalid("current", "wrong", "this is not your password")
	}
	hash, err := p.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	meta, err := p.metaOf(ctx, v, who)
	if err != nil {
		return err
	}
	if _, err := toUser(ctx, p, v.of("change"), who.UserID, user.ChangePassword{PasswordHash: hash, Kept: who.KeyID, Now: now()}, meta, done); err != nil {
		return err
	}
	return p.Attempts.Clear(ctx, "change:"+who.UserID)
}
