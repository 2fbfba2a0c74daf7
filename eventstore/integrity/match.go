package integrity

import (
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// found is a line of the events.
type found struct {
	event *event // nil when it cannot be read
	entry entry
	match int // which of the reference it is, -1 for none
}

// events holds the events against the table of contents and names those that
// were changed, removed, moved, repeated or added.
func (c *check) events() {
	byLeaf := make(map[tlog.Hash]int, len(c.reference))
	for i, e := range c.reference {
		byLeaf[e.Leaf] = i
	}
	lines := make([]found, len(c.recorded.lines))
	at := make([]int, len(c.reference)) // the line of each of the reference
	for i := range at {
		at[i] = -1
	}
	for i, line := range c.recorded.lines {
		f := found{match: -1}
		var l event
		if decodeLine(line, &l) == nil {
			if raw, err := l.raw(); err == nil {
				f.event, f.entry = &l, entryOf(l.Index, raw)
				c.Events = append(c.Events, raw)
				if n, ok := byLeaf[f.entry.Leaf]; ok && c.reference[n] == f.entry {
					f.match = n
				}
			}
		}
		switch {
		case f.match < 0:
		case at[f.match] >= 0:
			c.eventFault(f.entry, "stands in the file twice")
		default:
			at[f.match] = i
		}
		lines[i] = f
	}
	c.missing(lines, at)
	c.moved(at)
}

// missing names the events of the reference that are in no line, and the lines
// that are none of its events.
func (c *check) missing(lines []found, at []int) {
	// after[n] is the line of the next event from n on that is there.
	after := make([]int, len(at)+1)
	after[len(at)] = len(lines)
	for n := len(at) - 1; n >= 0; n-- {
		if after[n] = after[n+1]; at[n] >= 0 {
			after[n] = at[n]
		}
	}
	spent := make([]bool, len(lines)) // lines that stand for a changed event
	next := 0                         // the first line that may
	for n, e := range c.reference {
		if at[n] >= 0 {
			next = at[n] + 1
			continue
		}
		for next < after[n] && lines[next].match >= 0 {
			next++
		}
		switch {
		case next < after[n]:
			spent[next] = true
			c.eventFault(e, "was changed: %s", difference(e, lines[next]))
			next++
		case after[n] == len(lines):
			c.eventFault(e, "is missing: the file ends before it")
		default:
			c.eventFault(e, "was removed")
		}
	}
	for i, f := range lines {
		switch {
		case f.match >= 0 || spent[i]:
		case f.event != nil:
			c.eventFault(f.entry, "is in the file, but not in its table of contents")
		default:
			c.fault("events", "line %d cannot be read", i+1)
		}
	}
}

// difference says in what a line differs from the event that it was.
func difference(e entry, f found) string {
	switch {
	case f.event == nil:
		return "its line cannot be read any more"
	case f.entry.Index != e.Index:
		return "its number in the log"
	case f.entry.Stream != e.Stream:
		return "its stream"
	case f.entry.Revision != e.Revision:
		return "its revision"
	case f.entry.Type != e.Type:
		return "its type"
	case f.entry.Position != e.Position:
		return "its position"
	}
	return "it does not have the bytes that were recorded"
}

// moved names the fewest events that have to be put back to restore the order:
// all but a longest ascending run of lines.
func (c *check) moved(at []int) {
	var order []int // events of the reference that are there, in its order
	for n, line := range at {
		if line >= 0 {
			order = append(order, n)
		}
	}
	// Patience sorting: ends[k] is the event that the best run of length k+1
	// ends with, previous leads back through it.
	var ends []int
	previous := make([]int, len(at))
	for _, n := range order {
		k, _ := slices.BinarySearchFunc(ends, at[n], func(end, line int) int { return at[end] - line })
		previous[n] = -1
		if k > 0 {
			previous[n] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, n)
		} else {
			ends[k] = n
		}
	}
	if len(ends) == len(order) {
		return
	}
	kept := make(map[int]bool, len(ends))
	for n := ends[len(ends)-1]; n >= 0; n = previous[n] {
		kept[n] = true
	}
	for _, n := range order {
		if !kept[n] {
			c.eventFault(c.reference[n], "is not in its place")
		}
	}
}
