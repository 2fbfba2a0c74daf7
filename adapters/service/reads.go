package service

import (
	"context"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// Reads answers from the read models. What is not the principal's is refused
// with domain.CodeNotFound.
type Reads struct {
	Pool      *pgxpool.Pool
	Positions *projections.Positions
	Blobs     Blobs
}

// Blobs holds files by the hash of their content.
type Blobs interface {
	Get(ctx context.Context, sha256 string) (r io.ReadSeekCloser, size int64, contentType string, err error)
	// Remove takes away what nobody has put for so long.
	Remove(ctx context.Context, sha256 string, untouched time.Duration) error
}

// NewReads answers from the read models of a database.
func NewReads(pool *pgxpool.Pool, positions *projections.Positions, blobs Blobs) Reads {
	return Reads{Pool: pool, Positions: positions, Blobs: blobs}
}

// Query selects a page. Zero fields do not filter; a list ignores those that it
// does not have.
type Query struct {
	// Limit is the most items wanted, 1–100.
	Limit int
	// After is the Next of the page before, "" for the first page.
	After string

	Status        string
	Name          string
	Outcome       string
	Viewport      string
	Persona       string // a part of a name
	URL           string
	Task          string
	TestID        string
	SessionID     string
	WebhookID     string
	Event         string
	Actor         string
	Type          string
	Subject       string
	Text          string
	CreatedAfter  time.Time
	CreatedBefore time.Time
	// Ascending turns a list by index round: the first comes first.
	Ascending bool
}

func (q Query) created() projections.Created {
	return projections.Created{After: q.CreatedAfter, Before: q.CreatedBefore}
}

// Page is one page of a list.
type Page[T any] struct {
	Items []projections.Document[T]
	// Next is the key to go on after, "" on the last page.
	Next string
}

// byID is a page of a list in the order of ids.
func byID[T any](docs []projections.Document[T], more bool, err error) (Page[T], error) {
	p := Page[T]{Items: docs}
	if more && len(docs) > 0 {
		p.Next = docs[len(docs)-1].ID
	}
	return p, err
}

// byIndex are the conditions on a list of sessions.
func (q Query) byIndex() sessions.Query {
	by := sessions.Query{Status: q.Status, Outcome: q.Outcome, Viewport: q.Viewport, Persona: q.Persona, Ascending: q.Ascending, Limit: q.Limit}
	if n, err := strconv.Atoi(q.After); err == nil {
		by.After = &n
	}
	return by
}

// Window is a page of items that stand in the order of their indexes, and the key to
// go on after, "" on the last page.
func Window[T any](items []T, index func(T) int, q Query) (page []T, next string) {
	page = slices.Clone(items)
	if !q.Ascending {
		slices.Reverse(page)
	}
	if after := q.byIndex().After; after != nil {
		page = slices.DeleteFunc(page, func(item T) bool {
			return q.Ascending && index(item) <= *after || !q.Ascending && index(item) >= *after
		})
	}
	if len(page) > q.Limit {
		page = page[:q.Limit]
		next = strconv.Itoa(index(page[q.Limit-1]))
	}
	return page, next
}

// Test reads a test.
func (r Reads) Test(ctx context.Context, p Principal, id string) (projections.Document[tests.Document], error) {
	return tests.Get(ctx, r.Pool, id, p.owner())
}

// Tests lists tests, newest first.
func (r Reads) Tests(ctx context.Context, p Principal, q Query) (Page[tests.Document], error) {
	return byID(tests.List(ctx, r.Pool, p.owner(), tests.Query{
		Status: q.Status, Name: q.Name, URL: q.URL, Task: q.Task, Text: q.Text, CreatedAfter: q.CreatedAfter, CreatedBefore: q.CreatedBefore, After: q.After, Limit: q.Limit,
	}))
}

// TestScores are the scores of the last completed tests of addresses and tasks, which
// belong together by their places in the lists, newest first.
func (r Reads) TestScores(ctx context.Context, p Principal, urls, tasks []string) ([]tests.Score, error) {
	return tests.Scores(ctx, r.Pool, p.owner(), urls, tasks)
}

// OpenTests counts what has not ended.
func (r Reads) OpenTests(ctx context.Context, p Principal) (tests.Open, error) {
	return tests.CountOpen(ctx, r.Pool, p.owner(), []string{})
}

// Session reads a session without its trace.
func (r Reads) Session(ctx context.Context, p Principal, id string) (projections.Document[sessions.Document], error) {
	return sessions.Get(ctx, r.Pool, id, p.owner())
}

// Sessions lists the sessions of a test, the last first.
func (r Reads) Sessions(ctx context.Context, p Principal, q Query) (Page[sessions.Document], error) {
	if _, err := r.Test(ctx, p, q.TestID); err != nil {
		return Page[sessions.Document]{}, err
	}
	docs, last, more, err := sessions.List(ctx, r.Pool, q.TestID, q.byIndex())
	page := Page[sessions.Document]{Items: docs}
	if more {
		page.Next = strconv.Itoa(last)
	}
	return page, err
}

// Trace reads the steps of a session.
func (r Reads) Trace(ctx context.Context, p Principal, sessionID string) (projections.Document[sessions.Trace], error) {
	return sessions.GetTrace(ctx, r.Pool, sessionID, p.owner())
}

// Recording reads what there is to know of a session's recording.
func (r Reads) Recording(ctx context.Context, p Principal, sessionID string) (projections.Document[sessions.Recording], error) {
	e, revision, err := sessions.GetEvidence(ctx, r.Pool, sessionID, p.owner())
	if err != nil {
		return projections.Document[sessions.Recording]{}, err
	}
	return RecordingOf(sessionID, e, revision)
}

// Findings reads what was noticed in a walk, nil before it has completed.
func (r Reads) Findings(ctx context.Context, p Principal, sessionID string) (*session.Findings, error) {
	return sessions.GetFindings(ctx, r.Pool, sessionID, p.owner())
}

// RecordingOf is the recording of a session with this evidence.
func RecordingOf(sessionID string, e sessions.Evidence, revision uint64) (projections.Document[sessions.Recording], error) {
	shown, ok := e.Shown(sessionID)
	if !ok {
		return projections.Document[sessions.Recording]{}, domain.Refuse(domain.CodeNotFound, "session %s has no recording, or none yet", sessionID)
	}
	return projections.Made(sessionID, shown, revision)
}

// Screenshots lists the screenshots of a session, the last first.
func (r Reads) Screenshots(ctx context.Context, p Principal, q Query) (Page[sessions.Screenshot], error) {
	e, _, err := sessions.GetEvidence(ctx, r.Pool, q.SessionID, p.owner())
	if err != nil {
		return Page[sessions.Screenshot]{}, err
	}
	return ScreenshotsOf(e, q)
}

// ScreenshotsOf lists the screenshots of a session with this evidence.
func ScreenshotsOf(e sessions.Evidence, q Query) (page Page[sessions.Screenshot], err error) {
	shown, next := Window(e.Screenshots, func(s sessions.Screenshot) int { return s.Step }, q)
	page.Next = next
	for _, s := range shown {
		doc, err := projections.Made(s.ID, s, 0)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, doc)
	}
	return page, nil
}

