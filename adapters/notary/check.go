package notary

import (
	"context"
	"fmt"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// Checked is a log that every signed head holds of.
type Checked struct {
	Events int64
	Heads  int
	Newest integrity.Head
}

// Check hashes the whole log and holds it against every signed head.
func (a Auditor) Check(ctx context.Context) (Checked, error) {
	c := &headCheck{}
	err := ReadHeads(a.headsPath(), a.Key.Chain(), func(h integrity.Head, _ []byte) error {
		if n := len(c.heads); n > 0 && h.Size < c.heads[n-1].Size {
			return fmt.Errorf("a head of size %d stands after one of %d", h.Size, c.heads[n-1].Size)
		}
		c.heads = append(c.heads, h)
		return nil
	})
	if err != nil {
		return Checked{}, err
	}
	err = a.scan(ctx, c.add, func() (bool, error) { return true, nil })
	if err == nil {
		err = c.compare() // the head of the empty log, where nothing came
	}
	if err != nil {
		return Checked{}, err
	}
	newest := c.heads[len(c.heads)-1]
	if c.next < len(c.heads) {
		return Checked{}, fmt.Errorf("the log has only %s, and a head of size %d was signed: events are missing at its end",
			Count(int(c.tree.Size()), "event"), newest.Size)
	}
	return Checked{Events: c.tree.Size(), Heads: len(c.heads), Newest: newest}, nil
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

func (c *headCheck) compare() error {
	for ; c.next < len(c.heads) && c.heads[c.next].Size == c.tree.Size(); c.next++ {
		root, err := c.tree.Root()
		if err != nil {
			return err
		}
		if head := c.heads[c.next]; root != head.Root {
			return fmt.Errorf("%w: at size %d its root is %s, and %s was signed. The head before it, of size %d, holds: what differs first is one of %s, from %s to %s",
				errChanged, head.Size, root, head.Root, c.tree.Size()-c.since, Count(int(c.since), "event"), c.first, c.last)
		}
		c.since = 0
	}
	return nil
}
