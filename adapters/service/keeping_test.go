package service_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/session"
)

// gallery is a world with pictures.
type gallery struct {
	*world
	reads service.Reads
	wall  wall
}

// wall has contents by their hash.
type wall map[string][]byte

type content struct{ *bytes.Reader }

func (content) Close() error { return nil }

func (w wall) Get(_ context.Context, sha string) (io.ReadSeekCloser, int64, string, error) {
	return content{bytes.NewReader(w[sha])}, int64(len(w[sha])), "image/jpeg", nil
}

func (w wall) Remove(_ context.Context, sha string, _ time.Duration) error {
	delete(w, sha)
	return nil
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	w, pictures := newWorld(t), wall{}
	return &gallery{world: w, wall: pictures, reads: service.NewReads(w.Pool, w.Positions, pictures)}
}

// walked records a session of somebody's that ended so long ago, with a picture, and
// answers with the picture's artifact.
func (g *gallery) walked(p service.Principal, ago time.Duration, picture string) (artifactID string) {
	g.t.Helper()
	id, ended := newID(domain.PrefixSession), domain.At(time.Now().Add(-ago))
	artifactID = newID(domain.PrefixArtifact)
	sum := sha256.Sum256([]byte(picture))
	sha := hex.EncodeToString(sum[:])
	g.wall[sha] = []byte(picture)
	for i, c := range []session.Command{
		session.Queue{Session: session.Queued{
			SessionID: id, TestID: newID(domain.PrefixTest), OrganizationID: p.OrganizationID, Environment: p.Environment, Viewport: "desktop", At: ended,
		}},
		session.Start{Attempt: 1, Worker: "w", Now: ended},
		session.RecordStep{Attempt: 1, Screenshot: &session.ScreenshotTaken{
			Artifact: session.Artifact{ID: artifactID, SHA256: sha, Bytes: int64(len(picture)), ContentType: "image/jpeg"},
		}, Now: ended},
		session.Complete{Result: session.Completed{Attempt: 1, Outcome: "succeeded", Steps: 1, Findings: &session.Findings{SessionID: id}, At: ended}},
	} {
		result, err := g.Streams.Execute(g.ctx, domain.Envelope{
			ID: domain.DeriveUUID(id, string(rune('a'+i))), Stream: session.Stream(id), Command: c,
			Meta: domain.Meta{OrganizationID: p.OrganizationID, Environment: p.Environment},
		})
		g.must(err)
		g.must(g.Positions.Wait(g.ctx, "sessions", result))
	}
	return artifactID
}

// shown are what the artifacts show, "" for one that is no longer kept.
func (g *gallery) shown(ids ...string) (out []string) {
	g.t.Helper()
	for _, id := range ids {
		file, err := g.reads.OpenArtifact(g.ctx, id)
		if domain.CodeOf(err) == domain.CodeGone {
			out = append(out, "")
			continue
		}
		g.must(err)
		raw, err := io.ReadAll(file.Content)
		g.must(err)
		g.must(file.Content.Close())
		out = append(out, string(raw))
	}
	return out
}

// swept sweeps, and checks of how many sessions, and how many contents are left.
func (g *gallery) swept(keep service.Keeping, sessions, contents int) {
	g.t.Helper()
	n, err := g.reads.Sweep(g.ctx, keep, time.Now())
	g.must(err)
	if n != sessions || len(g.wall) != contents {
		g.t.Errorf("%d sessions were swept and %d contents are left, want %d and %d", n, len(g.wall), sessions, contents)
	}
}

const hours = 24 * time.Hour

func TestPicturesAreKeptForSoManyDays(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	old, shared := g.walked(alice, 100*hours, "old"), g.walked(alice, 95*hours, "shared")
	other, later := g.walked(mallory, 93*hours, "other"), g.walked(alice, 80*hours, "shared")
	g.swept(service.Keeping{}, 0, 3)
	g.swept(service.Keeping{For: 90 * hours}, 3, 1)
	same(t, "what is kept", []string{"", "", "", "shared"}, g.shown(old, shared, other, later))
	g.swept(service.Keeping{For: 90 * hours}, 0, 1)
	// The same picture again is one of its own.
	again := g.walked(alice, 10*hours, "old")
	same(t, "what was taken again", []string{"", "old"}, g.shown(old, again))
	g.swept(service.Keeping{For: 5 * hours}, 2, 0)
	same(t, "in the end", []string{"", ""}, g.shown(later, again))
}

func TestAnOrganizationKeepsSoManyBytesOfItsNewestPictures(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	first, second := g.walked(alice, 30*hours, "12345"), g.walked(alice, 20*hours, "abcde")
	third, other := g.walked(alice, time.Minute, "vwxyz"), g.walked(mallory, 40*hours, "67890")
	g.swept(service.Keeping{Bytes: 15}, 0, 4)
	g.swept(service.Keeping{Bytes: 14}, 1, 3)
	same(t, "what is kept", []string{"", "abcde", "vwxyz", "67890"}, g.shown(first, second, third, other))
	// What has only just ended is left alone, however little there is room for.
	g.swept(service.Keeping{Bytes: 1}, 2, 1)
	same(t, "what is kept", []string{"", "vwxyz", ""}, g.shown(second, third, other))
}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
