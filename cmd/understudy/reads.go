package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/blob"
	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/delivery"
	"understudy/domain/persona"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/deliveries"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/timeline"
	"understudy/projections/webhooks"
)

// reads answers every GET from the read models.
type reads struct {
	pool      *pgxpool.Pool
	positions *projections.Positions
	blobs     *blob.Store
	keys      *keyCache
}

// collection is a kind of documents behind httpapi's ports.
type collection struct {
	get  func(ctx context.Context, id string, o projections.Owner) (projections.Document, error)
	list func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) (docs []projections.Document, next string, err error)
}

// Get reads one document.
func (c collection) Get(ctx context.Context, p httpapi.Principal, id string) (httpapi.Document, error) {
	d, err := c.get(ctx, id, ownerOf(p))
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// List reads a page.
func (c collection) List(ctx context.Context, p httpapi.Principal, q httpapi.ListQuery) (httpapi.ListedPage, error) {
	docs, next, err := c.list(ctx, ownerOf(p), q)
	if err != nil {
		return httpapi.ListedPage{}, err
	}
	page := httpapi.ListedPage{Items: make([]json.RawMessage, len(docs)), Next: next}
	for i, d := range docs {
		page.Items[i] = d.JSON
	}
	return page, nil
}

// nextID is the key of the page after docs, for lists in the order of ids.
func nextID(docs []projections.Document, more bool) string {
	if !more || len(docs) == 0 {
		return ""
	}
	return docs[len(docs)-1].ID
}

func (r reads) tests() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return tests.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			docs, more, err := tests.List(ctx, r.pool, o, tests.Query{
				Status: q.Status, CreatedAfter: q.CreatedAfter, CreatedBefore: q.CreatedBefore, After: q.After, Limit: q.Limit,
			})
			return docs, nextID(docs, more), err
		},
	}
}

func (r reads) sessions() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return sessions.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			if _, err := tests.Get(ctx, r.pool, q.TestID, o); err != nil {
				return nil, "", err
			}
			docs, last, more, err := sessions.List(ctx, r.pool, q.TestID, q.Status, indexAfter(q.After), q.Limit)
			return docs, nextIndex(last, more), err
		},
	}
}

// indexAfter and nextIndex are the keys of lists in the order of an index.
func indexAfter(key string) int {
	if n, err := strconv.Atoi(key); err == nil {
		return n
	}
	return -1
}

func nextIndex(last int, more bool) string {
	if !more {
		return ""
	}
	return itoa(last)
}

func itoa(n int) string { return strconv.Itoa(n) }

func (r reads) traces() collection {
	return traceOf(func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
		return sessions.Trace(ctx, r.pool, id, o)
	})
}

// traceOf answers with the steps of a session.
func traceOf(steps func(ctx context.Context, id string, o projections.Owner) (projections.Document, error)) collection {
	return collection{get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
		d, err := steps(ctx, id, o)
		if err != nil {
			return d, err
		}
		d.JSON, err = traceJSON(id, d.JSON)
		return d, err
	}}
}

func traceJSON(sessionID string, steps json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(struct {
		SessionID string          `json:"session_id"`
		Steps     json.RawMessage `json:"steps"`
	}{sessionID, steps})
}

// evidenceOf reads the screenshots and the recording of a session, and its
// revision.
type evidenceOf func(ctx context.Context, id string, o projections.Owner) (sessions.Evidence, uint64, error)

func (r reads) evidence(ctx context.Context, id string, o projections.Owner) (sessions.Evidence, uint64, error) {
	return sessions.GetEvidence(ctx, r.pool, id, o)
}

func (r reads) recordings() collection { return recordingsOf(r.evidence) }

func recordingsOf(evidence evidenceOf) collection {
	return collection{get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
		e, revision, err := evidence(ctx, id, o)
		if err != nil {
			return projections.Document{}, err
		}
		if e.Recording == nil {
			return projections.Document{}, domain.Refuse(domain.CodeNotFound, "session %s has no recording, or none yet", id)
		}
		doc, err := json.Marshal(map[string]any{
			"session_id": id, "artifact_id": e.Recording.ID, "format": e.Recording.Format,
			"duration_seconds": e.Recording.DurationSeconds, "bytes": e.Recording.Bytes,
		})
		return projections.Document{ID: id, JSON: doc, Revision: revision}, err
	}}
}

