package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"understudy/domain"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/clients"
	"understudy/projections/grants"
)

// ClientType says whether a client can keep a secret.
type ClientType string

// The types of OAuth 2.0.
const (
	ConfidentialClient ClientType = "confidential"
	PublicClient       ClientType = "public"
)

// ClientDocument is an OAuth client as it is shown.
type ClientDocument struct {
	// ClientSecret is the secret itself, only when it was just made.
	ClientSecret string             `json:"client_secret,omitempty"`
	CreatedAt    domain.Time        `json:"created_at"`
	CreatedBy    string             `json:"created_by"`
	ID           string             `json:"id"`
	Name         string             `json:"name"`
	RedirectURIs []string           `json:"redirect_uris"`
	Secret       *ClientSecretState `json:"secret"`
	Type         ClientType         `json:"type"`
}

// ClientSecretState is what is shown of a secret later on. PreviousUntil is when the one
// before counts no longer, nil where none has been replaced.
type ClientSecretState struct {
	LastFour      string       `json:"last_four"`
	PreviousUntil *domain.Time `json:"previous_until"`
}

// NewClient is an OAuth client as it is asked for.
type NewClient struct {
	Name         string
	RedirectURIs []string
	Type         ClientType
}

// secretPrefix begins the secrets of clients, so that whoever finds one knows what
// it is.
const secretPrefix = "ocs_"

// newToken makes 260 bits that nobody can guess.
func newToken() string { return rand.Text() + rand.Text() }

// hashToken is what is recorded of a secret.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Client reads an OAuth client of the principal's organization.
func (r Reads) Client(ctx context.Context, p Principal, id string) (projections.Document[ClientDocument], error) {
	doc, err := clients.Get(ctx, r.Pool, id, p.OrganizationID)
	if err != nil {
		return projections.Document[ClientDocument]{}, err
	}
	return shownClient(doc, "")
}

// Clients lists the OAuth clients of the principal's organization, newest first.
func (r Reads) Clients(ctx context.Context, p Principal, q Query) (Page[ClientDocument], error) {
	docs, more, err := clients.List(ctx, r.Pool, p.OrganizationID, q.After, q.Limit)
	if err != nil {
		return Page[ClientDocument]{}, err
	}
	shown := make([]projections.Document[ClientDocument], len(docs))
	for i, d := range docs {
		if shown[i], err = shownClient(d, ""); err != nil {
			return Page[ClientDocument]{}, err
		}
	}
	return byID(shown, more, nil)
}

func shownClient(d projections.Document[clients.Client], secret string) (projections.Document[ClientDocument], error) {
	c, err := d.Decode()
	if err != nil {
		return projections.Document[ClientDocument]{}, err
	}
	doc := ClientDocument{
		ClientSecret: secret, CreatedAt: c.CreatedAt, CreatedBy: c.CreatedBy, ID: c.ID, Name: c.Name, RedirectURIs: c.RedirectURIs, Type: PublicClient,
	}
	if c.Confidential {
		doc.Type, doc.Secret = ConfidentialClient, &ClientSecretState{LastFour: c.SecretLastFour, PreviousUntil: c.PreviousUntil}
	}
	return projections.Made(c.ID, doc, d.Revision)
}

// RegisterClient makes an OAuth client and answers with its secret, if it has one,
// the only time. Trying again after it was made, but the answer lost, is refused:
// nobody can tell the secret any more.
func (s *Service) RegisterClient(ctx context.Context, call Call, clientID string, in NewClient) (projections.Document[ClientDocument], error) {
	p := call.Principal
	registered := oauthclient.Registered{
		ClientID: clientID, OrganizationID: p.OrganizationID, Name: in.Name, RedirectURIs: in.RedirectURIs, CreatedBy: p.UserID, At: now(),
	}
	secret := ""
	if in.Type == ConfidentialClient {
		secret = secretPrefix + newToken()
		registered.SecretHash, registered.SecretLastFour = hashToken(secret), secret[len(secret)-4:]
	}
	return s.toClient(ctx, call, clientID, oauthclient.Register{Client: registered}, secret)
}

// ChangeClient names a client anew or says anew where it may be answered; nil leaves
// a thing as it is.
func (s *Service) ChangeClient(ctx context.Context, call Call, clientID string, name *string, redirectURIs []string) (projections.Document[ClientDocument], error) {
	if _, err := s.Client(ctx, call.Principal, clientID); err != nil {
		return projections.Document[ClientDocument]{}, err
	}
	return s.toClient(ctx, call, clientID, oauthclient.Change{Name: name, RedirectURIs: redirectURIs, Now: now()}, "")
}

