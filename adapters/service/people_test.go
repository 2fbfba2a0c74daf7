package service_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"understudy/adapters/postgres"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/user"
	"understudy/test/patience"
)

// crowd is a world with people, whose mails are read here.
type crowd struct {
	*world
	*service.People
	mails chan service.Letter
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	w := newWorld(t)
	c := &crowd{world: w, mails: make(chan service.Letter, 64)}
	c.People = service.NewPeople(w.Service, service.PeopleDeps{
		Subjects: &subjects{lost: map[string]bool{}}, Attempts: postgres.NewAttempts(w.Pool), Passwords: service.NewPasswords(2), Post: c,
		AppURL: "https://app.example", First: alice.OrganizationID, Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Send keeps a mail.
func (c *crowd) Send(l service.Letter) { c.mails <- l }

// mail is the next one.
func (c *crowd) mail() service.Letter {
	c.t.Helper()
	select {
	case l := <-c.mails:
		return l
	case <-c.ctx.Done():
		c.t.Fatal("no mail came")
		return service.Letter{}
	}
}

// link is what the link of the next mail holds.
func (c *crowd) link() string {
	c.t.Helper()
	_, token, found := strings.Cut(c.mail().Link, "token=")
	if !found {
		c.t.Fatal("the mail has no link")
	}
	return token
}

func visit() service.Visit {
	id := uuid.New()
	return service.Visit{Address: "192.0.2.7", Bucket: id.String(), Agent: "Firefox", RequestID: id.String(), CommandID: id}
}

const ada, password = "ada@example.com", "analytical engine"

// signedUp is a session of somebody who has just signed up and confirmed it.
func (c *crowd) signedUp(email string) service.Principal {
	c.t.Helper()
	c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Somebody", Email: email, Password: password}))
	entry, err := c.Verify(c.ctx, visit(), c.link(), password)
	c.must(err)
	who, err := c.SignedIn(c.ctx, entry.SessionID)
	c.must(err)
	return who
}

// subjects seal so that it can be read, until they are destroyed.
type subjects struct {
	mu   sync.Mutex
	lost map[string]bool
}

func (*subjects) Create(context.Context, string) error { return nil }

func (*subjects) Seal(_ context.Context, subject, place, plain string) (string, error) {
	return subject + "|" + place + "|" + plain, nil
}

func (s *subjects) Open(_ context.Context, subject, place, sealed string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plain, ok := strings.CutPrefix(sealed, subject+"|"+place+"|")
	if !ok || s.lost[subject] {
		return "", errors.New("sealed for another, or for nobody any longer")
	}
	return plain, nil
}

func (*subjects) Hash(_ context.Context, text string) (string, error) {
	return strings.NewReplacer("@", "0", ".", "1").Replace(text), nil
}

func TestTheFirstWhoSignsUpOwnsTheFirstOrganization(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.found("svc_live_0000000000000000000000000000000000")
	c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: " Ada ", Email: " Ada@Example.com ", Password: password}))
	token := c.link()
	_, err := c.SignIn(c.ctx, visit(), ada, password)
	if !errors.Is(err, service.ErrUnverified) {
		t.Errorf("before the address is confirmed: %v", err)
	}
	newer := c.link()
	_, err = c.Verify(c.ctx, visit(), token, password)
	c.refused(err, domain.CodeForbidden) // a newer link was sent
	_, err = c.Verify(c.ctx, visit(), newer, "not the password")
	c.refused(err, domain.CodeForbidden)
	entry, err := c.Verify(c.ctx, visit(), newer, password)
	c.must(err)
	_, err = c.Verify(c.ctx, visit(), newer, password)
	c.refused(err, domain.CodeForbidden)

	who, err := c.SignedIn(c.ctx, entry.SessionID)
	if err != nil || who.OrganizationID != alice.OrganizationID || who.Role != access.Owner || !who.SignedIn || who.Actor != who.UserID || who.KeyID != entry.SessionID {
		t.Errorf("she is %+v, %v", who, err)
	}
	profile, err := c.Profile(c.ctx, who.UserID)
	if err != nil || profile.Name != "Ada" || profile.Email != ada {
		t.Errorf("her profile is %+v, %v", profile, err)
	}
	second := c.signedUp("bob@example.com")
	if second.OrganizationID == who.OrganizationID || second.Role != access.Owner {
		t.Errorf("the second is %+v", second)
	}
}

