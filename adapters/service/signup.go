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
	"understudy/projections/people"
)

// How long links in mails work.
const (
	verifyLink = 24 * time.Hour
	resetLink  = time.Hour
)

// Attempts that cost no wait.
const (
	freeByAccount = 5
	freeByAddress = 30
)

// NewPerson is somebody who signs up.
type NewPerson struct{ Name, Email, Password string }

// SignUp makes an account and mails a link to its address. Whether there is one
// already is told to the address only: the answer is the same, and takes as long.
func (p *People) SignUp(ctx context.Context, v Visit, in NewPerson) error {
	var err error
	if p.Invited {
		return domain.Refuse(domain.CodeForbidden, "people join this installation by invitation only; ask somebody who is here")
	}
	if in.Name, err = checkName(in.Name); err != nil {
		return err
	}
	if in.Email, err = normal(in.Email); err != nil {
		return err
	}
	if err := checkNewPassword(in.Password); err != nil {
		return err
	}
	if err := p.attempt(ctx, map[string]int{"sign-up:" + v.Bucket: freeByAddress}); err != nil {
		return err
	}
	hash, err := p.Passwords.Hash(ctx, in.Password)
	if err != nil {
		return err
	}
	p.later(ctx, "sign somebody up", func(ctx context.Context) error {
		owner, err := p.ownerOf(ctx, in.Email)
		if err != nil {
			return err
		}
		if owner.Confirmed {
			p.Post.Send(Letter{
				ID: v.of("mail").String(), To: in.Email, Subject: "You have an account already", Link: p.AppURL + "/sign-in",
				Text: "Somebody, probably you, wanted to sign up with this address. It has an account already: sign in at\n\n" + p.AppURL + "/sign-in\n\nor choose another password at\n\n" + p.AppURL + "/forgot\n",
			})
			return nil
		}
		userID, err := p.register(ctx, v, in, hash)
		if err != nil {
			return err
		}
		return p.sendVerification(ctx, v, userID, in.Email)
	})
	return nil
}

// ownerOf tells whose a mail address is.
func (p *People) ownerOf(ctx context.Context, email string) (address.State, error) {
	hash, err := p.Subjects.Hash(ctx, email)
	if err != nil {
		return address.State{}, err
	}
	result, err := p.Streams.Addresses.Load(ctx, address.Stream(hash))
	if isNew(err) {
		err = nil
	}
	return result.State, err
}

// register makes a person who says that the address is theirs.
func (p *People) register(ctx context.Context, v Visit, in NewPerson, passwordHash string) (userID string, err error) {
	at := now()
	userID = domain.DeriveID(domain.PrefixUser, at.Time, v.CommandID.String())
	if err := p.Subjects.Create(ctx, userID); err != nil {
		return "", err
	}
	registered := user.Registered{UserID: userID, PasswordHash: passwordHash, At: at}
	if registered.Email, err = p.Subjects.Seal(ctx, userID, placeEmail, in.Email); err != nil {
		return "", err
	}
	if registered.Name, err = p.Subjects.Seal(ctx, userID, placeName, in.Name); err != nil {
		return "", err
	}
	meta, err := p.meta(ctx, v, userID, "")
	if err != nil {
		return "", err
	}
	if _, err := p.Streams.Users.Handle(ctx, v.of("register"), user.Stream(userID), user.Register{User: registered}, meta); err != nil {
		return "", err
	}
	hash, err := p.Subjects.Hash(ctx, in.Email)
	if err != nil {
		return "", err
	}
	_, err = p.Streams.Addresses.Handle(ctx, v.of("claim"), address.Stream(hash), address.Claim{UserID: userID, Now: at}, meta)
	return userID, err
}

// sendVerification mails a link to somebody's address.
func (p *People) sendVerification(ctx context.Context, v Visit, userID, email string) error {
	token, hash := secret()
	meta, err := p.meta(ctx, v, userID, "")
	if err != nil {
		return err
	}
	at := now()
	_, err = p.Streams.Users.Handle(ctx, v.of("verification"), user.Stream(userID), user.RequestVerification{
		TokenHash: hash, ExpiresAt: domain.At(at.Add(verifyLink)), Now: at,
	}, meta)
	if err != nil {
		return err
	}
	link := p.AppURL + "/verify?token=" + userID + "." + token
	p.Post.Send(Letter{
		ID: v.of("mail").String(), To: email, Subject: "Confirm your address", Link: link,
		Text: "To finish signing up, open this address within 24 hours and enter your password:\n\n" + link +
			"\n\nIf you have not signed up, do nothing: nobody can use your address without this link and the password.\n",
	})
	return nil
}

