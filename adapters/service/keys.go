package service

import (
	"context"
	"time"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/apikey"
	"understudy/projections"
	"understudy/projections/keys"
)

// KeyDocument is an API key as it is shown.
type KeyDocument struct {
	CreatedAt   domain.Time        `json:"created_at"`
	CreatedBy   string             `json:"created_by"`
	Environment domain.Environment `json:"environment"`
	ExpiresAt   *domain.Time       `json:"expires_at"`
	ID          string             `json:"id"`
	// Key is the key itself, only when it was just made.
	Key        string       `json:"key,omitempty"`
	LastFour   string       `json:"last_four"`
	LastUsedAt *domain.Time `json:"last_used_at"`
	Name       string       `json:"name"`
	Scopes     []string     `json:"scopes"`
	Status     keys.Status  `json:"status"`
}

// NewKey is a key as it is asked for.
type NewKey struct {
	Name      string
	Scopes    []string
	ExpiresAt *domain.Time
}

// maySeeAll reports whether somebody sees the keys of everybody.
func maySeeAll(p Principal) bool {
	return p.Role.May(access.Team) && access.Allows(p.Scopes, access.Full)
}

// Key reads a key: one's own, or anybody's for those who lead the team.
func (s *Service) Key(ctx context.Context, p Principal, id string) (projections.Document[KeyDocument], error) {
	_, k, err := s.visibleKey(ctx, p, id)
	if err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	shown, err := s.shownKeys(ctx, []projections.Document[keys.Key]{k})
	if err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	return shown[0], nil
}

// APIKeys lists keys, newest first.
func (s *Service) APIKeys(ctx context.Context, p Principal, q Query) (Page[KeyDocument], error) {
	createdBy := p.UserID
	if maySeeAll(p) {
		createdBy = ""
	} else if createdBy == "" {
		return Page[KeyDocument]{}, nil
	}
	docs, more, err := keys.List(ctx, s.Pool, p.owner(), keys.Query{
		CreatedBy: createdBy, Status: keys.Status(q.Status), CreatedAfter: q.CreatedAfter, CreatedBefore: q.CreatedBefore,
		Now: time.Now(), After: q.After, Limit: q.Limit,
	})
	if err != nil {
		return Page[KeyDocument]{}, err
	}
	shown, err := s.shownKeys(ctx, docs)
	return byID(shown, more, err)
}

// visibleKey is a key of the principal's organization and environment; somebody
// else's is there only for those who lead the team.
func (s *Service) visibleKey(ctx context.Context, p Principal, id string) (keys.Key, projections.Document[keys.Key], error) {
	doc, err := keys.Get(ctx, s.Pool, id, p.owner())
	if err != nil {
		return keys.Key{}, doc, err
	}
	k, err := doc.Decode()
	if err == nil && !maySeeAll(p) && (k.CreatedBy != p.UserID || p.UserID == "") {
		err = projections.NotFound(id)
	}
	return k, doc, err
}

