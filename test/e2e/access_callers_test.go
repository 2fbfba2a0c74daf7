package e2e

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/keyring"
	"understudy/domain"
	"understudy/domain/access"
	organization "understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/test/harness"
)

// What a caller may come with.
const byKey, byToken = "key", "access token"

// caller is a credential of somebody with a role.
type caller struct {
	client
	kind         string
	organization string
	environment  domain.Environment
	role         access.Role
	scope        string
}

func (c caller) String() string {
	return fmt.Sprintf("%s of %s/%s, %s with %s", c.kind, c.organization, c.environment, c.role, c.scope)
}

// decision is what access.Operations says of the caller.
func (c caller) decision(needs access.Operation) access.Refusal {
	return needs.Decide(access.Within([]string{c.scope}, c.role), c.role, false)
}

// ownerOf is the owner of an organization with all scopes in production.
func ownerOf(callers []caller, organizationID, kind string) (c client) {
	for _, who := range callers {
		if who.organization == organizationID && who.kind == kind && who.environment == domain.Live && who.role == access.Owner && who.scope == access.Full {
			c = who.client
		}
	}
	return c
}

// people records an organization's people of every role, and a key and an access token
// of each of them for every scope and environment.
func (s *service) people(t *testing.T, organizationID string, exists bool) (out []caller) {
	t.Helper()
	types := []string{"account.organization_created.v1", "account.user_added.v1", "apikey.created.v1", "oauthclient.registered.v1", "grant.issued.v1", "grant.redeemed.v1"}
	log, at := openLog(t, s.socket(), types...), domain.At(time.Now())
	tell := func(stream string, e domain.Event) {
		t.Helper()
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		record(t, log, stream, uuid.New(), e.EventType(), string(data), domain.Meta{OrganizationID: organizationID})
	}
	if !exists {
		tell(organization.Stream(organizationID), organization.OrganizationCreated{OrganizationID: organizationID, Name: "B", Plan: organization.Team, At: at})
	}
	keys, err := keyring.Open(filepath.Join(s.Data(), "keyring.json"))
	if err != nil {
		t.Fatal(err)
	}
	subjects := keyring.NewSubjects(keyring.Folder(filepath.Join(s.Data(), "subjects")), keys)
	app := newID(domain.PrefixClient)
	for i, role := range access.Roles {
		userID := newID(domain.PrefixUser)
		if err := subjects.Create(t.Context(), userID); err != nil {
			t.Fatal(err)
		}
		tell(organization.Stream(organizationID), organization.UserAdded{UserID: userID, Role: string(role), At: at})
		if i == 0 {
			tell(oauthclient.Stream(app), oauthclient.Registered{ClientID: app, OrganizationID: organizationID, Name: "App", RedirectURIs: []string{"https://app.example/"}, CreatedBy: userID, At: at})
		}
		for _, env := range []domain.Environment{domain.Live, domain.Sandbox} {
			for _, scope := range access.Scopes {
				with := func(kind, credential string) {
					out = append(out, caller{client{harness.Client{Addr: s.Addr, Key: credential}}, kind, organizationID, env, role, scope})
				}
				id, entropy := newID(domain.PrefixKey), make([]byte, 64)
				_, _ = rand.Read(entropy)
				key := apikey.NewKey(env, entropy)
				tell(apikey.Stream(id), apikey.Created{
					KeyID: id, OrganizationID: organizationID, Environment: env, Name: string(role), Hash: apikey.HashKey(key), LastFour: key[len(key)-4:],
					Scopes: []string{scope}, CreatedBy: userID, At: at,
				})
				with(byKey, key)

				id = newID(domain.PrefixGrant)
				token := "at_" + strings.TrimPrefix(id, domain.PrefixGrant+"_") + "_" + rand.Text()
				hash := sha256.Sum256([]byte(token))
				hour := domain.At(at.Add(time.Hour))
				tell(grant.Stream(id), grant.Issued{
					GrantID: id, OrganizationID: organizationID, Environment: env, UserID: userID, ClientID: app, Scopes: []string{scope},
					RedirectURI: "https://app.example/", CodeHash: id, CodeExpiresAt: hour, EndsAt: hour, At: at,
				})
				tell(grant.Stream(id), grant.Redeemed{Tokens: grant.Tokens{
					AccessHash: hex.EncodeToString(hash[:]), AccessExpiresAt: hour, RefreshHash: id, Scopes: []string{scope},
				}, At: at})
				with(byToken, token)
			}
		}
	}
	return out
}

func newID(prefix string) string { return domain.FormatID(prefix, uuid.Must(uuid.NewV7())) }