func (r reads) screenshots() collection { return screenshotsOf(r.evidence) }

func screenshotsOf(evidence evidenceOf) collection {
	return collection{list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
		e, _, err := evidence(ctx, q.SessionID, o)
		if err != nil {
			return nil, "", err
		}
		from := min(indexAfter(q.After)+1, len(e.Screenshots))
		to := min(from+q.Limit, len(e.Screenshots))
		var docs []projections.Document
		for _, s := range e.Screenshots[from:to] {
			doc, err := json.Marshal(s)
			if err != nil {
				return nil, "", err
			}
			docs = append(docs, projections.Document{ID: s.ID, JSON: doc})
		}
		return docs, nextIndex(to-1, to < len(e.Screenshots)), nil
	}}
}

func (r reads) reports() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return reports.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			docs, more, err := reports.List(ctx, r.pool, o, q.TestID, q.After, q.Limit)
			return docs, nextID(docs, more), err
		},
	}
}

func (r reads) webhooks() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return webhooks.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			docs, more, err := webhooks.List(ctx, r.pool, o, q.After, q.Limit)
			return docs, nextID(docs, more), err
		},
	}
}

func (r reads) personas() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return personas.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			docs, more, err := personas.List(ctx, r.pool, o, q.After, q.Limit)
			return docs, nextID(docs, more), err
		},
	}
}

func (r reads) deliveries() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return deliveries.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			// Those of a deleted endpoint can still be seen.
			if err := webhooks.Known(ctx, r.pool, q.WebhookID, o); err != nil {
				return nil, "", err
			}
			docs, more, err := deliveries.List(ctx, r.pool, o, deliveries.Query{
				WebhookID: q.WebhookID, Status: q.Status, Event: q.Event, TestID: q.TestID,
				CreatedAfter: q.CreatedAfter, CreatedBefore: q.CreatedBefore, After: q.After, Limit: q.Limit,
			})
			return docs, nextID(docs, more), err
		},
	}
}

// Open opens an artifact.
func (r reads) Open(ctx context.Context, id string) (httpapi.Artifact, error) {
	a, err := sessions.GetArtifact(ctx, r.pool, id)
	if err != nil {
		return httpapi.Artifact{}, err
	}
	content, _, _, err := r.blobs.Get(ctx, a.SHA256)
	return httpapi.Artifact{
		ContentType: a.ContentType, SHA256: a.SHA256,
		OrganizationID: a.OrganizationID, Environment: a.Environment, Content: content,
	}, err
}

// Packs lists the persona packs.
func (r reads) Packs(context.Context) ([]json.RawMessage, error) {
	var out []json.RawMessage
	for _, p := range persona.Packs() {
		doc, err := packJSON(p)
		if err != nil {
			return nil, err
		}
		out = append(out, doc)
	}
	return out, nil
}

// packJSON shows a persona's facets beside its name, as everywhere.
func packJSON(p persona.Pack) (json.RawMessage, error) {
	people := make([]map[string]any, len(p.Personas))
	for i, who := range p.Personas {
		facets, err := json.Marshal(who.Facets)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(facets, &people[i]); err != nil {
			return nil, err
		}
		people[i]["id"], people[i]["name"], people[i]["summary"] = who.ID, who.Name, who.Summary
	}
	return json.Marshal(map[string]any{
		"id": p.ID, "slug": p.Slug, "name": p.Name, "description": p.Description, "personas": people,
	})
}

// Authenticate finds the key that a bearer token is.
func (r reads) Authenticate(ctx context.Context, token string) (httpapi.Principal, error) {
	if _, ok := account.KeyEnvironment(token); !ok {
		return httpapi.Principal{}, httpapi.ErrUnauthenticated
	}
	k, err := r.key(ctx, account.HashKey(token))
	if domain.CodeOf(err) == domain.CodeNotFound {
		return httpapi.Principal{}, httpapi.ErrUnauthenticated
	}
	return httpapi.Principal{
		KeyID: k.ID, OrganizationID: k.OrganizationID, Environment: k.Environment,
		Scopes: k.Scopes, Actor: k.ID, RateLimit: account.RequestsPerMinute[k.Plan],
	}, err
}