// Report reads a report.
func (r Reads) Report(ctx context.Context, p Principal, id string) (projections.Document[reports.Document], error) {
	return reports.Get(ctx, r.Pool, id, p.owner())
}

// Reports lists reports, newest first.
func (r Reads) Reports(ctx context.Context, p Principal, q Query) (Page[reports.Document], error) {
	return byID(reports.List(ctx, r.Pool, p.owner(), q.TestID, q.created(), q.After, q.Limit))
}

// Comparison reads a comparison.
func (r Reads) Comparison(ctx context.Context, p Principal, id string) (projections.Document[comparisons.Document], error) {
	return comparisons.Get(ctx, r.Pool, id, p.owner())
}

// Comparisons lists comparisons, newest first.
func (r Reads) Comparisons(ctx context.Context, p Principal, q Query) (Page[comparisons.Document], error) {
	return byID(comparisons.List(ctx, r.Pool, p.owner(), q.Status, q.TestID, q.created(), q.After, q.Limit))
}

// Webhook reads an endpoint that is not deleted.
func (r Reads) Webhook(ctx context.Context, p Principal, id string) (projections.Document[webhooks.Document], error) {
	return webhooks.Get(ctx, r.Pool, id, p.owner())
}

// Webhooks lists endpoints, newest first.
func (r Reads) Webhooks(ctx context.Context, p Principal, q Query) (Page[webhooks.Document], error) {
	return byID(webhooks.List(ctx, r.Pool, p.owner(), q.created(), q.After, q.Limit))
}

