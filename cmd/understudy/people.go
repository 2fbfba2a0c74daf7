package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/dashboard"
	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/adapters/mail"
	"understudy/adapters/oauth"
	"understudy/adapters/postgres"
	"understudy/adapters/service"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/people"
)

// passwordsAtOnce is how many passwords are hashed at once, 64 MiB each.
const passwordsAtOnce = 4

// shelf is where the keys of people and organizations are: where all processes of the
// installation see them.
func shelf(cfg config, pool *pgxpool.Pool) keyring.Shelf {
	if cfg.shared() {
		return keyring.Rows{Pool: pool}
	}
	return keyring.Folder(filepath.Join(cfg.dataDir, "subjects"))
}

// guarded are the read models, of which that of people stops at who has lost a key.
func guarded(all []projections.Projection, subjects *keyring.Subjects) []projections.Projection {
	for i := range all {
		if all[i].Name == people.Projection.Name {
			all[i] = people.Guarded(func(ctx context.Context, ids []string) error {
				err := subjects.Check(ctx, ids)
				if missing := (*keyring.MissingError)(nil); errors.As(err, &missing) {
					return &projections.ApplyError{Cause: err} // which waiting does not mend
				}
				return err
			})
		}
	}
	return all
}

// adoptOwner makes a person of the owner of the first organization, so that they can
// sign in with what stands in keys.json.
func (a *app) adoptOwner(ctx context.Context, log *slog.Logger) error {
	owner, err := firstOwner(ctx, a.streams.Store)
	if errors.Is(err, eventstore.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	email, err := a.keys.OpenString(owner.Email, emailPlace(owner.UserID))
	if err != nil { // the keyring has started over
		log.Warn("the owner's address cannot be read, so that nobody signs in with it", "error", err)
		return nil
	}
	_, err = a.people.Adopt(ctx, owner, email)
	return err
}

// ownersAddress is where an organization's owner is told of things.
func (a *app) ownersAddress(ctx context.Context, organizationID string) (string, error) {
	return a.people.OwnersAddress(ctx, organizationID)
}

// pagesOf are the dashboard with its pages and OAuth's endpoints.
func pagesOf(cfg config, pool *pgxpool.Pool, links *httpapi.Links, uses *service.People, all *service.Service, proofs audit, contract *httpapi.Contract, targets target, log *slog.Logger) (*dashboard.Dashboard, *http.ServeMux) {
	addressOf := httpapi.AddressOf(cfg.proxies)
	pages := dashboard.New(dashboard.Deps{
		Door: uses, Accounts: uses, Team: uses, Passwords: uses, Factors: uses, Leaving: uses, Grants: uses, Clients: uses, Log: uses, Tests: all, Results: all, Links: links, Personas: all, Histories: all, Proofs: auditPages{proofs}, Document: contract.JSON(), Keys: all, Webhooks: all, Usage: all, Organizations: all, Plans: all.Plans, Caps: all.Caps, API: cfg.baseURL, Interface: links.Origins(),
		Starting: all, Models: all.Models.Models(), Asked: contract.Test, Once: remembered(postgres.NewIdempotency(pool)), Targets: seen{targets}, Store: postgres.NewBrowserSessions(pool, service.SessionIdle),
		Invited: cfg.invited, Secure: strings.HasPrefix(cfg.appURL, "https:"), Styles: httpapi.Styles, Meaning: httpapi.Meaning, Unavailable: isOutage, Logger: log,
		Visitor: func(r *http.Request) (string, string) {
			address := addressOf(r)
			return address, httpapi.Bucket(address)
		},
	})
	mux := http.NewServeMux()
	pages.Register(mux)
	door := oauthDoor(cfg, all, visitors{pages, uses, addressOf}, log)
	for _, pattern := range oauth.Paths {
		mux.Handle(pattern, door)
	}
	return pages, mux
}

// remembered gives the id that was first asked to be remembered for a key of who is
// signed in, for a day.
func remembered(requests *postgres.Idempotency) func(context.Context, service.Principal, string, string) (string, error) {
	return func(ctx context.Context, who service.Principal, key, id string) (string, error) {
		row, _, err := requests.Begin(ctx, who.KeyID, key, "dashboard", []byte{}, id, time.Now())
		return row.ResourceID, err
	}
}

// seen looks at addresses for the dashboard.
type seen struct{ target }

// Look tells what answers at an address, or why it cannot be tested.
func (s seen) Look(ctx context.Context, url string, private ...string) (dashboard.Found, string) {
	page, err := s.Policy.Look(ctx, url, private...)
	return dashboard.Found(page), reason(err)
}

// expiring erases accounts whose address was not confirmed in time.
func expiring(all *service.People, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticks := time.NewTicker(sweepEvery)
		defer ticks.Stop()
		for {
			if erased, err := all.Expire(ctx, time.Now()); err != nil && ctx.Err() == nil {
				log.Warn("accounts that were not confirmed stay for now", "error", err)
			} else if erased > 0 {
				log.Info("erased accounts that were not confirmed", "accounts", erased)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
		}
	}
}

// waitingLetters bounds what has yet to be sent.
const waitingLetters = 256

// letters are mails to people on their way: through the operator's server, or, where
// there is none, to the log.
type letters struct {
	mail    *mail.Sender
	log     *slog.Logger
	waiting chan service.Letter
}

func newLetters(sender *mail.Sender, log *slog.Logger) *letters {
	return &letters{mail: sender, log: log, waiting: make(chan service.Letter, waitingLetters)}
}

// Send takes a letter. One too many is given up: its person asks for another.
func (l *letters) Send(letter service.Letter) {
	if l.mail == nil {
		l.log.Info("no mail server is set (UNDERSTUDY_SMTP_URL); this mail is shown here", "to", letter.To, "subject", letter.Subject, "link", letter.Link)
		return
	}
	select {
	case l.waiting <- letter:
	default:
		l.log.Error("too many mails wait to be sent; one is given up", "subject", letter.Subject)
	}
}

// Run sends what waits until ctx ends.
func (l *letters) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case letter := <-l.waiting:
			err := l.mail.Send(ctx, mail.Message{ID: letter.ID, To: letter.To, Subject: letter.Subject, Text: letter.Text})
			if err != nil {
				l.log.Error("a mail was not sent; its person asks for another", "subject", letter.Subject, "error", err)
			}
		}
	}
}
