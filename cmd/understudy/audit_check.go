package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"understudy/adapters/notary"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// check hashes the whole log and holds it against every signed head.
func (s *storage) check(ctx context.Context, out, show io.Writer) error {
	key, err := auditKey(s.cfg)
	if err != nil {
		return err
	}
	var heads []integrity.Head
	err = notary.ReadHeads(headsPath(s.cfg), key.Public(), func(h integrity.Head, _ []byte) error {
		if len(heads) > 0 && h.Size < heads[len(heads)-1].Size {
			return fmt.Errorf("a head of size %d stands after one of %d", h.Size, heads[len(heads)-1].Size)
		}
		heads = append(heads, h)
		return nil
	})
	if err != nil {
		return err
	}
	c := &headCheck{heads: heads}
	err = s.scan(ctx, newProgress(show), c.add, func() (bool, error) { return true, nil })
	if err == nil {
		err = c.compare() // the head of the empty log, where nothing came
	}
	if err != nil {
		return err
	}
	if c.next < len(heads) {
		return fmt.Errorf("the log has only %s, and a head of size %d was signed: events are missing at its end",
			count(int(c.tree.Size()), "event"), heads[len(heads)-1].Size)
	}
	last := heads[len(heads)-1]
	_, err = fmt.Fprintf(out, "OK: %s, and all %s hold.\nNewest head: size %d, root %s\nSigned by %s\n",
		count(int(c.tree.Size()), "event"), count(len(heads), "signed head"), last.Size, last.Root, key.Public())
	return err
}

// headCheck is a check under way.
type headCheck struct {
	heads []integrity.Head
	next  int // the first head that the tree has not come to
	tree  integrity.Tree
	// first and last are the events since the last head that holds.
	first, last integrity.EventName
	since       int64
}

func (c *headCheck) add(index int64, e eventstore.Raw) error {
	if err := c.compare(); err != nil { // the head of the empty log
		return err
	}
	c.last = nameOf(index, e)
	if c.since++; c.since == 1 {
		c.first = c.last
	}
	c.tree.Append(integrity.Leaf(e))
	return c.compare()
}

// errChanged begins the verdict on a log that was changed.
var errChanged = errors.New("the event log was changed")

func (c *headCheck) compare() error {
	for ; c.next < len(c.heads) && c.heads[c.next].Size == c.tree.Size(); c.next++ {
		root, err := c.tree.Root()
		if err != nil {
			return err
		}
		if head := c.heads[c.next]; root != head.Root {
			return fmt.Errorf("%w: at size %d its root is %s, and %s was signed. The head before it, of size %d, holds: what differs first is one of %s, from %s to %s",
				errChanged, head.Size, root, head.Root, c.tree.Size()-c.since, count(int(c.since), "event"), c.first, c.last)
		}
		c.since = 0
	}
	return nil
}
