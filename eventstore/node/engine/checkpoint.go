package engine

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Checkpoint makes a directory, which must not be there, with everything that has been
// acknowledged. An engine can be opened on it as on its own. Appends go on meanwhile;
// files that never change are linked where the file system can.
func (e *Engine) Checkpoint(dir string) error {
	release, err := e.acquire()
	if err != nil {
		return err
	}
	defer release()
	// Of an event that is in the checkpoint: one that comes meanwhile may not be.
	m, marked, err := readMark(e.disk, e.dir)
	if err != nil {
		return err
	}
	if err := e.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("checkpoint of the event store: %w", err)
	}
	if !marked {
		return nil
	}
	f, err := openMark(e.disk, dir, m)
	if err == nil {
		err = f.Close()
	}
	return errors.Join(err, syncDir(e.disk, dir))
}
