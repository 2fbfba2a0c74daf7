package sessions

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/projections"
)

var (
	qualified = projections.PostgresSchema("sessions", version) + ".sessions"
	artifacts = projections.PostgresSchema("sessions", version) + ".artifacts"
)

// Get reads one session without its trace.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	return projections.Get[Document](ctx, q, qualified, "doc", id, owner)
}

// Trace is the steps of a session as the API shows them.
type Trace struct {
	SessionID string `json:"session_id"`
	Steps     Steps  `json:"steps"`
}

// Recording is the film of a session as the API shows it; its address is made
// at the edge.
type Recording struct {
	ArtifactID      string  `json:"artifact_id"`
	Bytes           int64   `json:"bytes"`
	DurationSeconds float64 `json:"duration_seconds"`
	Format          string  `json:"format"`
	SessionID       string  `json:"session_id"`
}

// Shown is the recording among the evidence of a session, if there is one.
func (e Evidence) Shown(sessionID string) (Recording, bool) {
	if e.Recording == nil {
		return Recording{}, false
	}
	r := e.Recording
	return Recording{
		ArtifactID: r.ID, Bytes: r.Bytes, DurationSeconds: r.DurationSeconds, Format: r.Format, SessionID: sessionID,
	}, true
}

// GetTrace reads the steps of a session.
func GetTrace(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Trace], error) {
	steps, err := projections.Get[[]session.Step](ctx, q, qualified, "trace", id, owner)
	trace := projections.Document[Trace]{ID: id, Revision: steps.Revision}
	if err == nil {
		// Put together, because an encoder would read all of the steps once more.
		trace.JSON = slices.Concat([]byte(`{"session_id":"`+id+`","steps":`), steps.JSON, []byte("}"))
	}
	return trace, err
}

// GetEvidence reads the screenshots and the recording of a session.
func GetEvidence(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (Evidence, uint64, error) {
	d, err := projections.Get[Evidence](ctx, q, qualified, "evidence", id, owner)
	if err != nil {
		return Evidence{}, 0, err
	}
	e, err := d.Decode()
	return e, d.Revision, err
}

// GetFindings reads what was noticed in a walk, nil before it has completed.
func GetFindings(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (*session.Findings, error) {
	d, err := projections.Get[*session.Findings](ctx, q, qualified, "findings", id, owner)
	if err != nil {
		return nil, err
	}
	return d.Decode()
}

// Query selects a page of the sessions of a test, the last first unless Ascending.
type Query struct {
	Status    string // "" is any, as in what follows
	Outcome   string
	Viewport  string
	Persona   string // a part of the name
	Ascending bool
	After     *int // index of the last session of the page before, nil for the first page
	Limit     int
}

// List reads the sessions of a test by their index.
func List(ctx context.Context, q projections.Querier, testID string, by Query) ([]projections.Document[Document], int, bool, error) {
	filters := []projections.Filter{{Condition: "test_id = ?", Value: testID}, projections.IfGiven("status = ?", by.Status),
		projections.IfGiven("outcome = ?", by.Outcome), projections.IfGiven("viewport = ?", by.Viewport),
		projections.IfGiven("position(lower(?) in lower(persona)) > 0", by.Persona)}
	var after any
	if by.After != nil {
		after = *by.After
	}
	docs, last, more, err := projections.List[Document](ctx, q, qualified, "doc", filters, projections.Order{Column: "idx", Ascending: by.Ascending}, after, by.Limit)
	index, _ := last.(int32)
	return docs, int(index), more, err
}

// Artifact is a blob that belongs to a session.
type Artifact struct {
	SHA256         string
	ContentType    string
	OrganizationID string
	Environment    domain.Environment
	// Swept: it is no longer kept.
	Swept bool
}

// GetArtifact finds a blob by its artifact id.
func GetArtifact(ctx context.Context, q projections.Querier, id string) (Artifact, error) {
	var a Artifact
	err := q.QueryRow(ctx, `SELECT a.sha256, a.content_type, s.organization_id, s.environment,
			EXISTS (SELECT FROM ops.swept_sessions w WHERE w.session_id = s.id)
		FROM `+artifacts+` a JOIN `+qualified+` s ON s.id = a.session_id WHERE a.id = $1`, id).
		Scan(&a.SHA256, &a.ContentType, &a.OrganizationID, (*string)(&a.Environment), &a.Swept)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, projections.NotFound(id)
	}
	return a, err
}

// Unkept is a session whose pictures and film are not to be kept.
type Unkept struct {
	SessionID string
	// SHA256 names those of its contents that no other session has that is kept.
	SHA256 []string
}

// FindUnkept finds up to limit sessions that ended before a time, or that an
// organization has no room for in so many bytes beside its later ones (0: any), the
// oldest first and none that ended after settled. Contents that several of them share
// are the last one's.
func FindUnkept(ctx context.Context, q projections.Querier, endedBefore, settled time.Time, bytes int64, limit int) ([]Unkept, error) {
	rows, err := q.Query(ctx, `WITH kept AS MATERIALIZED (
			SELECT s.id, s.organization_id, s.ended_at, a.sha256, a.bytes FROM `+qualified+` s JOIN `+artifacts+` a ON a.session_id = s.id
			WHERE NOT EXISTS (SELECT FROM ops.swept_sessions w WHERE w.session_id = s.id)
		), standing AS (
			SELECT id, ended_at, sum(sum(bytes)) OVER (PARTITION BY organization_id ORDER BY ended_at DESC NULLS FIRST, id DESC) AS so_far
			FROM kept GROUP BY id, organization_id, ended_at
		), unkept AS MATERIALIZED (
			SELECT id, row_number() OVER (ORDER BY ended_at, id) AS place FROM standing
			WHERE ended_at < $4 AND (ended_at < $1 OR $2::bigint > 0 AND so_far > $2::bigint) ORDER BY ended_at, id LIMIT $3
		), last AS (
			SELECT k.sha256, max(u.place) AS place FROM kept k LEFT JOIN unkept u ON u.id = k.id
			GROUP BY 1 HAVING count(*) = count(u.id)
		)
		SELECT u.id, coalesce(array_agg(l.sha256) FILTER (WHERE l.sha256 IS NOT NULL), '{}') FROM unkept u LEFT JOIN last l USING (place)
		GROUP BY u.id, u.place ORDER BY u.place`, endedBefore, bytes, limit, settled)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Unkept])
}