func TestWhoHasAnAccountIsToldByMailOnly(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.signedUp(ada)
	c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Eve", Email: ada, Password: "another password"}))
	if l := c.mail(); l.To != ada || strings.Contains(l.Link, "token") {
		t.Errorf("the mail is %+v", l)
	}
	_, err := c.SignIn(c.ctx, visit(), ada, "another password")
	_, nobody := c.SignIn(c.ctx, visit(), "nobody@example.com", "another password")
	_, nothing := c.SignIn(c.ctx, visit(), "no address", "another password")
	c.refused(err, domain.CodeForbidden)
	if err.Error() != nobody.Error() || err.Error() != nothing.Error() {
		t.Errorf("the answers tell who has an account: %v, %v, %v", err, nobody, nothing)
	}
	if _, err := c.SignIn(c.ctx, visit(), ada, password); err != nil {
		t.Errorf("with the right password: %v", err)
	}
}

func TestWhoTriesTooOftenWaits(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.signedUp(ada)
	for _, email := range []string{ada, "nobody@example.com"} {
		counted := 0
		for { // the first waits are short, and may be over by the next try
			var tooMany *service.TooManyError
			began := time.Now()
			_, err := c.SignIn(c.ctx, visit(), email, "a guess of mine")
			if !errors.As(err, &tooMany) {
				c.refused(err, domain.CodeForbidden)
				if counted++; counted > 20 {
					t.Fatalf("%s does not wait after %d tries", email, counted)
				}
				continue
			}
			if counted < 5 {
				t.Errorf("%s waits after %d tries", email, counted)
			}
			waits := tooMany.Wait
			if waits <= max(time.Second, 5*time.Since(began)) { // what is left is told as a second at least
				continue
			}
			if _, err := c.SignIn(c.ctx, visit(), email, password); errors.As(err, &tooMany) {
				break
			} else if time.Since(began) < waits {
				t.Fatalf("%s, with the right password while it waits: %v", email, err)
			}
		}
	}
}

func TestAnAddressIsNotWonByWhoSignsUpWithItFirst(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Mallory", Email: ada, Password: "mallory's password"}))
	theirs := c.link()
	c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Ada", Email: ada, Password: password}))
	hers := c.link() // the account is made by then
	_, err := c.Verify(c.ctx, visit(), theirs, "mallory's password")
	c.refused(err, domain.CodeConflict)
	_, err = c.Verify(c.ctx, visit(), hers, password)
	c.must(err)
	_, err = c.SignIn(c.ctx, visit(), ada, "mallory's password")
	c.refused(err, domain.CodeForbidden)
}

// Whose answer got lost opens the link once more.
func TestALinkWorksUntilItHasDoneAll(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.found("svc_live_0000000000000000000000000000000000")
	for i, email := range []string{ada, "bob@example.com"} { // who takes over, and who gets an organization
		c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Somebody", Email: email, Password: password}))
		token := c.link()
		for _, readModels := range []int{3, 1} { // what an organization's command waits for, and a person's
			c.refuses = func(names []string) error {
				if len(names) == readModels {
					return domain.Refuse(domain.CodeUnavailable, "behind")
				}
				return nil
			}
			_, err := c.Verify(c.ctx, visit(), token, password)
			c.refused(err, domain.CodeUnavailable)
		}
		c.refuses = nil
		entry, err := c.Verify(c.ctx, visit(), token, password)
		c.must(err)
		who, err := c.SignedIn(c.ctx, entry.SessionID)
		c.must(err)
		homes, err := c.Homes(c.ctx, who)
		if err != nil || len(homes) != 1 || homes[0].Role != access.Owner || (homes[0].OrganizationID == alice.OrganizationID) != (i == 0) {
			t.Errorf("%s belongs to %+v, %v", email, homes, err)
		}
	}
}

