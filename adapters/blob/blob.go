// Package blob keeps artifacts (screenshots, recordings, reports) by content:
// an artifact's key is the SHA-256 of its bytes, so writing it again is free
// and a reference in an event can be checked for ever.
package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "gocloud.dev/blob/memblob" // mem://
	_ "gocloud.dev/blob/s3blob"  // s3://
)

// ErrNotFound is returned by Get for content that was never put.
var ErrNotFound = errors.New("artifact not found")

// Ref names content that is stored durably.
type Ref struct {
	// SHA256 is the content's hash in lowercase hex, 64 characters.
	SHA256      string `json:"sha256"`
	Bytes       int64  `json:"bytes"`
	ContentType string `json:"content_type"`
}

// backend stores content under keys like "ab/cd/abcd…". put is durable when it
// returns and keeps what is there, but for its time: afterwards that is no older than
// renewal. get answers ErrNotFound.
type backend interface {
	put(ctx context.Context, key string, data []byte, contentType string) error
	get(ctx context.Context, key string) (r io.ReadSeekCloser, size int64, contentType string, err error)
	// written is when content was put, or put again; ErrNotFound.
	written(ctx context.Context, key string) (time.Time, error)
	// remove takes content away that may be gone already.
	remove(ctx context.Context, key string) error
	close() error
}

// renewal is how old the time of content may be that is put again.
const renewal = time.Hour

// Store holds artifacts. It is safe for concurrent use, by several processes
// too.
type Store struct{ backend backend }

// Open opens a store: file:///var/lib/understudy/blobs is a folder, which is
// made; s3://bucket?region=…&endpoint=…&use_path_style=true is a bucket, with the keys
// of AWS's own variables; mem:// lives as long as the process. The content type is recorded with
// the first Put of a content.
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("artifact store: %w", err)
	}
	var b backend
	if u.Scheme == "file" {
		if u.Host != "" || !filepath.IsAbs(u.Path) {
			return nil, fmt.Errorf("artifact store %s: a folder is written file:///absolute/path", address)
		}
		b, err = openFolder(filepath.FromSlash(u.Path))
	} else {
		b, err = openBucket(ctx, address)
	}
	if err != nil {
		return nil, fmt.Errorf("artifact store %s: %w", u.Redacted(), err)
	}
	return &Store{backend: b}, nil
}

// Put stores data and returns once it would survive a crash of the machine.
// Content that is there already is not written again.
func (s *Store) Put(ctx context.Context, data []byte, contentType string) (Ref, error) {
	sum := sha256.Sum256(data)
	ref := Ref{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), ContentType: contentType}
	if err := s.backend.put(ctx, keyOf(ref.SHA256), data, contentType); err != nil {
		return Ref{}, fmt.Errorf("store artifact: %w", err)
	}
	return ref, nil
}

// Get opens content for reading and seeking (range requests); the caller
// closes it. sha is 64 lowercase hex characters; anything else is ErrNotFound.
func (s *Store) Get(ctx context.Context, sha string) (r io.ReadSeekCloser, size int64, contentType string, err error) {
	if !validSHA(sha) {
		return nil, 0, "", ErrNotFound
	}
	r, size, contentType, err = s.backend.get(ctx, keyOf(sha))
	if err != nil {
		return nil, 0, "", fmt.Errorf("read artifact %s: %w", sha, err)
	}
	return r, size, contentType, nil
}

// Remove takes away content that nobody has put for so long: what a session has put
// just now, and nobody else knows of yet, is not lost together with older content that
// is the same. It does nothing to content that is younger, or not there.
func (s *Store) Remove(ctx context.Context, sha string, untouched time.Duration) error {
	if !validSHA(sha) {
		return nil
	}
	at, err := s.backend.written(ctx, keyOf(sha))
	if errors.Is(err, ErrNotFound) || err == nil && time.Since(at) < untouched+renewal {
		return nil
	}
	if err == nil {
		err = s.backend.remove(ctx, keyOf(sha))
	}
	if err != nil {
		return fmt.Errorf("remove artifact %s: %w", sha, err)
	}
	return nil
}

// Close releases the store's connections, if it has any.
func (s *Store) Close() error { return s.backend.close() }

// keyOf spreads the contents over 65,536 folders.
func keyOf(sha string) string { return sha[:2] + "/" + sha[2:4] + "/" + sha }

func validSHA(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}

// noContentType is what content of no known type is called (RFC 9110, 8.3).
const noContentType = "application/octet-stream"

// sameBytes lets a seekable reader of a small content be closed.
type sameBytes struct{ *bytes.Reader }

func (sameBytes) Close() error { return nil }