// key finds a key by its hash, in memory if nothing has happened to accounts
// since. A process without projectors would have to ask the database whether
// something has, and asks for the key instead.
func (r reads) key(ctx context.Context, hash string) (accounts.Key, error) {
	if r.positions.Read != nil {
		return accounts.FindKey(ctx, r.pool, hash)
	}
	at := r.positions.At(ctx, accounts.Projection.Name)
	if k, ok := r.keys.get(hash, at); ok {
		return k, nil
	}
	k, err := accounts.FindKey(ctx, r.pool, hash)
	if err == nil {
		r.keys.put(hash, k, at)
	}
	return k, err
}

// feed is the timeline as the stream hub sees it.
type feed struct{ reads }

// After reads messages of a test.
func (f feed) After(ctx context.Context, testID string, position int64, limit int) ([]timeline.Stored, error) {
	return f.readable(ctx)(timeline.After(ctx, f.pool, testID, position, limit))
}

// Last is the position of the newest message.
func (f feed) Last(ctx context.Context) (int64, error) { return timeline.Last(ctx, f.pool) }

// Between reads messages of the tests, or of all.
func (f feed) Between(ctx context.Context, after, upTo int64, tests []string, limit int) ([]timeline.Stored, error) {
	return f.readable(ctx)(timeline.Between(ctx, f.pool, after, upTo, tests, limit))
}

// readable passes messages on once every other answer about their tests has
// come as far: whoever is told that a session has ended also reads it so.
func (f feed) readable(ctx context.Context) func([]timeline.Stored, error) ([]timeline.Stored, error) {
	return func(messages []timeline.Stored, err error) ([]timeline.Stored, error) {
		if err != nil || len(messages) == 0 {
			return nil, err
		}
		if err := f.positions.WaitOwnWrite(ctx, sessions.Projection.Name, messages[len(messages)-1].Position); err != nil {
			return nil, err
		}
		// The tests' read model follows the tests' own streams: it may never come
		// to the position of a session's event.
		for i := len(messages) - 1; i >= 0; i-- {
			if !strings.HasPrefix(messages[i].Type, "session.") {
				return messages, f.positions.WaitOwnWrite(ctx, tests.Projection.Name, messages[i].Position)
			}
		}
		return messages, nil
	}
}

// Ended are the tests for which nothing more will come.
func (f feed) Ended(ctx context.Context, tests []string, position uint64) ([]string, error) {
	return timeline.Ended(ctx, f.pool, tests, position)
}

// Changed is closed when there may be new messages.
func (f feed) Changed() <-chan struct{} { return f.positions.Changed(timeline.Projection.Name) }

// endpoints is the webhooks read model as fan-out sees it.
type endpoints struct{ reads }

// Subscribed reads the endpoints as of a position, once they and the answers
// about the test have come as far: whoever is told of an event also reads it.
func (e endpoints) Subscribed(ctx context.Context, o projections.Owner, event string, position uint64) ([]webhooks.Endpoint, error) {
	for _, name := range []string{webhooks.Projection.Name, tests.Projection.Name, sessions.Projection.Name} {
		if err := e.positions.WaitOwnWrite(ctx, name, position); err != nil {
			return nil, err
		}
	}
	return webhooks.Subscribed(ctx, e.pool, o, event, position)
}

// replays is the deliveries read model as the reactor of replays sees it.
type replays struct {
	reads

	streams *streams
}

// Page reads what a replay makes again, once the read model has come to its
// position.
func (r replays) Page(ctx context.Context, which deliveries.Replay, after string, limit int) ([]string, error) {
	if err := r.positions.WaitOwnWrite(ctx, deliveries.Projection.Name, which.Position); err != nil {
		return nil, err
	}
	return deliveries.ReplayPage(ctx, r.pool, which, after, limit)
}

// Scheduled reads what a delivery sends, byte for byte.
func (r replays) Scheduled(ctx context.Context, deliveryID string) (delivery.Scheduled, error) {
	loaded, err := r.streams.deliveries.Load(ctx, delivery.Stream(deliveryID))
	return loaded.State.Delivery, err
}