func TestAccountsThatNobodyConfirmsExpire(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.signedUp("bob@example.com")
	c.must(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Ada", Email: ada, Password: password}))
	token := c.link()
	userID, _, _ := strings.Cut(token, ".")
	patience.Eventually(t, limit, "she is known", func() bool {
		_, err := c.Profile(c.ctx, userID)
		return err == nil
	})
	expire := func(in time.Duration, want int) {
		t.Helper()
		if erased, err := c.Expire(c.ctx, time.Now().Add(in)); err != nil || erased != want {
			t.Errorf("in %s %d are erased, %v", in, erased, err)
		}
	}
	expire(6*24*time.Hour, 0)
	expire(7*24*time.Hour+time.Minute, 1)
	expire(8*24*time.Hour, 0)
	_, err := c.Verify(c.ctx, visit(), token, password)
	c.refused(err, domain.CodeForbidden)
	_, err = c.SignIn(c.ctx, visit(), ada, password)
	c.refused(err, domain.CodeForbidden)
	c.signedUp(ada)
	if _, err := c.SignIn(c.ctx, visit(), "bob@example.com", password); err != nil {
		t.Errorf("who has confirmed: %v", err)
	}
}

func TestAnInstallationByInvitation(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	owner := c.signedUp(ada)
	c.Invited = true
	c.refused(c.SignUp(c.ctx, visit(), service.NewPerson{Name: "Bob", Email: "bob@example.com", Password: password}), domain.CodeForbidden)
	id := newID(domain.PrefixInvitation)
	_, err := c.Invite(c.ctx, c.call(owner, id), id, "bob@example.com", access.Viewer)
	c.must(err)
	_, err = c.JoinAnew(c.ctx, visit(), c.link(), "Bob", password)
	c.must(err)
}

func TestSessionsAreListedAndEnd(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	first := c.signedUp(ada)
	entry, err := c.SignIn(c.ctx, visit(), ada, password)
	c.must(err)
	second, err := c.SignedIn(c.ctx, entry.SessionID)
	c.must(err)
	list, err := c.BrowserSessions(c.ctx, second)
	if err != nil || len(list) != 2 || !list[0].Current || list[1].Current || list[1].ID != first.KeyID || list[0].Agent != "Firefox" || list[0].Address != "192.0.2.7" {
		t.Fatalf("the sessions are %+v, %v", list, err)
	}
	c.must(c.EndSession(c.ctx, visit(), second, first.KeyID))
	if _, err := c.SignedIn(c.ctx, first.KeyID); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("an ended session: %v", err)
	}
	c.must(c.SignOut(c.ctx, visit(), second))
	if _, err := c.SignedIn(c.ctx, second.KeyID); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("after signing out: %v", err)
	}
}

func TestWhatIsTypedWrong(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	for field, in := range map[string]service.NewPerson{
		"name":     {Name: " ", Email: ada, Password: password},
		"email":    {Name: "Ada", Email: "Ada <ada@example.com>", Password: password},
		"password": {Name: "Ada", Email: ada, Password: "123456789"},
	} {
		c.at(c.SignUp(c.ctx, visit(), in), field)
	}
}

// Nothing of a person is in the log but ciphertext, and every sign-in says from where.
func TestEventsOfPeople(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	who := c.signedUp(ada)
	var signedIn domain.Recorded
	c.must(c.world.Streams.Store.ReadStream(c.ctx, user.Stream(who.UserID), 0, func(e domain.Recorded) error {
		if _, ok := e.Event.(user.SignedIn); ok {
			signedIn = e
		}
		return nil
	}))
	if m := signedIn.Meta; m.Actor != who.UserID || m.OrganizationID != who.OrganizationID || m.Address != who.UserID+"|address|192.0.2.7" {
		t.Errorf("a sign-in says %+v", m)
	}
	if time.Since(signedIn.Time) > time.Hour {
		t.Errorf("it was at %s", signedIn.Time)
	}
}

func (c *crowd) call(who service.Principal, id string) service.Call {
	call, err := c.CallOf(c.ctx, visit(), who)
	c.must(err)
	call.CommandID = domain.DeriveUUID("request", id)
	return call
}

