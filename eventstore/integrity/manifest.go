package integrity

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	// exportFormat is the first line of a manifest and the version of the file.
	exportFormat = "understudy export v1"
	// exportVersion is what the first line of the file says.
	exportVersion = "v1"
)

// Manifest says what an export holds: every stream with its length, so that
// an event that is missing at a stream's end, or a whole stream, is missed.
type Manifest struct {
	// Test is the test whose history it is.
	Test string
	// Keys are the public keys that have signed for the log, in text form, the
	// oldest first; the last one signs.
	Keys string
	// Head is the tree's head that the events are proven to be under.
	Head Head
	// Contents, Proof and Events are the parts of the file.
	Contents, Proof, Events Part
	// Streams are all streams of the history, as they are up to the head.
	Streams []StreamLength
}

// Part is some lines of the file.
type Part struct {
	Lines  int
	SHA256 [32]byte
}

// StreamLength is how many events a stream has, and of which revisions.
type StreamLength struct {
	Stream      string
	Events      int
	First, Last uint64
}

// text is the manifest as it is signed: a line for each fact.
func (m Manifest) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\ntest %s\nkey %s\nhead %d %s\n", exportFormat, m.Head.Origin, m.Test, m.Keys, m.Head.Size, m.Head.Root)
	for _, p := range m.parts() {
		fmt.Fprintf(&b, "%s %d %x\n", p.name, p.part.Lines, p.part.SHA256)
	}
	for _, s := range m.Streams {
		fmt.Fprintf(&b, "stream %s events %d from %d to %d\n", s.Stream, s.Events, s.First, s.Last)
	}
	return b.String()
}

type namedPart struct {
	name string
	part *Part
}

func (m *Manifest) parts() []namedPart {
	return []namedPart{{"contents", &m.Contents}, {"proof", &m.Proof}, {"events", &m.Events}}
}

// parseManifest reads what text writes, and nothing else.
func parseManifest(text string) (m Manifest, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 8 || lines[0] != exportFormat {
		return m, fmt.Errorf("it does not begin with %q", exportFormat)
	}
	m.Head.Origin = lines[1]
	m.Test = strings.TrimPrefix(lines[2], "test ")
	m.Keys = strings.TrimPrefix(lines[3], "key ")
	if h := strings.Fields(lines[4]); len(h) == 3 {
		m.Head.Size, _ = strconv.ParseInt(h[1], 10, 64) // a fault shows below
		if m.Head.Root, err = tlog.ParseHash(h[2]); err != nil {
			return m, fmt.Errorf("its line 5 has no root hash")
		}
	}
	for i, p := range m.parts() {
		if f := strings.Fields(lines[5+i]); len(f) == 3 {
			p.part.Lines, _ = strconv.Atoi(f[1])
			sum, _ := hex.DecodeString(f[2])
			copy(p.part.SHA256[:], sum)
		}
	}
	for _, line := range lines[8:] {
		f := strings.Fields(line)
		if len(f) != 8 {
			return m, fmt.Errorf("the line %q tells no stream", line)
		}
		s := StreamLength{Stream: f[1]}
		s.Events, _ = strconv.Atoi(f[3])
		s.First, _ = strconv.ParseUint(f[5], 10, 64)
		s.Last, _ = strconv.ParseUint(f[7], 10, 64)
		m.Streams = append(m.Streams, s)
	}
	if m.text() != text {
		return m, fmt.Errorf("it is not in its canonical form")
	}
	return m, nil
}

// streamLengths counts the streams of a table of contents, in the order of
// their first events.
func streamLengths(entries []entry) (all []StreamLength) {
	place := map[string]int{}
	for _, e := range entries {
		i, known := place[e.Stream]
		if !known {
			i = len(all)
			place[e.Stream] = i
			all = append(all, StreamLength{Stream: e.Stream, First: e.Revision})
		}
		all[i].Events++
		all[i].Last = e.Revision
	}
	return all
}
