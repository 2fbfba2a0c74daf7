package keyring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Folder is a Shelf in a directory, a file for each key, for an installation of one
// process: what it holds belongs into backups, beside the event log.
type Folder string

// slot is a file of it.
type slot struct {
	Sealed []byte `json:"sealed,omitempty"`
	// ErasedAt is the position of the event that destroyed the key.
	ErasedAt *uint64 `json:"erased_at,omitempty"`
}

// names are what subjects are called, fit for names of files.
var names = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

func (f Folder) file(subject string) (string, error) {
	if !names.MatchString(subject) {
		return "", fmt.Errorf("%q names no subject", subject)
	}
	return filepath.Join(string(f), subject+".json"), nil
}

// Put keeps a key.
func (f Folder) Put(_ context.Context, subject string, sealed []byte) error {
	err := f.write(subject, slot{Sealed: sealed}, false)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Get finds one.
func (f Folder) Get(_ context.Context, subject string) ([]byte, error) {
	file, err := f.file(subject)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s slot
	if err := json.Unmarshal(raw, &s); err != nil || (s.Sealed == nil) == (s.ErasedAt == nil) {
		return nil, fmt.Errorf("%s is damaged", file)
	}
	return s.Sealed, nil
}

// Destroy destroys one.
func (f Folder) Destroy(ctx context.Context, subject string, position uint64) error {
	if sealed, err := f.Get(ctx, subject); err == nil && sealed == nil {
		return nil // by an earlier event
	}
	return f.write(subject, slot{ErasedAt: &position}, true)
}

// Where is the directory.
func (f Folder) Where() string { return string(f) }

func (f Folder) write(subject string, s slot, replace bool) error {
	file, err := f.file(subject)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return writeDurably(file, append(raw, '\n'), replace)
}

// Rows is a Shelf in the table ops.subject_keys, for an installation of several
// processes: its Postgres belongs into backups.
type Rows struct{ Pool *pgxpool.Pool }

// Put keeps a key.
func (r Rows) Put(ctx context.Context, subject string, sealed []byte) error {
	_, err := r.Pool.Exec(ctx, `insert into ops.subject_keys (subject, sealed) values ($1, $2) on conflict do nothing`, subject, sealed)
	return err
}

// Get finds one.
func (r Rows) Get(ctx context.Context, subject string) (sealed []byte, err error) {
	err = r.Pool.QueryRow(ctx, `select sealed from ops.subject_keys where subject = $1`, subject).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fs.ErrNotExist
	}
	return sealed, err
}

// Destroy destroys one.
func (r Rows) Destroy(ctx context.Context, subject string, position uint64) error {
	_, err := r.Pool.Exec(ctx, `insert into ops.subject_keys (subject, erased_at) values ($1, $2)
		on conflict (subject) do update set sealed = null, erased_at = coalesce(ops.subject_keys.erased_at, excluded.erased_at)`, subject, int64(position)) //nolint:gosec // positions of a log fit
	return err
}

// Where is the table.
func (Rows) Where() string { return "the table ops.subject_keys" }