func TestInvitedPeopleJoinAndGo(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	owner := c.signedUp(ada)
	invite := func(email string, role access.Role) string {
		id := newID(domain.PrefixInvitation)
		doc, err := c.Invite(c.ctx, c.call(owner, id), id, email, role)
		c.must(err)
		if shown, err := doc.Decode(); err != nil || shown.Email != email || shown.Status != "pending" || shown.InvitedBy != owner.UserID {
			t.Errorf("the invitation is %s, %v", doc.JSON, err)
		}
		return c.link()
	}
	first := invite("bob@example.com", access.Viewer)
	second := invite("bob@example.com", access.Member) // in place of the first
	_, err := c.JoinAnew(c.ctx, visit(), first, "Bob", password)
	c.refused(err, domain.CodeForbidden)
	entry, err := c.JoinAnew(c.ctx, visit(), second, "Bob", password)
	c.must(err)
	_, err = c.JoinAnew(c.ctx, visit(), second, "Bob", password)
	c.refused(err, domain.CodeForbidden)
	bob, err := c.SignedIn(c.ctx, entry.SessionID)
	if err != nil || bob.OrganizationID != owner.OrganizationID || bob.Role != access.Member {
		t.Fatalf("bob is %+v, %v", bob, err)
	}
	id := newID(domain.PrefixInvitation)
	_, err = c.Invite(c.ctx, c.call(bob, id), id, "eve@example.com", access.Viewer)
	c.refused(err, domain.CodeForbidden)

	_, err = c.ChangeRole(c.ctx, c.call(owner, "role"), bob.UserID, access.Admin)
	c.must(err)
	page, err := c.Members(c.ctx, owner, service.Query{Limit: 10})
	c.must(err)
	if len(page.Items) != 2 || !strings.Contains(string(page.Items[0].JSON), `"email":"bob@example.com"`) || !strings.Contains(string(page.Items[0].JSON), `"role":"admin"`) {
		t.Errorf("the members are %+v", page)
	}
	c.refused(c.RemoveMember(c.ctx, c.call(bob, "owner"), owner.UserID), domain.CodeWrongState)
	c.must(c.RemoveMember(c.ctx, c.call(owner, "bob"), bob.UserID))
	if _, err := c.SignedIn(c.ctx, bob.KeyID); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("after the removal: %v", err)
	}
	all, err := c.Invitations(c.ctx, owner, service.Query{Limit: 10})
	if err != nil || len(all.Items) != 2 || !strings.Contains(string(all.Items[0].JSON), `"accepted"`) || !strings.Contains(string(all.Items[1].JSON), `"revoked"`) {
		t.Errorf("the invitations are %+v, %v", all, err)
	}
}

func TestSomebodyWithAnAccountJoinsASecondOrganization(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	owner, bob := c.signedUp(ada), c.signedUp("bob@example.com")
	id := newID(domain.PrefixInvitation)
	_, err := c.Invite(c.ctx, c.call(owner, id), id, "bob@example.com", access.Viewer)
	c.must(err)
	token := c.link()
	_, err = c.JoinAnew(c.ctx, visit(), token, "Bob", password)
	c.refused(err, domain.CodeConflict)
	c.must(c.Join(c.ctx, visit(), bob, token))
	now, err := c.SignedIn(c.ctx, bob.KeyID)
	if err != nil || now.OrganizationID != owner.OrganizationID || now.Role != access.Viewer {
		t.Errorf("he is %+v, %v", now, err)
	}
	homes, err := c.Homes(c.ctx, now)
	if err != nil || len(homes) != 2 || !homes[0].Current {
		t.Errorf("he belongs to %+v, %v", homes, err)
	}
	_, err = c.Transfer(c.ctx, c.call(owner, "transfer"), bob.UserID)
	c.must(err)
	if now, err = c.SignedIn(c.ctx, bob.KeyID); err != nil || now.Role != access.Owner {
		t.Errorf("after the transfer he is %+v, %v", now, err)
	}
	c.must(c.RemoveMember(c.ctx, c.call(owner, "leave"), owner.UserID))
}