// RotateClientSecret gives a confidential client a new secret and answers with it,
// the only time; the one before counts for overlap.
func (s *Service) RotateClientSecret(ctx context.Context, call Call, clientID string, overlap time.Duration) (projections.Document[ClientDocument], error) {
	if _, err := s.Client(ctx, call.Principal, clientID); err != nil {
		return projections.Document[ClientDocument]{}, err
	}
	secret := secretPrefix + newToken()
	rotate := oauthclient.RotateSecret{SecretHash: hashToken(secret), SecretLastFour: secret[len(secret)-4:], Overlap: overlap, Now: now()}
	return s.toClient(ctx, call, clientID, rotate, secret)
}

// toClient runs a command on a client and answers with it, and with the secret that
// the command gave it.
func (s *Service) toClient(ctx context.Context, call Call, clientID string, command oauthclient.Command, secret string) (projections.Document[ClientDocument], error) {
	return handle(ctx, s, s.Streams.Clients, call.about(clientID), oauthclient.Stream(clientID), command, []string{clients.Projection.Name, grants.Projection.Name},
		func(state oauthclient.State) (projections.Document[ClientDocument], error) {
			if secret != "" && state.Client.SecretHash != hashToken(secret) {
				return projections.Document[ClientDocument]{}, domain.Refuse(domain.CodeConflict, "the secret of %s was made before and is shown only once; rotate it to get another", clientID)
			}
			doc, err := clients.Get(ctx, s.Pool, clientID, call.Principal.OrganizationID)
			if err != nil {
				return projections.Document[ClientDocument]{}, err
			}
			return shownClient(doc, secret)
		})
}

// DeleteClient ends a client and all that people have granted it.
func (s *Service) DeleteClient(ctx context.Context, call Call, clientID string) error {
	if _, err := s.Client(ctx, call.Principal, clientID); err != nil {
		return err
	}
	// The grants first: until the client has gone, the request can be tried again.
	granted, err := grants.OfClient(ctx, s.Pool, clientID)
	if err != nil {
		return err
	}
	for _, id := range granted {
		revoke := grant.Revoke{Reason: ClientDeleted, Now: now()}
		if _, err := s.Streams.Grants.Handle(ctx, domain.DeriveUUID("client deleted", id), grant.Stream(id), revoke, call.about(clientID).Meta); err != nil {
			return err
		}
	}
	// Tokens are looked up in the grants' read model, which follows clients too.
	_, err = handle(ctx, s, s.Streams.Clients, call.about(clientID), oauthclient.Stream(clientID), oauthclient.Command(oauthclient.Delete{Now: now()}),
		[]string{grants.Projection.Name, clients.Projection.Name}, func(oauthclient.State) (struct{}, error) {
			s.Tokens.end(clientID)
			return struct{}{}, nil
		})
	return err
}

// OAuthClient is a client as it is now, whosever it is. A deleted one is not found.
func (s *Service) OAuthClient(ctx context.Context, clientID string) (oauthclient.State, error) {
	if !domain.ValidID(domain.PrefixClient, clientID) {
		return oauthclient.State{}, projections.NotFound("client")
	}
	if clientID == oauthclient.CommandLine.ClientID {
		return oauthclient.State{Client: oauthclient.CommandLine}, nil
	}
	result, err := s.Streams.Clients.Load(ctx, oauthclient.Stream(clientID))
	if errors.Is(err, eventstore.ErrStreamNotFound) || err == nil && !result.State.Exists() {
		return oauthclient.State{}, projections.NotFound("client")
	}
	return result.State, err
}

// AuthenticateClient is the client with this id and secret, "" for a public one;
// domain.CodeForbidden when it is another's or none.
func (s *Service) AuthenticateClient(ctx context.Context, clientID, secret string) (oauthclient.State, error) {
	client, err := s.OAuthClient(ctx, clientID)
	switch {
	case domain.CodeOf(err) == domain.CodeNotFound:
	case err != nil:
		return oauthclient.State{}, err
	case client.Public() && secret == "", client.Authenticates(hashToken(secret), now()):
		return client, nil
	}
	return oauthclient.State{}, domain.Refuse(domain.CodeForbidden, "client authentication failed")
}
