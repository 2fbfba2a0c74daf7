package notary

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

const (
	// headLimit is how long an export waits for the running service to sign a
	// head that has everything that was there when it began.
	headLimit = 20 * time.Second
	// headPause is the time between two looks at the file of heads.
	headPause = 100 * time.Millisecond
)

// History is of which test an export is to be made, and where. Stream is the test's own.
type History struct{ Test, Stream, Path string }

// Exported is what an export holds.
type Exported struct {
	Events, Streams int
	Head            integrity.Head
}

// Export writes histories of tests to files, which appear when they are whole: the streams
// that begin with an event of which of says that it is of the test, all under one signed
// head. The log is read once.
func (a Auditor) Export(ctx context.Context, histories []History, of func(first eventstore.Raw) (tests []string)) ([]Exported, error) {
	x := &exporting{of: of, tests: map[string]*exported{}, streams: map[string][]*exported{}}
	for _, h := range histories {
		x.tests[h.Test] = &exported{}
	}
	head := &headSought{Auditor: a, tree: &x.tree}
	err := a.scan(ctx, x.add, func() (bool, error) {
		for _, h := range histories {
			if len(x.streams[h.Stream]) == 0 {
				return false, fmt.Errorf("there is no test %s in this log", h.Test)
			}
		}
		return head.find(ctx)
	})
	if err != nil {
		return nil, err
	}
	done := make([]Exported, len(histories))
	for i, h := range histories {
		e := x.tests[h.Test]
		streams := e.cut(head.Size)
		export := integrity.Export{Test: h.Test, SignedHead: head.signed, Events: e.events, Tree: &x.tree}
		if err := a.write(h.Path, export); err != nil {
			return nil, err
		}
		done[i] = Exported{Events: len(e.events), Streams: streams, Head: head.Head}
	}
	return done, nil
}

func (a Auditor) write(path string, export integrity.Export) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	err = integrity.WriteExport(f, export, a.Key)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// exporting is histories that are being collected.
type exporting struct {
	of      func(first eventstore.Raw) []string
	tests   map[string]*exported
	streams map[string][]*exported // to which each stream belongs
	tree    integrity.Memory
}

// exported is what was collected of one test.
type exported struct{ events []integrity.Indexed }

func (x *exporting) add(index int64, e eventstore.Raw) error {
	x.tree.Append(integrity.Leaf(e))
	if e.Revision == 0 {
		for _, test := range x.of(e) {
			if one := x.tests[test]; one != nil {
				x.streams[e.Stream] = append(x.streams[e.Stream], one)
			}
		}
	}
	for _, one := range x.streams[e.Stream] {
		one.events = append(one.events, integrity.Indexed{Index: index, Event: e})
	}
	return nil
}

// cut leaves out what is not under the head, and counts the streams that are.
func (x *exported) cut(size int64) (streams int) {
	x.events = slices.DeleteFunc(x.events, func(e integrity.Indexed) bool { return e.Index >= size })
	for _, e := range x.events {
		if e.Event.Revision == 0 {
			streams++
		}
	}
	return streams
}

// headSought is the newest signed head that the hashed part of the log has.
type headSought struct {
	Auditor

	tree *integrity.Memory

	integrity.Head
	signed []byte
	// needed is the size of the log when the search began.
	needed   int64
	deadline time.Time
}

// find looks for a head that has all that was there when the search began. A
// running service signs one within a second; where none runs, it is signed
// here. It is not done when heads are ahead of what has been hashed so far.
func (h *headSought) find(ctx context.Context) (done bool, err error) {
	if h.Alone {
		err := h.sign()
		return err == nil, err
	}
	if h.needed == 0 {
		h.needed, h.deadline = h.tree.Size(), time.Now().Add(headLimit)
	}
	for {
		var newest integrity.Head
		err := ReadLastHeads(h.headsPath(), h.Key.Chain(), func(head integrity.Head, note []byte) error {
			if newest = head; head.Size <= h.tree.Size() {
				h.Head, h.signed = head, note
			}
			return nil
		})
		switch {
		case err != nil:
			return false, err
		case h.Size >= h.needed:
			return true, h.agrees()
		case newest.Size > h.tree.Size():
			return false, nil
		case time.Now().After(h.deadline):
			return false, fmt.Errorf("no head of size %d was signed within %s, the newest is of %d: does the process with the role projector run?",
				h.needed, headLimit, newest.Size)
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(headPause):
		}
	}
}

// sign takes the newest head of the file, or adds one to it.
func (h *headSought) sign() error {
	file, err := OpenHeads(h.headsPath(), h.Key)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if h.Head = file.Last(); h.Size > h.tree.Size() {
		return fmt.Errorf("%w: it has only %s, and a head of size %d was signed", errChanged, Count(int(h.tree.Size()), "event"), h.Size)
	}
	if err := h.agrees(); err != nil {
		return err
	}
	h.Size = h.tree.Size()
	if h.Root, err = h.tree.Root(); err != nil {
		return err
	}
	h.signed, err = file.Add(h.Head, h.Key)
	return err
}

// agrees makes sure that the head is one of the log that was hashed.
func (h *headSought) agrees() error {
	root, err := tlog.TreeHash(h.Size, h.tree)
	if err != nil {
		return err
	}
	if root != h.Root {
		return fmt.Errorf("%w: at size %d its root is %s, and %s was signed; `understudy audit check` tells more", errChanged, h.Size, root, h.Root)
	}
	return nil
}