func TestAForgottenPassword(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	who := c.signedUp(ada)
	c.must(c.Forgot(c.ctx, visit(), "nobody@example.com")) // who gets no mail
	c.must(c.Forgot(c.ctx, visit(), ada))
	token := c.link()
	c.at(c.Reset(c.ctx, visit(), token, "short"), "password")
	c.must(c.Reset(c.ctx, visit(), token, "difference engine"))
	c.refused(c.Reset(c.ctx, visit(), token, "another difference"), domain.CodeForbidden)
	if _, err := c.SignedIn(c.ctx, who.KeyID); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("a session of before: %v", err)
	}
	_, err := c.SignIn(c.ctx, visit(), ada, password)
	c.refused(err, domain.CodeForbidden)
	entry, err := c.SignIn(c.ctx, visit(), ada, "difference engine")
	c.must(err)
	who, err = c.SignedIn(c.ctx, entry.SessionID)
	c.must(err)
	c.at(c.ChangePassword(c.ctx, visit(), who, "wrong one, this", "third password"), "current")
	c.must(c.ChangePassword(c.ctx, visit(), who, "difference engine", "third password"))
	if _, err := c.SignedIn(c.ctx, who.KeyID); err != nil {
		t.Errorf("the session that changed it: %v", err)
	}
}

func TestASecondFactor(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	who := c.signedUp(ada)
	factor, err := c.NewFactor(c.ctx, who, "")
	if err != nil || len(factor.QR) == 0 {
		t.Fatalf("the factor is %+v, %v", factor, err)
	}
	same, err := c.NewFactor(c.ctx, who, factor.Secret)
	if err != nil || same.Secret != factor.Secret {
		t.Errorf("shown again it is %s, %v", same.Secret, err)
	}
	_, err = c.EnableFactor(c.ctx, visit(), who, factor.Secret, "000000x")
	c.at(err, "code")
	code := func(in time.Duration) string {
		text, err := totp.GenerateCode(factor.Secret, time.Now().Add(in))
		c.must(err)
		return text
	}
	first := code(-30 * time.Second)
	codes, err := c.EnableFactor(c.ctx, visit(), who, factor.Secret, first)
	c.must(err)
	if len(codes) != 10 || codes[0] == codes[1] {
		t.Fatalf("the recovery codes are %q", codes)
	}
	enter := func(code string) error {
		entry, err := c.SignIn(c.ctx, visit(), ada, password)
		c.must(err)
		if entry.SessionID != "" {
			t.Fatal("the password alone is enough")
		}
		userID, checked := entry.Pending()
		_, err = c.SignInWithFactor(c.ctx, visit(), userID, checked, code)
		return err
	}
	c.refused(enter(first), domain.CodeForbidden) // it has set the factor up
	next := code(30 * time.Second)
	c.must(enter(next))
	c.refused(enter(next), domain.CodeForbidden)
	c.must(enter(" " + strings.ToUpper(codes[3])))
	c.refused(enter(codes[3]), domain.CodeForbidden)
	c.at(c.DisableFactor(c.ctx, visit(), who, "not the password"), "password")
	c.must(c.DisableFactor(c.ctx, visit(), who, password))
	entry, err := c.SignIn(c.ctx, visit(), ada, password)
	if err != nil || entry.SessionID == "" {
		t.Errorf("without the factor: %+v, %v", entry, err)
	}
}

func TestWhatEndsForGood(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	owner, bob := c.signedUp(ada), c.signedUp("bob@example.com")
	c.refused(c.Erase(c.ctx, visit(), owner, password), domain.CodeWrongState)
	c.at(c.DeleteOrganization(c.ctx, c.call(owner, "wrong"), "Another"), "organization")
	c.must(c.DeleteOrganization(c.ctx, c.call(owner, "delete"), "My organization"))
	if _, err := c.SignedIn(c.ctx, owner.KeyID); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("after the deletion: %v", err)
	}
	entry, err := c.SignIn(c.ctx, visit(), ada, password)
	c.must(err)
	alone, err := c.SignedIn(c.ctx, entry.SessionID)
	if err != nil || alone.OrganizationID != "" || alone.Role != "" || len(alone.Scopes) != 0 {
		t.Fatalf("who belongs to nothing is %+v, %v", alone, err)
	}
	c.refused(c.Erase(c.ctx, visit(), alone, "not the password"), domain.CodeForbidden)
	c.must(c.Erase(c.ctx, visit(), alone, password))
	_, err = c.SignIn(c.ctx, visit(), ada, password)
	c.refused(err, domain.CodeForbidden)
	if again := c.signedUp(ada); again.UserID == owner.UserID { // the address is free
		t.Error("the same person came back")
	}
	if _, err := c.SignedIn(c.ctx, bob.KeyID); err != nil {
		t.Errorf("somebody else: %v", err)
	}
}
