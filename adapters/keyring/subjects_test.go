package keyring_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"understudy/adapters/keyring"
	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// shelves are where keys can be.
var shelves = map[string]func(t *testing.T) keyring.Shelf{
	"folder": func(t *testing.T) keyring.Shelf { return keyring.Folder(filepath.Join(t.TempDir(), "subjects")) },
	"rows":   func(t *testing.T) keyring.Shelf { return keyring.Rows{Pool: pgtest.Pool(t)} },
}

func TestWhatIsOfASubjectEndsWithItsKey(t *testing.T) {
	t.Parallel()
	for name, shelf := range shelves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endsWithItsKey(t, shelf(t))
		})
	}
}

func endsWithItsKey(t *testing.T, shelf keyring.Shelf) {
	t.Helper()
	ctx := context.Background()
	s := keyring.NewSubjects(shelf, open(t, filepath.Join(t.TempDir(), "keyring.json")))
	seal := func(subject string) string {
		t.Helper()
		if err := s.Create(ctx, subject); err != nil {
			t.Fatal(err)
		}
		sealed, err := s.Seal(ctx, subject, "email", "ada@example.com")
		if err != nil || strings.Contains(sealed, "ada") {
			t.Fatalf("sealed %q, %v", sealed, err)
		}
		return sealed
	}
	ada, bob := seal("usr_a"), seal("usr_b")
	if err := s.Create(ctx, "usr_a"); err != nil { // which changes nothing
		t.Fatal(err)
	}
	if got, err := s.Open(ctx, "usr_a", "email", ada); err != nil || got != "ada@example.com" {
		t.Errorf("opened %q, %v", got, err)
	}
	for _, wrong := range [][2]string{{"usr_b", "email"}, {"usr_a", "name"}} {
		if got, err := s.Open(ctx, wrong[0], wrong[1], ada); err == nil {
			t.Errorf("as %v it opened: %q", wrong, got)
		}
	}
	if err := s.Check(ctx, []string{"usr_a", "usr_b"}); err != nil {
		t.Error(err)
	}
	if err := s.Destroy(ctx, "usr_a", 42); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(ctx, "usr_a", "email", ada); !errors.Is(err, domain.ErrErased) {
		t.Errorf("after its key was destroyed: %v", err)
	}
	if err := s.Create(ctx, "usr_a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Seal(ctx, "usr_a", "email", "x"); !errors.Is(err, domain.ErrErased) {
		t.Errorf("a destroyed key came back: %v", err)
	}
	if got, err := s.Open(ctx, "usr_b", "email", bob); err != nil || got != "ada@example.com" {
		t.Errorf("another's opened as %q, %v", got, err)
	}
	// An erased subject is no lost one.
	if err := s.Check(ctx, []string{"usr_a", "usr_b"}); err != nil {
		t.Error(err)
	}
	err := s.Check(ctx, []string{"usr_a", "usr_z", "usr_y"})
	missing := (*keyring.MissingError)(nil)
	if !errors.As(err, &missing) || len(missing.Subjects) != 2 || !strings.Contains(err.Error(), "usr_z, usr_y") || !strings.Contains(err.Error(), "restore") || !strings.Contains(err.Error(), shelf.Where()) {
		t.Errorf("of a lost key it says %v", err)
	}
}

func TestNamesHashTheSame(t *testing.T) {
	t.Parallel()
	ctx, keys := context.Background(), open(t, filepath.Join(t.TempDir(), "keyring.json"))
	for name, shelf := range shelves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hash := func(kept keyring.Shelf, text string) string {
				t.Helper()
				h, err := keyring.NewSubjects(kept, keys).Hash(ctx, text)
				if err != nil {
					t.Fatal(err)
				}
				return h
			}
			kept := shelf(t)
			first := hash(kept, "ada@example.com")
			if len(first) != 64 || hash(kept, "ada@example.com") != first || hash(kept, "bob@example.com") == first {
				t.Error("hashes are not of what is hashed")
			}
			if hash(shelf(t), "ada@example.com") == first {
				t.Error("another installation has the same hash")
			}
		})
	}
}
