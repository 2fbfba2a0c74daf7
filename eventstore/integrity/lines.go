package integrity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
)

// An export is text: lines of JSON. The first one has the signed head and the
// signed manifest; then comes the table of contents with a line for each
// event, then the hashes of the rest of the tree, then the events. Each kind
// of line begins with a field of its own. Every line has exactly one spelling.
const (
	entryPrefix   = `{"entry":`
	siblingPrefix = `{"hash":`
	eventPrefix   = `{"event":`
)

// header is the first line.
type header struct {
	Format string `json:"understudy_export"`
	Key    string `json:"key"`
	// Rotations have led to the key.
	Rotations string `json:"rotations,omitempty"`
	Head      string `json:"head"`
	Manifest  string `json:"manifest"`
}

// entry is an event in the table of contents.
type entry struct {
	Index    int64     `json:"entry"`
	Stream   string    `json:"stream"`
	Revision uint64    `json:"revision"`
	Type     string    `json:"type"`
	Position uint64    `json:"position"`
	Leaf     tlog.Hash `json:"leaf"`
}

// sibling is the hash of a complete subtree: the At-th of 2^Level leaves.
type sibling struct {
	Hash  tlog.Hash `json:"hash"`
	Level int       `json:"level"`
	At    int64     `json:"at"`
}

// event is an event as it was recorded. Bytes that are text stand as text,
// others in base64.
type event struct {
	Index       int64     `json:"event"`
	Position    uint64    `json:"position"`
	Stream      string    `json:"stream"`
	Revision    uint64    `json:"revision"`
	ID          uuid.UUID `json:"id"`
	Type        string    `json:"type"`
	Created     string    `json:"created"`
	ContentType string    `json:"content_type"`
	Data        content   `json:"data"`
	Metadata    content   `json:"metadata"`
}

// content is bytes: a JSON text where they are UTF-8, else {"base64": "…"}.
type content []byte

type encoded struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON writes one of the two forms.
func (c content) MarshalJSON() ([]byte, error) {
	if utf8.Valid(c) {
		return encodeLine(string(c))
	}
	return encodeLine(encoded{c})
}

// UnmarshalJSON reads both.
func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var s string
		err := json.Unmarshal(data, &s)
		*c = content(s)
		return err
	}
	var e encoded
	err := json.Unmarshal(data, &e)
	*c = e.Base64
	return err
}

func lineOf(index int64, e eventstore.Raw) event {
	return event{
		Index: index, Position: e.Position, Stream: e.Stream, Revision: e.Revision, ID: e.ID, Type: e.Type,
		Created: e.Created.UTC().Format(time.RFC3339Nano), ContentType: e.ContentType, Data: e.Data, Metadata: e.Metadata,
	}
}

func (l event) raw() (eventstore.Raw, error) {
	created, err := time.Parse(time.RFC3339Nano, l.Created)
	if err != nil || !time.Unix(0, created.UnixNano()).Equal(created) {
		// Times that have no nanoseconds since 1970 would share a record with others.
		return eventstore.Raw{}, fmt.Errorf("the time %q cannot be read", l.Created)
	}
	return eventstore.Raw{
		ID: l.ID, Stream: l.Stream, Revision: l.Revision, Position: l.Position, Created: created.UTC(), Type: l.Type,
		ContentType: l.ContentType, Data: []byte(l.Data), Metadata: []byte(l.Metadata),
	}, nil
}

// ReadEvent reads a line of an export; false when it is none of an event. What it says is
// as good as the export: Verify tells.
func ReadEvent(text []byte) (e eventstore.Raw, ok bool, err error) {
	if !bytes.HasPrefix(text, []byte(eventPrefix)) {
		return e, false, nil
	}
	var l event
	if err := json.Unmarshal(text, &l); err != nil {
		return e, true, err
	}
	e, err = l.raw()
	return e, true, err
}

func entryOf(index int64, e eventstore.Raw) entry {
	return entry{Index: index, Stream: e.Stream, Revision: e.Revision, Type: e.Type, Position: e.Position, Leaf: Leaf(e)}
}

// encodeLine writes JSON without escapes for HTML and without a line's end.
func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var errSpelling = errors.New("it is not in the one spelling that an export has")

// decodeLine reads a line that encodeLine could have written.
func decodeLine(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return errSpelling
	}
	again, err := encodeLine(v)
	if err != nil || !bytes.Equal(again, line) {
		return errSpelling
	}
	return nil
}
