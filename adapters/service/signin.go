package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/user"
	"understudy/projections/accounts"
	"understudy/projections/people"
)

const (
	// SessionLifetime is how long a session of the dashboard lasts at most.
	SessionLifetime = 14 * 24 * time.Hour
	// SessionIdle is how long one lasts that nobody uses.
	SessionIdle = 3 * 24 * time.Hour
)

var (
	// errSignIn is the answer to an address or a password that is wrong, whichever.
	errSignIn = domain.Refuse(domain.CodeForbidden, "the address or the password is wrong")
	// ErrUnverified is told to who knows the password.
	ErrUnverified = domain.Refuse(domain.CodeWrongState, "confirm your address first: a new link is on its way to it")
	errNoPages    = domain.Refuse(domain.CodeForbidden, "your role has no dashboard; it is for pipelines")
)

// Entry is how far somebody has come who signs in.
type Entry struct {
	UserID string
	// SessionID is that of the session, "" while Factor is asked for.
	SessionID string
	// checked is the hash that the password was checked against.
	checked string
}

// Pending is an entry whose second factor is asked for, as it is kept meanwhile.
func (e Entry) Pending() (userID, checked string) { return e.UserID, e.checked }

// SignIn checks address and password. Nothing in its answer, nor in how long that
// takes, tells whether there is such an account.
func (p *People) SignIn(ctx context.Context, v Visit, email, password string) (Entry, error) {
	email, err := normal(email)
	if err != nil {
		return Entry{}, errSignIn
	}
	name, err := p.Subjects.Hash(ctx, email)
	if err != nil {
		return Entry{}, err
	}
	owner, err := p.ownerOf(ctx, email)
	if err != nil {
		return Entry{}, err
	}
	state, err := p.loadUser(ctx, owner.UserID)
	if err != nil {
		return Entry{}, err
	}
	if err := p.checkPassword(ctx, v, name, state, password); err != nil {
		return Entry{}, err
	}
	userID := state.User.UserID
	if !state.Verified {
		p.later(ctx, "mail a link", func(ctx context.Context) error { return p.sendVerification(ctx, v, userID, email) })
		return Entry{}, ErrUnverified
	}
	entry := Entry{UserID: userID, checked: state.User.PasswordHash}
	if state.Secret != "" {
		return entry, nil
	}
	return p.enter(ctx, v, entry)
}

// checkPassword checks one, and counts the attempt against the account, by the hash
// of its address, and against where it comes from.
func (p *People) checkPassword(ctx context.Context, v Visit, name string, state user.State, password string) error {
	byAccount, byAddress := "account:"+name, "sign-in:"+v.Bucket
	if err := p.attempt(ctx, map[string]int{byAccount: freeByAccount, byAddress: freeByAddress}); err != nil {
		return err
	}
	hash := state.User.PasswordHash
	if !state.Exists() {
		hash = ""
	}
	ok, err := p.Passwords.Check(ctx, password, hash)
	if err != nil {
		return err
	}
	if !ok {
		if state.Exists() {
			p.failed(ctx, v, state.User.UserID, "password")
		}
		return errSignIn
	}
	return errors.Join(p.Attempts.Clear(ctx, byAccount), p.Attempts.Return(ctx, byAddress))
}

// failed records a failure with somebody's account.
func (p *People) failed(ctx context.Context, v Visit, userID, reason string) {
	p.later(ctx, "record a failure to sign in", func(ctx context.Context) error {
		meta, err := p.meta(ctx, v, userID, "")
		if err != nil {
			return err
		}
		memberships, err := people.Memberships(ctx, p.Pool, userID)
		if err != nil {
			return err
		}
		if len(memberships) > 0 {
			meta.OrganizationID = memberships[0].OrganizationID
		}
		meta.Actor = "" // whoever it was
		_, err = p.Streams.Users.Handle(ctx, v.of("failed"), user.Stream(userID), user.FailSignIn{
			AttemptID: v.CommandID.String(), Reason: reason, Now: now(),
		}, meta)
		return err
	})
}

// enter begins a session.
func (p *People) enter(ctx context.Context, v Visit, e Entry) (Entry, error) {
	return p.enterWith(ctx, v, e, user.SignIn{})
}

