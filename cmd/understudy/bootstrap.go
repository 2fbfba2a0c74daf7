package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"understudy/adapters/keyring"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/eventstore"
)

// credentials are what a fresh installation gives its owner, once, in
// <data>/keys.json.
type credentials struct {
	Live     string `json:"live"`
	Test     string `json:"test"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

const keysFile = "keys.json"

// founding is when every first organization was founded, as its id tells it:
// one and the same id in every installation, so that nothing but the log
// decides whether it is there.
var founding = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func firstOrganization() string {
	return domain.DeriveID(domain.PrefixOrganization, founding, "first organization")
}

// bootstrap founds the first organization, on the Team plan, with an owner and
// two keys, unless the log has it already. It reports the credentials when they
// are those of the organization, and the position of what was recorded.
func bootstrap(ctx context.Context, s *service.Streams, keys *keyring.Keyring, dataDir string) (*credentials, uint64, error) {
	_, err := s.Accounts.Load(ctx, account.Stream(firstOrganization()))
	if !errors.Is(err, eventstore.ErrStreamNotFound) {
		return nil, 0, err
	}
	c, position, err := found(ctx, s, keys, filepath.Join(dataDir, keysFile))
	if err != nil {
		return nil, 0, fmt.Errorf("found the first organization: %w", err)
	}
	return c, position, nil
}

// found records the organization with the credentials in a file, which is made
// where there is none. Another process of the installation may be at it, too:
// where it was first, with another file, this one is removed again.
func found(ctx context.Context, s *service.Streams, keys *keyring.Keyring, file string) (*credentials, uint64, error) {
	orgID := firstOrganization()
	stream := account.Stream(orgID)
	c, err := firstCredentials(file)
	if err != nil {
		return nil, 0, err
	}
	command, err := foundation(orgID, c, keys)
	if err != nil {
		return nil, 0, err
	}
	meta := domain.Meta{Actor: "bootstrap", OrganizationID: orgID, CorrelationID: orgID}
	result, err := s.Accounts.Handle(ctx, domain.DeriveUUID(orgID, "found"), stream, command, meta)
	if err != nil {
		return nil, 0, err
	}
	ours, err := hasKey(ctx, s.Store, stream, apikey.HashKey(c.Live))
	if err != nil {
		return nil, 0, err
	}
	if !ours {
		return nil, 0, os.Remove(file)
	}
	return c, result.Position, nil
}

// hasKey reports whether an organization's stream records a key with a hash. An
// append that another process made with the same ids does not say whose it was.
func hasKey(ctx context.Context, store *eventstore.Store, stream, hash string) (found bool, err error) {
	err = store.ReadStream(ctx, stream, 0, func(e domain.Recorded) error {
		key, ok := e.Event.(account.KeyCreated)
		found = found || ok && key.Hash == hash
		return nil
	})
	return found, err
}

// foundation is the command that founds the organization with credentials.
func foundation(orgID string, c *credentials, keys *keyring.Keyring) (account.Found, error) {
	at := domain.At(time.Now())
	userID := domain.DeriveID(domain.PrefixUser, at.Time, orgID, "owner")
	email, err := keys.SealString(c.Email, emailPlace(userID))
	if err != nil {
		return account.Found{}, err
	}
	key := func(env domain.Environment, name, secret string) account.KeyCreated {
		return account.KeyCreated{
			KeyID:          domain.DeriveID(domain.PrefixKey, at.Time, orgID, string(env)),
			OrganizationID: orgID, Environment: env, Name: name,
			Hash: apikey.HashKey(secret), LastFour: secret[len(secret)-4:],
			Scopes: []string{access.Full}, CreatedBy: userID, At: at,
		}
	}
	return account.Found{
		Organization: account.OrganizationCreated{OrganizationID: orgID, Name: "My organization", Plan: account.DefaultPlan, At: at},
		Owner:        account.UserAdded{UserID: userID, Email: email, PasswordHash: service.HashPassword(c.Password), Role: string(access.Owner), At: at},
		Keys: []account.KeyCreated{
			key(domain.Live, "First live key", c.Live),
			key(domain.Sandbox, "First sandbox key", c.Test),
		},
	}, nil
}

func emailPlace(userID string) string { return "email " + userID }

// firstCredentials reads the file, or makes it. It is written before the
// organization is recorded: a crash between the two must not lose the keys. Of
// two processes that start together one makes it and both use it.
func firstCredentials(path string) (*credentials, error) {
	c, err := readCredentials(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	if err := makeCredentials(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readCredentials(path)
}

func readCredentials(path string) (*credentials, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c credentials
	if err := json.Unmarshal(raw, &c); err != nil || c.Live == "" || c.Test == "" {
		return nil, fmt.Errorf("%s is damaged; remove it to get new keys", path)
	}
	return &c, nil
}

// makeCredentials makes the file; fs.ErrExist: it is there.
func makeCredentials(path string) error {
	entropy := make([]byte, 3*64)
	_, _ = rand.Read(entropy) // never fails: it ends the program instead
	raw, err := json.MarshalIndent(credentials{
		Live:     apikey.NewKey(domain.Live, entropy[:64]),
		Test:     apikey.NewKey(domain.Sandbox, entropy[64:128]),
		Email:    "owner@understudy.local",
		Password: base64.RawURLEncoding.EncodeToString(entropy[128:146]),
	}, "", "  ")
	if err != nil {
		return err
	}
	return writeDurably(path, append(raw, '\n'))
}

// writeDurably writes a new file that only its owner may read, whole or not at
// all. One that is there stays; the error is then fs.ErrExist.
func writeDurably(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it has its own name by then
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil { // which never replaces
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// newKey makes an API key.
func newKey(env domain.Environment) string {
	entropy := make([]byte, 64)
	for {
		_, _ = rand.Read(entropy) // never fails: it ends the program instead
		if key := apikey.NewKey(env, entropy); key != "" {
			return key
		}
	}
}
