package integrity

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"

	"golang.org/x/mod/sumdb/tlog"
)

// Verify checks an export. It needs nothing but the file and what is known,
// and finds every change of it: of what was recorded, of the order, of what is
// there at all, of the signatures and of a single blank. Events that were hit
// are named.
func Verify(file []byte, known Known) Verdict {
	c := &check{known: known}
	line, body, whole := bytes.Cut(file, []byte("\n"))
	if !whole {
		c.fault("file", "it ends within its first line")
		return c.Verdict
	}
	c.header(line)
	c.split(body)
	c.digests()
	c.table()
	c.events()
	c.root()
	c.lengths()
	return c.Verdict
}

// check is a verification under way.
type check struct {
	Verdict
	known  Known
	head   *Head
	signed bool // the manifest could be read

	contents, proof, recorded part
	// reference is the table of contents as far as it can be relied on.
	reference []entry
}

// part is a part of the file as it was found.
type part struct {
	lines [][]byte  // without their ends
	text  hash.Hash // SHA-256, with their ends
	good  bool      // as the manifest says
}

func (c *check) fault(part, format string, args ...any) {
	c.Faults = append(c.Faults, Fault{Part: part, Text: fmt.Sprintf(format, args...)})
}

func (c *check) eventFault(e entry, format string, args ...any) {
	name := e.name()
	c.Faults = append(c.Faults, Fault{Part: "events", Event: &name, Text: fmt.Sprintf(format, args...)})
}

// header checks the first line: keys and signatures.
func (c *check) header(line []byte) {
	var h header
	if err := decodeLine(line, &h); err != nil || h.Format != exportVersion {
		c.fault("header", "the first line is not that of an export of version %s, or was changed", exportVersion)
		return
	}
	named := c.keys(h)
	if c.Keys == nil {
		return
	}
	if head, _, err := c.Keys.OpenHead([]byte(h.Head)); err != nil {
		c.fault("head", "%v", err)
	} else {
		c.head = &head
		c.compareHeads()
	}
	text, err := open([]byte(h.Manifest), c.Key)
	if err == nil {
		c.Manifest, err = parseManifest(text)
	}
	if err == nil {
		err = c.Keys.inTurn(c.Keys.number(c.Key.text), c.Manifest.Head)
	}
	if err != nil {
		c.fault("manifest", "%v", err)
		return
	}
	c.signed = true
	if named == nil || c.Manifest.Keys != named.String() {
		c.fault("header", "its keys are not those of the manifest, %s", c.Manifest.Keys)
	}
	if c.head != nil && c.Manifest.Head != *c.head {
		c.fault("head", "it is not the one of the manifest")
	}
}

// keys finds the keys of the log, and the one of them that has signed the file,
// from what is known and those that the file names, which it returns.
func (c *check) keys(h header) (named *Chain) {
	c.Keys = c.known.Keys
	key, err := ParsePublicKey(h.Key)
	if err == nil {
		named, err = ParseChain(key, h.Rotations)
	}
	if err != nil {
		c.fault("header", "%v", err)
	} else if c.Keys == nil {
		c.Keys = named
	} else if joined := c.Keys.join(named); joined != nil {
		c.Keys = joined
	} else {
		c.fault("header", "it is signed by %s, not by %s", h.Key, c.Keys.Newest())
	}
	if c.Keys != nil {
		if c.Key = c.Keys.Newest(); c.Keys.Has(h.Key) {
			c.Key = key
		}
	}
	return named
}

// compareHeads holds the export's head against one that is known.
func (c *check) compareHeads() {
	k := c.known.Head
	if k == nil {
		return
	}
	older, newer := *k, *c.head
	if older.Size > newer.Size {
		older, newer = newer, older
	}
	switch {
	case k.Origin != c.head.Origin:
		c.fault("head", "it is of the log %s, the known head of %s", c.head.Origin, k.Origin)
	case older.Size == newer.Size:
		if older.Root != newer.Root {
			c.fault("head", "its root %s is not that of the known head of the same size %d, %s: the log has two histories",
				c.head.Root, k.Size, k.Root)
		}
	case older.Size == 0: // everything extends nothing
	case c.known.Consistency == nil:
		c.fault("head", "it is of size %d and the known head of %d: whether one extends the other needs a proof of consistency (GET /v1/audit/consistency?from=%d&to=%d)",
			c.head.Size, k.Size, older.Size, newer.Size)
	default:
		if err := tlog.CheckTree(c.known.Consistency, newer.Size, newer.Root, older.Size, older.Root); err != nil {
			c.fault("head", "the proof of consistency does not hold: the tree of size %d is not proven to be the beginning of that of %d", older.Size, newer.Size)
		}
	}
}