// Delivery reads a delivery with its attempts.
func (r Reads) Delivery(ctx context.Context, p Principal, id string) (projections.Document[deliveries.Document], error) {
	return deliveries.Get(ctx, r.Pool, id, p.owner())
}

// Deliveries lists an endpoint's deliveries, those of a deleted one too.
func (r Reads) Deliveries(ctx context.Context, p Principal, q Query) (Page[deliveries.Document], error) {
	if err := webhooks.Known(ctx, r.Pool, q.WebhookID, p.owner()); err != nil {
		return Page[deliveries.Document]{}, err
	}
	return byID(deliveries.List(ctx, r.Pool, p.owner(), deliveries.Query{
		WebhookID: q.WebhookID, Status: q.Status, Event: q.Event, TestID: q.TestID,
		CreatedAfter: q.CreatedAfter, CreatedBefore: q.CreatedBefore, After: q.After, Limit: q.Limit,
	}))
}

// Persona reads a custom persona.
func (r Reads) Persona(ctx context.Context, p Principal, id string) (projections.Document[personas.Document], error) {
	return personas.Get(ctx, r.Pool, id, p.owner())
}

// Personas lists custom personas, newest first.
func (r Reads) Personas(ctx context.Context, p Principal, q Query) (Page[personas.Document], error) {
	return byID(personas.List(ctx, r.Pool, p.owner(), q.created(), q.After, q.Limit))
}

// Organization reads the caller's organization, which is one and the same in
// both environments.
func (r Reads) Organization(ctx context.Context, p Principal) (projections.Document[accounts.Document], error) {
	return accounts.Get(ctx, r.Pool, p.OrganizationID)
}

// Artifact is a screenshot or a recording.
type Artifact struct {
	ContentType string
	// SHA256 names the content in hex.
	SHA256         string
	OrganizationID string
	Environment    domain.Environment
	Content        io.ReadSeekCloser
}

// OpenArtifact opens an artifact, whosever it is. The caller closes its content.
func (r Reads) OpenArtifact(ctx context.Context, id string) (Artifact, error) {
	a, err := sessions.GetArtifact(ctx, r.Pool, id)
	if err != nil {
		return Artifact{}, err
	}
	if a.Swept {
		return Artifact{}, domain.Refuse(domain.CodeGone, "pictures and films of this session are no longer kept; what happened in it is")
	}
	content, _, _, err := r.Blobs.Get(ctx, a.SHA256)
	return Artifact{
		ContentType: a.ContentType, SHA256: a.SHA256,
		OrganizationID: a.OrganizationID, Environment: a.Environment, Content: content,
	}, err
}

// Pack is a persona pack as it is shown.
type Pack struct {
	Description string          `json:"description"`
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Personas    []persona.Sheet `json:"personas"`
	Slug        string          `json:"slug"`
}

// PersonaPacks lists the packs that ship with the service, in the order to show
// them in.
func (r Reads) PersonaPacks() []Pack {
	packs := persona.Packs()
	out := make([]Pack, len(packs))
	for i, p := range packs {
		out[i] = Pack{Description: p.Description, ID: p.ID, Name: p.Name, Personas: make([]persona.Sheet, len(p.Personas)), Slug: p.Slug}
		for j, who := range p.Personas {
			out[i].Personas[j] = who.Sheet()
		}
	}
	return out
}
