package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/eventstore/integrity"
)

// Archiver archives histories of tests: it exports each to a file, verifies what it reads
// back, records where it lies, and has the store take out what the file holds. It may end
// anywhere; the next one goes on.
type Archiver struct {
	Folder *Folder
	// Keys are those that sign for the log.
	Keys *integrity.Chain
	// Export writes histories to files, whose paths are by test.
	Export func(ctx context.Context, paths map[string]string) error
	Test   func(ctx context.Context, testID string) (testrun.State, error)
	Record func(ctx context.Context, of testrun.State, command testrun.Archive) error
	// Scavenge has the store take out what archives hold; nil where it cannot.
	Scavenge func(ctx context.Context, archives []string) error
	Now      func() time.Time
}

// Archived is what an archive holds of a test.
type Archived struct {
	Test string
	testrun.Archived
}

// Archive archives tests that have ended, and goes on with those that were left
// unfinished. tell is called for each as soon as that is recorded; one that fails leaves
// the others alone. ErrBusy: somebody else is at it.
func (a Archiver) Archive(ctx context.Context, tests []string, tell func(Archived)) error {
	return a.Folder.locked(func() error {
		left, err := a.Folder.Unfinished()
		if err = errors.Join(err, a.Folder.sweep()); err != nil {
			return err
		}
		tests = append(left, tests...)
		slices.Sort(tests)
		tests, errs := a.made(ctx, slices.Compact(tests))
		var archives []string
		for _, id := range tests {
			done, err := a.recorded(ctx, id)
			if err != nil {
				errs = append(errs, fmt.Errorf("archive %s: %w", id, err))
				continue
			}
			tell(done)
			archives = append(archives, done.Archive)
		}
		if a.Scavenge != nil && len(archives) > 0 {
			if err := a.Scavenge(ctx, archives); err != nil {
				return errors.Join(append(errs, err)...)
			}
		}
		for _, name := range archives {
			errs = append(errs, a.Folder.finish(strings.TrimSuffix(name, suffix)))
		}
		return errors.Join(errs...)
	})
}

// made has archives made of tests that have ended, unless one is recorded. It tells which
// have one then, and what the others lack.
func (a Archiver) made(ctx context.Context, tests []string) (have []string, errs []error) {
	paths := map[string]string{}
	for _, id := range tests {
		state, err := a.Test(ctx, id)
		if err == nil && state.Status == testrun.Running {
			err = domain.Refuse(domain.CodeWrongState, "it is running")
		}
		if err == nil {
			err = a.Folder.begin(id)
		}
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("archive %s: %w", id, err))
		case state.Archive != nil:
			have = append(have, id)
		default:
			paths[id] = filepath.Join(a.Folder.dir, "."+id)
		}
	}
	if len(paths) == 0 {
		return have, errs
	}
	if err := a.Export(ctx, paths); err != nil {
		return have, append(errs, err)
	}
	for id, path := range paths {
		if err := a.Folder.add(id+suffix, path); err != nil {
			errs = append(errs, fmt.Errorf("archive %s: %w", id, err))
			continue
		}
		have = append(have, id)
	}
	slices.Sort(have)
	return have, errs
}

// recorded verifies the archive of a test and records it, unless it is.
func (a Archiver) recorded(ctx context.Context, testID string) (done Archived, err error) {
	command, err := a.verified(testID)
	if err != nil {
		return done, err
	}
	state, err := a.Test(ctx, testID)
	if err == nil && state.Archive == nil {
		if err = a.Record(ctx, state, command); err == nil {
			state, err = a.Test(ctx, testID)
		}
	}
	if err != nil {
		return done, err
	}
	if state.Archive == nil || state.Archive.Archive != command.Name || state.Archive.SHA256 != command.SHA256 {
		return done, fmt.Errorf("%s is not the file that was recorded: put that one back", filepath.Join(a.Folder.dir, command.Name))
	}
	return Archived{testID, *state.Archive}, nil
}

// verified reads an archive as it is on the disk and makes sure that an auditor would
// find nothing wrong with it.
func (a Archiver) verified(testID string) (command testrun.Archive, err error) {
	name := testID + suffix
	export, sum, err := a.Folder.read(name)
	if err != nil {
		return command, err
	}
	verdict := integrity.Verify(export, integrity.Known{Keys: a.Keys})
	if len(verdict.Faults) > 0 {
		return command, fmt.Errorf("%s is not as it was recorded: %s", name, verdict.Faults[0])
	}
	m := verdict.Manifest
	if m.Test != testID {
		return command, fmt.Errorf("%s is of the test %s", name, m.Test)
	}
	return testrun.Archive{Name: name, SHA256: sum, Events: m.Events.Lines, Streams: len(m.Streams), Now: domain.At(a.Now())}, nil
}

// magic begins each piece of an archive, and no export.
var magic = []byte{0x1f, 0x8b}

// Plain is an export, whether it is given as it is or as an archive.
func Plain(file []byte) ([]byte, error) {
	if !bytes.HasPrefix(file, magic) {
		return file, nil
	}
	return unzipped(bytes.NewReader(file))
}