func (p *People) enterWith(ctx context.Context, v Visit, e Entry, in user.SignIn) (Entry, error) {
	memberships, err := people.Memberships(ctx, p.Pool, e.UserID)
	if err != nil {
		return Entry{}, err
	}
	for _, m := range memberships {
		if m.Role.May(access.Dashboard) {
			in.OrganizationID = m.OrganizationID
			break
		}
	}
	if in.OrganizationID == "" && len(memberships) > 0 {
		return Entry{}, errNoPages
	}
	meta, err := p.meta(ctx, v, e.UserID, in.OrganizationID)
	if err != nil {
		return Entry{}, err
	}
	if in.Agent, err = p.Subjects.Seal(ctx, e.UserID, placeAgent, cut(v.Agent, maxAgent)); err != nil {
		return Entry{}, err
	}
	in.Now, in.Checked = now(), e.checked
	in.SessionID = domain.DeriveID(domain.PrefixSignIn, in.Now.Time, v.CommandID.String())
	meta.KeyID = in.SessionID
	e.SessionID = in.SessionID
	_, err = toUser(ctx, p, v.of("sign in"), e.UserID, in, meta, done)
	return e, err
}

func cut(s string, most int) string {
	if len(s) > most {
		return s[:most]
	}
	return s
}

// SignedIn is who has a session: their principal, within the organization that the
// session is for. Somebody who belongs to none has no role. ErrUnauthenticated when
// the session has ended, or the membership.
func (p *People) SignedIn(ctx context.Context, sessionID string) (Principal, error) {
	s, err := people.GetSession(ctx, p.Pool, sessionID)
	if domain.CodeOf(err) == domain.CodeNotFound || err == nil && time.Since(s.StartedAt) > SessionLifetime {
		return Principal{}, ErrUnauthenticated
	}
	if err != nil {
		return Principal{}, err
	}
	who := Principal{
		KeyID: s.ID, UserID: s.UserID, SignedIn: true, OrganizationID: s.OrganizationID, Environment: domain.Live,
		Actor: s.UserID, RateLimit: p.Plans[account.Free].RequestsPerMinute,
	}
	if s.OrganizationID == "" {
		return who, nil
	}
	m, err := people.GetMember(ctx, p.Pool, s.OrganizationID, s.UserID)
	if domain.CodeOf(err) == domain.CodeNotFound || err == nil && !m.Role.May(access.Dashboard) {
		return Principal{}, ErrUnauthenticated
	}
	if err != nil {
		return Principal{}, err
	}
	organization, err := accounts.Read(ctx, p.Pool, s.OrganizationID)
	if err != nil {
		return Principal{}, err
	}
	who.Role, who.Scopes = m.Role, m.Role.Scopes()
	who.Plan, who.RateLimit = organization.Plan, p.Plans[organization.Plan].RequestsPerMinute
	return who, nil
}

// SignOut ends the session of who is signed in.
func (p *People) SignOut(ctx context.Context, v Visit, who Principal) error {
	return p.endSession(ctx, v, who, who.KeyID, user.SignedOut)
}

// EndSession ends another session of the same person.
func (p *People) EndSession(ctx context.Context, v Visit, who Principal, sessionID string) error {
	return p.endSession(ctx, v, who, sessionID, user.Ended)
}

func (p *People) endSession(ctx context.Context, v Visit, who Principal, sessionID, how string) error {
	meta, err := p.metaOf(ctx, v, who)
	if err != nil {
		return err
	}
	_, err = toUser(ctx, p, v.of("end session"), who.UserID, user.EndSession{SessionID: sessionID, How: how, Now: now()}, meta, done)
	return err
}

// metaOf is the metadata of what somebody does who is signed in.
func (p *People) metaOf(ctx context.Context, v Visit, who Principal) (domain.Meta, error) {
	meta, err := p.meta(ctx, v, who.UserID, who.OrganizationID)
	meta.KeyID = who.KeyID
	return meta, err
}

// CallOf is a call of somebody who is signed in, for any use case.
func (p *People) CallOf(ctx context.Context, v Visit, who Principal) (Call, error) {
	meta, err := p.metaOf(ctx, v, who)
	meta.CorrelationID, meta.Environment = v.CommandID.String(), who.Environment
	return Call{Principal: who, Meta: meta, CommandID: v.CommandID}, err
}

// BrowserSession is a session as its person sees it.
type BrowserSession struct {
	ID             string
	Current        bool
	OrganizationID string
	Factor         string
	Agent, Address string
	StartedAt      time.Time
}

