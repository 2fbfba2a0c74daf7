package validity

import (
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"understudy/domain/oracle"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Shelve keeps the walks of one test in a file, so that detectors and ranking
// can judge them again without walking (Unshelve).
func Shelve(file string, results []Result) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return fmt.Errorf("keep walks: %w", err)
	}
	part := file + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // the caller's own directory
	if err != nil {
		return fmt.Errorf("keep walks: %w", err)
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed) // the level exists
	if err := errors.Join(gob.NewEncoder(z).Encode(results), z.Close(), f.Close()); err != nil {
		return fmt.Errorf("keep walks: %w", err)
	}
	if err := os.Rename(part, file); err != nil {
		return fmt.Errorf("keep walks: %w", err)
	}
	return nil
}

// Unshelve reads what Shelve kept of walks for a task; nothing when the file is
// not there. The task is understood and the walks are judged anew; walks and replays
// are as they were.
func Unshelve(file, what string) ([]Result, error) {
	f, err := os.Open(file) //nolint:gosec // the caller's own directory
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read kept walks: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read kept walks: %s: %w", file, err)
	}
	var results []Result
	if err := gob.NewDecoder(z).Decode(&results); err != nil {
		return nil, fmt.Errorf("read kept walks: %s: %w", file, err)
	}
	for i := range results {
		results[i].Walked.Goal = task.Parse(what, nil)
		results[i].judge()
	}
	return results, nil
}

// judge asks the oracle again, as walk.Run does.
func (r *Result) judge() {
	w := &r.Walked
	n := len(w.Steps)
	if n == 0 || w.Steps[n-1].Decision.End == "" && r.Last == nil {
		return
	}
	again, did := oracle.New(w.Goal, walk.Conditions{}), walk.Deed{}
	for i := range w.Steps {
		s := &w.Steps[i]
		again.Observe(s.Page, did)
		did = walk.Deed{Action: s.Decision.Action, Target: s.Decision.Target, DwellMS: s.Decision.SimulatedMS, Effect: s.Effect}
	}
	last := w.Steps[n-1].Page
	if r.Last != nil {
		last = *r.Last
		again.Observe(last, did)
		did.Action = walk.Action{Type: walk.GiveUp}
	}
	again.Observe(last, did)
	w.Completion = again.Verdict()
	w.Outcome = walk.OutcomeOf(w.Completion, w.Steps[n-1].Decision.End)
}
