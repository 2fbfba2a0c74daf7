package blob_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"understudy/adapters/blob"
)

func open(t *testing.T, address string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// s3 is the address of a bucket of a server that speaks S3.
func s3(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("artifacts"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://artifacts?region=us-east-1&anonymous=true&use_path_style=true&endpoint=" + url.QueryEscape(server.URL)
}

// TestStore is the conformance suite of every kind of store.
func TestStore(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"folder": "file://" + filepath.Join(t.TempDir(), "new", "blobs"),
		"bucket": "mem://",
		"S3":     s3(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, address)
			data := bytes.Repeat([]byte("pixel"), 30_000)
			ref, err := s.Put(t.Context(), data, "image/jpeg")
			if err != nil {
				t.Fatal(err)
			}
			if ref.Bytes != 150_000 || ref.ContentType != "image/jpeg" || len(ref.SHA256) != 64 {
				t.Errorf("reference %+v", ref)
			}
			r, size, contentType, err := s.Get(t.Context(), ref.SHA256)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Seek(149_995, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			end, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
			if string(end) != "pixel" || size != 150_000 || contentType != "image/jpeg" {
				t.Errorf("end %q, size %d, type %q", end, size, contentType)
			}
			if again, err := s.Put(t.Context(), data, "image/jpeg"); err != nil || again != ref {
				t.Errorf("the same content again: %+v, %v", again, err)
			}
			empty, err := s.Put(t.Context(), nil, "")
			if err != nil {
				t.Fatal(err)
			}
			r, size, contentType, err = s.Get(t.Context(), empty.SHA256)
			if err != nil || size != 0 || contentType != "application/octet-stream" {
				t.Fatalf("nothing: size %d, type %q, %v", size, contentType, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			for _, sha := range []string{strings.Repeat("0", 64), "", "../../../../etc/passwd", strings.ToUpper(ref.SHA256)} {
				if _, _, _, err := s.Get(t.Context(), sha); !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("get %q: %v, want not found", sha, err)
				}
			}
		})
	}
}

// TestWhatNobodyHasPutForLongIsRemoved, and what somebody has put again is not.
func TestWhatNobodyHasPutForLongIsRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, s := range map[string]*blob.Store{"folder": open(t, "file://"+dir), "bucket": open(t, "mem://")} {
		ref, err := s.Put(t.Context(), []byte("pixels"), "image/jpeg")
		if err != nil {
			t.Fatal(err)
		}
		there := func() bool {
			r, _, _, err := s.Get(t.Context(), ref.SHA256)
			if err != nil {
				return !errors.Is(err, blob.ErrNotFound)
			}
			return r.Close() == nil
		}
		if err := s.Remove(t.Context(), ref.SHA256, time.Hour); err != nil || !there() {
			t.Errorf("%s: what was put just now is gone: %v", name, err)
		}
		if name == "bucket" { // its times cannot be set
			continue
		}
		old := time.Now().Add(-3 * time.Hour)
		path := filepath.Join(dir, ref.SHA256[:2], ref.SHA256[2:4], ref.SHA256)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), []byte("pixels"), "image/jpeg"); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(t.Context(), ref.SHA256, time.Hour); err != nil || !there() {
			t.Errorf("%s: what was put again is gone: %v", name, err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Remove(t.Context(), ref.SHA256, time.Hour); err != nil || there() {
				t.Errorf("%s: it is still there: %v", name, err)
			}
		}
	}
}

func TestFolderWritesContentOnceAndLeavesNoScraps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, "file://"+dir)
	data := []byte("a screenshot")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.Put(t.Context(), data, "text/plain"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ref, err := s.Put(t.Context(), data, "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ref.SHA256[:2], ref.SHA256[2:4], ref.SHA256)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), data, "text/plain"); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the content was written again: %v", err)
	}
	var files []string
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, filepath.Base(p))
		}
		return err
	})
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v; want the content and its type", files, err)
	}
	// Content cut short by a fault of the disk is put right by the next Put.
	if err := os.Truncate(path, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), data, "text/plain"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
		t.Errorf("after the repair: %q, %v", got, err)
	}
}

func TestOpenSaysWhatIsWrongWithAnAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"file://relative/path", "tape://x", "%", filepath.Join(t.TempDir(), "bare")} {
		if _, err := blob.Open(t.Context(), address); err == nil {
			t.Errorf("%q was opened", address)
		}
	}
}