// split finds the parts of the file by how their lines begin. A line that
// begins like none belongs where it stands.
func (c *check) split(body []byte) {
	kinds := []struct {
		prefix string
		part   *part
	}{{entryPrefix, &c.contents}, {siblingPrefix, &c.proof}, {eventPrefix, &c.recorded}}
	for _, k := range kinds {
		k.part.text = sha256.New()
	}
	at, misplaced := 0, false
	for line := range bytes.Lines(body) {
		kind := at
		for i, k := range kinds {
			if bytes.HasPrefix(line, []byte(k.prefix)) {
				kind = i
			}
		}
		misplaced = misplaced || kind < at
		at = kind
		p := kinds[kind].part
		_, _ = p.text.Write(line) // never fails
		p.lines = append(p.lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	if misplaced {
		c.fault("file", "its parts are not in their order: contents, proof, events")
	}
	if len(body) > 0 && body[len(body)-1] != '\n' {
		c.fault("file", "it ends within a line")
	}
}

// digests compares the parts with what was signed.
func (c *check) digests() {
	if !c.signed {
		return
	}
	found := []*part{&c.contents, &c.proof, &c.recorded}
	for i, p := range c.Manifest.parts() {
		f := found[i]
		f.good = len(f.lines) == p.part.Lines && [sha256.Size]byte(f.text.Sum(nil)) == p.part.SHA256
		if !f.good {
			c.fault(p.name, "this part of the file is not as it was signed: %s", compared(len(f.lines), p.part.Lines))
		}
	}
}

func compared(found, signed int) string {
	if found == signed {
		return fmt.Sprintf("%d lines as then, but not the same", found)
	}
	return fmt.Sprintf("%d lines, and %d then", found, signed)
}

// table reads the table of contents. Where it was changed and the events were
// not, it follows from the events, and what was changed in it is told.
func (c *check) table() {
	listed := make([]*entry, len(c.contents.lines))
	for i, line := range c.contents.lines {
		var e entry
		if err := decodeLine(line, &e); err == nil {
			listed[i] = &e
		} else if !c.signed {
			c.fault("contents", "line %d cannot be read: %v", i+1, err)
		}
	}
	if !c.contents.good && c.recorded.good {
		told := false
		for i, line := range c.recorded.lines {
			var l event
			if decodeLine(line, &l) != nil {
				continue // signed like that; the events' own check tells
			}
			raw, err := l.raw()
			if err != nil {
				continue
			}
			e := entryOf(l.Index, raw)
			c.reference = append(c.reference, e)
			if !told && (i >= len(listed) || listed[i] == nil || *listed[i] != e) {
				c.fault("contents", "line %d is not about %s any more", i+1, e.name())
				told = true // what follows may only have moved
			}
		}
		return
	}
	for _, e := range listed {
		if e != nil {
			c.reference = append(c.reference, *e)
		}
	}
}

// root checks that the events of the table of contents are leaves of the tree
// that the head is of.
func (c *check) root() {
	if c.head == nil || (c.signed && (!c.contents.good || !c.proof.good)) {
		return // told already
	}
	leaves, hashes := make([]int64, len(c.reference)), make([]tlog.Hash, len(c.reference))
	for i, e := range c.reference {
		leaves[i], hashes[i] = e.Index, e.Leaf
	}
	proof := make([]sibling, len(c.proof.lines))
	for i, line := range c.proof.lines {
		if err := decodeLine(line, &proof[i]); err != nil {
			c.fault("proof", "line %d: %v", i+1, err)
			return
		}
	}
	root, err := subsetRoot(c.head.Size, leaves, hashes, proof)
	if err != nil {
		c.fault("proof", "%v", err)
		return
	}
	if root != c.head.Root {
		c.fault("proof", "the events make the root %s, the head of size %d has %s: they are not those of the log", root, c.head.Size, c.head.Root)
	}
}

// lengths checks that streams are whole.
func (c *check) lengths() {
	next := map[string]uint64{}
	for _, e := range c.reference {
		if due := next[e.Stream]; e.Revision != due {
			c.fault("contents", "stream %s has revision %d where %d was due", e.Stream, e.Revision, due)
		}
		next[e.Stream] = e.Revision + 1
	}
	if !c.signed || !c.contents.good {
		return
	}
	found, signed := streamLengths(c.reference), c.Manifest.Streams
	for i := range max(len(found), len(signed)) {
		if i >= len(found) || i >= len(signed) || found[i] != signed[i] {
			c.fault("manifest", "the streams that it lists are not those of the file")
			return
		}
	}
}