// Verify confirms the address of somebody who comes with the link and the password,
// gives them an organization, and signs them in. The password is asked for so that
// nobody confirms an account that another has made with their address.
func (p *People) Verify(ctx context.Context, v Visit, token, password string) (Entry, error) {
	userID, hash, state, err := p.linked(ctx, token)
	if err != nil {
		return Entry{}, err
	}
	if !state.Verification.Opens(hash, now()) {
		return Entry{}, errLink
	}
	email, err := p.Subjects.Open(ctx, userID, placeEmail, state.User.Email)
	if err != nil {
		return Entry{}, err
	}
	name, err := p.Subjects.Hash(ctx, email)
	if err != nil {
		return Entry{}, err
	}
	if err := p.checkPassword(ctx, v, name, state, password); err != nil {
		return Entry{}, err
	}
	meta, err := p.meta(ctx, v, userID, "")
	if err != nil {
		return Entry{}, err
	}
	if _, err := p.Streams.Addresses.Handle(ctx, v.of("confirm"), address.Stream(name), address.Confirm{UserID: userID, Now: now()}, meta); err != nil {
		return Entry{}, err
	}
	// Last of all, so that the link works again when the answer is lost before it.
	if err := p.settle(ctx, state.User, meta); err != nil {
		return Entry{}, err
	}
	if _, err := toUser(ctx, p, v.of("verify"), userID, user.Verify{TokenHash: hash, Now: now()}, meta, done); err != nil {
		return Entry{}, err
	}
	return p.enter(ctx, v, Entry{UserID: userID, checked: state.User.PasswordHash})
}

var errLink = domain.Refuse(domain.CodeForbidden, "this link is not the newest one, has been used, or has expired; ask for another")

// linked finds whose link a token is of.
func (p *People) linked(ctx context.Context, token string) (userID, hash string, state user.State, err error) {
	userID, held, ok := strings.Cut(token, ".")
	if !ok || !domain.ValidID(domain.PrefixUser, userID) {
		return "", "", state, errLink
	}
	state, err = p.loadUser(ctx, userID)
	if err == nil && !state.Exists() {
		err = errLink
	}
	return userID, hashOf(held), state, err
}

// settle gives somebody without an organization one: the installation's first, as
// its owner, while nobody else has it, else one of their own. Told again, it is the same.
func (p *People) settle(ctx context.Context, who user.Registered, meta domain.Meta) error {
	memberships, err := people.Memberships(ctx, p.Pool, who.UserID)
	if err != nil || len(memberships) > 0 {
		return err
	}
	call := Call{CommandID: domain.DeriveUUID("take over", who.UserID), Meta: meta}
	call.Meta.OrganizationID = p.First
	_, err = toAccount(ctx, p, call, p.First, account.TakeOver{UserID: who.UserID, Now: now()}, done)
	if code := domain.CodeOf(err); code != domain.CodeConflict && code != domain.CodeNotFound {
		return err
	}
	at := now()
	organizationID := domain.DeriveID(domain.PrefixOrganization, who.At.Time, who.UserID, "own")
	call.CommandID, call.Meta.OrganizationID = domain.DeriveUUID("found", who.UserID), organizationID
	_, err = toAccount(ctx, p, call, organizationID, account.Found{
		Organization: account.OrganizationCreated{OrganizationID: organizationID, Name: "My organization", Plan: account.DefaultPlan, At: at},
		Owner:        account.UserAdded{UserID: who.UserID, Role: string(access.Owner), At: at},
	}, done)
	return err
}

const (
	// unconfirmedFor is how long an account waits for its address to be confirmed.
	unconfirmedFor = 7 * 24 * time.Hour
	// expireAtOnce is how many accounts one sweep erases.
	expireAtOnce = 100
)

// Expire erases accounts whose address nobody had confirmed by a time, and tells how
// many it has erased.
func (p *People) Expire(ctx context.Context, at time.Time) (erased int, err error) {
	waiting, err := people.Unconfirmed(ctx, p.Pool, at.Add(-unconfirmedFor), expireAtOnce)
	if err != nil {
		return 0, err
	}
	for _, u := range waiting {
		email, err := p.Subjects.Open(ctx, u.ID, placeEmail, u.Email)
		if err != nil {
			return erased, err
		}
		hash, err := p.Subjects.Hash(ctx, email)
		if err != nil {
			return erased, err
		}
		meta := domain.Meta{CorrelationID: u.ID, Actor: "expiry"}
		gone, err := toUser(ctx, p, domain.DeriveUUID("expire", u.ID), u.ID, user.Expire{Now: domain.At(at)}, meta, func(s user.State) (bool, error) { return s.Erased, nil })
		if err != nil {
			return erased, err
		}
		if !gone {
			continue
		}
		erased++
		if _, err := p.Streams.Addresses.Handle(ctx, domain.DeriveUUID("expire", u.ID), address.Stream(hash), address.Release{UserID: u.ID, Now: domain.At(at)}, meta); err != nil {
			return erased, err
		}
	}
	return erased, nil
}