// BrowserSessions lists a person's, newest first.
func (p *People) BrowserSessions(ctx context.Context, who Principal) ([]BrowserSession, error) {
	all, err := people.Sessions(ctx, p.Pool, who.UserID)
	if err != nil {
		return nil, err
	}
	var out []BrowserSession
	for _, s := range all {
		if time.Since(s.StartedAt) > SessionLifetime {
			continue
		}
		shown := BrowserSession{ID: s.ID, Current: s.ID == who.KeyID, OrganizationID: s.OrganizationID, Factor: s.Factor, StartedAt: s.StartedAt}
		if shown.Agent, err = p.Subjects.Open(ctx, who.UserID, placeAgent, s.Agent); err != nil {
			return nil, err
		}
		if shown.Address, err = p.Subjects.Open(ctx, who.UserID, placeAddress, s.Address); err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

// Profile is a person as it is shown.
type Profile struct {
	UserID, Email, Name string
	Factor              bool
}

// Profile reads somebody.
func (p *People) Profile(ctx context.Context, userID string) (Profile, error) {
	u, err := people.GetUser(ctx, p.Pool, userID)
	if err != nil {
		return Profile{}, err
	}
	return p.profile(ctx, u)
}

// profile opens what is sealed of somebody; of who has no stream there is nothing.
func (p *People) profile(ctx context.Context, u people.User) (Profile, error) {
	out := Profile{UserID: u.ID, Factor: u.Factor}
	if u.Email == "" {
		return out, nil
	}
	var err error
	if out.Email, err = p.Subjects.Open(ctx, u.ID, placeEmail, u.Email); err != nil {
		return out, err
	}
	out.Name, err = p.Subjects.Open(ctx, u.ID, placeName, u.Name)
	return out, err
}

// Home is an organization that somebody belongs to.
type Home struct {
	OrganizationID, Name string
	Role                 access.Role
	Current              bool
}

// Homes are those of somebody who is signed in.
func (p *People) Homes(ctx context.Context, who Principal) ([]Home, error) {
	memberships, err := people.Memberships(ctx, p.Pool, who.UserID)
	if err != nil {
		return nil, err
	}
	var out []Home
	for _, m := range memberships {
		organization, err := accounts.Read(ctx, p.Pool, m.OrganizationID)
		if err != nil {
			return nil, err
		}
		out = append(out, Home{OrganizationID: m.OrganizationID, Name: organization.Name, Role: m.Role, Current: m.OrganizationID == who.OrganizationID})
	}
	return out, nil
}

// ChooseOrganization makes the session one for another organization of the person's.
func (p *People) ChooseOrganization(ctx context.Context, v Visit, who Principal, organizationID string) error {
	m, err := people.GetMember(ctx, p.Pool, organizationID, who.UserID)
	if err != nil {
		return err
	}
	if !m.Role.May(access.Dashboard) {
		return errNoPages
	}
	who.OrganizationID = organizationID
	meta, err := p.metaOf(ctx, v, who)
	if err != nil {
		return err
	}
	_, err = toUser(ctx, p, v.of("choose"), who.UserID, user.ChooseOrganization{SessionID: who.KeyID, OrganizationID: organizationID, Now: now()}, meta, done)
	return err
}

// Adopt makes a person of the founder of the first organization, so that they can
// sign in. email is theirs. Where that has happened, nothing does.
func (p *People) Adopt(ctx context.Context, founder account.UserAdded, email string) (position uint64, err error) {
	state, err := p.loadUser(ctx, founder.UserID)
	if err != nil || state.Erased || state.Verified {
		return 0, err
	}
	if err := p.Subjects.Create(ctx, founder.UserID); err != nil {
		return 0, err
	}
	registered := user.Registered{UserID: founder.UserID, PasswordHash: founder.PasswordHash, At: founder.At}
	if registered.Email, err = p.Subjects.Seal(ctx, founder.UserID, placeEmail, email); err != nil {
		return 0, err
	}
	if registered.Name, err = p.Subjects.Seal(ctx, founder.UserID, placeName, "Owner"); err != nil {
		return 0, err
	}
	name, err := p.Subjects.Hash(ctx, email)
	if err != nil {
		return 0, err
	}
	v := Visit{CommandID: domain.DeriveUUID("adopt", founder.UserID)}
	meta := domain.Meta{CorrelationID: founder.UserID, Actor: "bootstrap", OrganizationID: p.First}
	for _, command := range []address.Command{address.Claim{UserID: founder.UserID, Now: founder.At}, address.Confirm{UserID: founder.UserID, Now: founder.At}} {
		if _, err := p.Streams.Addresses.Handle(ctx, v.of(fmt.Sprintf("%T", command)), address.Stream(name), command, meta); err != nil {
			return 0, err
		}
	}
	if _, err := p.Streams.Users.Handle(ctx, v.of("register"), user.Stream(founder.UserID), user.Register{User: registered}, meta); err != nil {
		return 0, err
	}
	result, err := p.Streams.Users.Handle(ctx, v.of("vouch"), user.Stream(founder.UserID), user.Vouch{Now: founder.At}, meta)
	return result.Position, err
}

// OwnersAddress is the mail address of an organization's owner.
func (p *People) OwnersAddress(ctx context.Context, organizationID string) (string, error) {
	result, err := p.Streams.Accounts.Load(ctx, account.Stream(organizationID))
	if err != nil {
		return "", err
	}
	owner := result.State.Owner()
	state, err := p.loadUser(ctx, owner)
	if err != nil {
		return "", err
	}
	return p.Subjects.Open(ctx, owner, placeEmail, state.User.Email)
}
