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

	"golang.org/x/crypto/argon2"

	"understudy/adapters/keyring"
	"understudy/domain"
	"understudy/domain/account"
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

// bootstrap founds the first organization, on the Team plan, with an owner and
// two keys, unless the log has it already. It reports the credentials when it
// did, and the position of what it recorded.
func bootstrap(ctx context.Context, s *streams, keys *keyring.Keyring, dataDir string) (*credentials, uint64, error) {
	orgID := domain.DeriveID(domain.PrefixOrganization, founding, "first organization")
	stream := account.Stream(orgID)
	_, err := s.accounts.Load(ctx, stream)
	if err == nil {
		return nil, 0, nil
	}
	if !errors.Is(err, eventstore.ErrStreamNotFound) {
		return nil, 0, err
	}
	c, err := firstCredentials(filepath.Join(dataDir, keysFile))
	if err != nil {
		return nil, 0, err
	}
	found, err := foundation(orgID, c, keys)
	if err != nil {
		return nil, 0, err
	}
	meta := domain.Meta{Actor: "bootstrap", OrganizationID: orgID, CorrelationID: orgID}
	result, err := s.accounts.Handle(ctx, domain.DeriveUUID(orgID, "found"), stream, found, meta)
	if err != nil {
		return nil, 0, fmt.Errorf("found the first organization: %w", err)
	}
	if len(result.Events) == 0 {
		// Another process of the installation was first; its keys are the
		// ones that exist.
		return nil, 0, os.Remove(filepath.Join(dataDir, keysFile))
	}
	return c, result.Position, nil
}

// foundation is the command that founds the organization with credentials.
func foundation(orgID string, c *credentials, keys *keyring.Keyring) (account.Found, error) {
	at := now()
	userID := domain.DeriveID(domain.PrefixUser, at.Time, orgID, "owner")
	email, err := keys.SealString(c.Email, "email "+userID)
	if err != nil {
		return account.Found{}, err
	}
	hash, err := hashPassword(c.Password)
	if err != nil {
		return account.Found{}, err
	}
	key := func(env domain.Environment, name, secret string) account.KeyCreated {
		return account.KeyCreated{
			KeyID:          domain.DeriveID(domain.PrefixKey, at.Time, orgID, string(env)),
			OrganizationID: orgID, Environment: env, Name: name,
			Hash: account.HashKey(secret), LastFour: secret[len(secret)-4:],
			Scopes: []string{account.ScopeAdmin}, CreatedBy: userID, At: at,
		}
	}
	return account.Found{
		Organization: account.OrganizationCreated{OrganizationID: orgID, Name: "My organization", Plan: account.Team, At: at},
		Owner:        account.UserAdded{UserID: userID, Email: email, PasswordHash: hash, Role: account.RoleOwner, At: at},
		Keys: []account.KeyCreated{
			key(domain.Live, "First live key", c.Live),
			key(domain.Sandbox, "First sandbox key", c.Test),
		},
	}, nil
}

// firstCredentials reads the file, or makes it. It is written before the
// organization is recorded: a crash between the two must not lose the keys.
func firstCredentials(path string) (*credentials, error) {
	raw, err := os.ReadFile(path)
	if err == nil {
		var c credentials
		if err := json.Unmarshal(raw, &c); err != nil || c.Live == "" || c.Test == "" {
			return nil, fmt.Errorf("%s is damaged; remove it to get new keys", path)
		}
		return &c, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entropy := make([]byte, 3*64)
	if _, err := rand.Read(entropy); err != nil {
		return nil, err
	}
	c := &credentials{
		Live:     account.NewKey(domain.Live, entropy[:64]),
		Test:     account.NewKey(domain.Sandbox, entropy[64:128]),
		Email:    "owner@understudy.local",
		Password: base64.RawURLEncoding.EncodeToString(entropy[128:146]),
	}
	if raw, err = json.MarshalIndent(c, "", "  "); err != nil {
		return nil, err
	}
	return c, writeDurably(path, append(raw, '\n'))
}

// writeDurably writes a file that only its owner may read, whole or not at all.
func writeDurably(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// The parameters of argon2id that RFC 9106 recommends second: 3 passes over
// 64 MiB in 4 lanes.
const (
	argonTime    = 3
	argonMemory  = 64 << 10 // KiB
	argonThreads = 4
	argonSalt    = 16
	argonKey     = 32
)

// hashPassword writes an argon2id hash in its usual text form.
func hashPassword(password string) (string, error) {
	salt := make([]byte, argonSalt)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}