func (s *Service) shownKeys(ctx context.Context, docs []projections.Document[keys.Key]) ([]projections.Document[KeyDocument], error) {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	uses, err := s.Directory.lastUses(ctx, ids)
	if err != nil {
		return nil, err
	}
	shown := make([]projections.Document[KeyDocument], len(docs))
	for i, d := range docs {
		k, err := d.Decode()
		if err != nil {
			return nil, err
		}
		doc := KeyDocument{
			CreatedAt: k.CreatedAt, CreatedBy: k.CreatedBy, Environment: k.Environment, ExpiresAt: k.ExpiresAt, ID: k.ID,
			LastFour: k.LastFour, Name: k.Name, Scopes: k.Scopes, Status: k.StatusAt(time.Now()),
		}
		if at, used := uses[k.ID]; used {
			last := domain.At(at)
			doc.LastUsedAt = &last
		}
		revision := d.Revision
		if k.Inherited {
			revision = 0 // its own stream begins with it
		}
		if shown[i], err = projections.Made(d.ID, doc, revision); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// bounded refuses scopes that the principal does not have.
func bounded(p Principal, scopes []string) error {
	for _, scope := range scopes {
		if !access.Allows(p.Scopes, scope) {
			return domain.Invalid("scopes", "exceeds_role", "you do not have the scope %s and cannot give it to a key", scope)
		}
	}
	return nil
}

// CreateKey makes a key and answers with it, the only time. Trying again after the
// key was made, but its answer lost, is refused: nobody can tell the key any more.
func (s *Service) CreateKey(ctx context.Context, call Call, keyID string, in NewKey) (projections.Document[KeyDocument], error) {
	p := call.Principal
	if err := bounded(p, in.Scopes); err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	secret := s.NewKey(p.Environment)
	create := apikey.Create{Key: apikey.Created{
		KeyID: keyID, OrganizationID: p.OrganizationID, Environment: p.Environment, Name: in.Name,
		Hash: apikey.HashKey(secret), LastFour: lastFour(secret), Scopes: in.Scopes, CreatedBy: p.UserID, ExpiresAt: in.ExpiresAt, At: now(),
	}}
	return s.toKey(ctx, call, keyID, create, secret)
}

// ChangeKey changes what a key is called, may do and when it ends.
func (s *Service) ChangeKey(ctx context.Context, call Call, keyID string, change apikey.Change) (projections.Document[KeyDocument], error) {
	k, _, err := s.visibleKey(ctx, call.Principal, keyID)
	if err == nil {
		err = bounded(call.Principal, change.Scopes)
	}
	if err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	change.Seen, change.Now = call.Seen, now()
	return s.toKey(ctx, call, keyID, adopting(k, change), "")
}

// RotateKey gives a key a new secret and answers with it, the only time; the one
// before counts for overlap.
func (s *Service) RotateKey(ctx context.Context, call Call, keyID, rotationID string, overlap time.Duration) (projections.Document[KeyDocument], error) {
	k, _, err := s.visibleKey(ctx, call.Principal, keyID)
	if err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	role, err := keys.RoleOf(ctx, s.Pool, k.OrganizationID, k.CreatedBy)
	if err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	if !call.Principal.Role.Covers(role) { // who rotates a key holds it afterwards
		return projections.Document[KeyDocument]{}, domain.Refuse(domain.CodeForbidden, "this key is of somebody whose role permits more than yours; revoke it, or let its owner rotate it")
	}
	secret := s.NewKey(k.Environment)
	rotate := apikey.Rotate{RotationID: rotationID, Hash: apikey.HashKey(secret), LastFour: lastFour(secret), Overlap: overlap, Now: now()}
	return s.toKey(ctx, call, keyID, adopting(k, rotate), secret)
}

// RevokeKey ends a key, on this node at once, on the others within a second.
func (s *Service) RevokeKey(ctx context.Context, call Call, keyID string) error {
	k, _, err := s.visibleKey(ctx, call.Principal, keyID)
	if err != nil {
		return err
	}
	_, err = s.toKey(ctx, call, keyID, adopting(k, apikey.Revoke{Now: now()}), "")
	return err
}

// adopting is a command to a key, whose own stream begins with it if the
// organization's records it.
func adopting(k keys.Key, c apikey.Command) apikey.Command {
	if !k.Inherited {
		return c
	}
	return apikey.Adopt{Key: apikey.Adopted{
		KeyID: k.ID, OrganizationID: k.OrganizationID, Environment: k.Environment, Name: k.Name, Hash: k.Hash, LastFour: k.LastFour,
		Scopes: k.Scopes, CreatedBy: k.CreatedBy, At: k.CreatedAt,
	}, Then: c}
}

// toKey runs a command and answers with the key, with its secret unless that is "".
func (s *Service) toKey(ctx context.Context, call Call, keyID string, command apikey.Command, secret string) (projections.Document[KeyDocument], error) {
	var none projections.Document[KeyDocument]
	if err := s.Ready.Accepts(keys.Projection.Name); err != nil {
		return none, err
	}
	result, err := s.Streams.APIKeys.Handle(ctx, call.CommandID, apikey.Stream(keyID), command, call.Meta)
	if err != nil {
		return none, err
	}
	if secret != "" && result.State.Key.Hash != apikey.HashKey(secret) {
		return none, domain.Refuse(domain.CodeConflict, "an earlier try has made %s, but its answer is lost; rotate that key to get one", keyID)
	}
	if err := s.known(ctx, result.Position); err != nil {
		return none, err
	}
	doc, err := keys.Get(ctx, s.Pool, keyID, call.Principal.owner())
	if err != nil {
		return none, err
	}
	shown, err := s.shownKeys(ctx, []projections.Document[keys.Key]{doc})
	if err != nil || secret == "" {
		if err != nil {
			return none, err
		}
		return shown[0], nil
	}
	made, err := shown[0].Decode()
	if err != nil {
		return none, err
	}
	made.Key = secret
	return projections.Made(keyID, made, shown[0].Revision)
}

// known waits until whoever calls next is judged by an event.
func (s *Service) known(ctx context.Context, position uint64) error {
	if err := s.Positions.WaitOwnWrite(ctx, keys.Projection.Name, position); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, projections.WaitTimeout)
	defer cancel()
	return s.Directory.wait(waiting, position)
}

func lastFour(secret string) string { return secret[len(secret)-4:] }

// Knows reports whether a token is a credential in force, as far as this node remembers:
// asking the database about one that is not may be for nothing.
func (s *Service) Knows(token string) bool {
	if isAccessToken(token) {
		k, _, _ := s.Tokens.find(hashToken(token))
		return s.Tokens.inForce(k, time.Now()) && s.Directory.member(k.OrganizationID, k.UserID)
	}
	return s.Directory.Knows(token)
}

// Authenticate finds out whose bearer credential a token is.
func (s *Service) Authenticate(ctx context.Context, token string) (Principal, error) {
	if isAccessToken(token) {
		return s.authenticateToken(ctx, token)
	}
	return s.Directory.Authenticate(ctx, token)
}