// Walked is a session as it is stored: the JSON of its Document, of its steps and
// of its findings, null without any. Who reads thousands of sessions decodes what it needs of them.
type Walked struct {
	Index                int
	Doc, Trace, Findings []byte
}

// Each calls fn with every session of a test, on as many goroutines as there are
// cores and in no order: decoding is what takes time. It returns the first error.
func Each(ctx context.Context, q projections.Querier, testID string, fn func(Walked) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	rows, err := q.Query(ctx, `SELECT idx, doc, trace, findings FROM `+qualified+` WHERE test_id = $1`, testID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var w Walked
		if err = rows.Scan(&w.Index, &w.Doc, &w.Trace, &w.Findings); err != nil {
			break
		}
		g.Go(func() error { return fn(w) })
	}
	// An error of fn ends the reading, by the context.
	return cmp.Or(g.Wait(), err, rows.Err())
}

// MedianDuration is the median of how long the last 100 completed sessions of
// an environment took, 0 when there are none.
func MedianDuration(ctx context.Context, q projections.Querier, env domain.Environment) (time.Duration, error) {
	var seconds *float64
	err := q.QueryRow(ctx, `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s) FROM (
		SELECT seconds AS s FROM `+qualified+`
		WHERE environment = $1 AND status = $2 ORDER BY ended_at DESC LIMIT 100) recent`,
		string(env), string(session.StatusCompleted)).Scan(&seconds)
	if err != nil || seconds == nil {
		return 0, err
	}
	return time.Duration(*seconds * float64(time.Second)), nil
}

// Missing are the indexes below total of which a test has no session yet, those of the
// page and one more.
func Missing(ctx context.Context, q projections.Querier, testID string, total int, by Query) ([]int, error) {
	from, to, direction := 0, total-1, "DESC"
	switch {
	case by.Ascending && by.After != nil:
		from, direction = *by.After+1, "ASC"
	case by.Ascending:
		direction = "ASC"
	case by.After != nil:
		to = *by.After - 1
	}
	rows, err := q.Query(ctx, `SELECT i FROM generate_series($2::int, $3::int) i
		WHERE NOT EXISTS (SELECT FROM `+qualified+` WHERE test_id = $1 AND idx = i) ORDER BY i `+direction+` LIMIT $4`, testID, from, to, by.Limit+1)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}
