package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/projections"
)

// member is a field that the edge adds to an object of a stored document.
type member struct {
	name  string
	value any
}

// fields are the members of an object as far as adders need them. Objects are
// small: looking through all members is quicker than a map would be made.
type fields []field

// field is a member and its value: of a text its characters, of an array or an
// object that it is one, of others what is written.
type field struct {
	name   string
	isText bool
	text   string
	object fields
}

// member is the one of a name, the zero value when there is none.
func (f fields) member(name string) field {
	if i := slices.IndexFunc(f, func(m field) bool { return m.name == name }); i >= 0 {
		return f[i]
	}
	return field{}
}

// given reports whether a member is there and not null.
func (f fields) given(name string) bool {
	m := f.member(name)
	return m.isText || m.text != "" && m.text != "null"
}

// roomFor is how many members most documents have, and most objects in them.
var roomFor = [...]int{32, 4}

// text is a member that is a text, else "".
func (f fields) text(name string) string {
	if m := f.member(name); m.isText {
		return m.text
	}
	return ""
}

// object is a member that is an object, else nil.
func (f fields) object(name string) fields { return f.member(name).object }

// number is a member that is a number, else 0.
func (f fields) number(name string) float64 {
	m := f.member(name)
	v, err := strconv.ParseFloat(m.text, 64)
	if m.isText || err != nil {
		return 0
	}
	return v
}

// adder tells what to add to an object, given its members and how deep it
// stands (0: the document itself). A field that is there already stays.
type adder func(depth int, has fields) []member

// decorate copies a JSON document and adds fields to its objects. Fields keep
// their order and numbers their digits; texts are escaped as little as JSON
// allows. encoding/json's tokens would do the same at five times the cost,
// which every GET pays.
func decorate(doc []byte, add adder) ([]byte, error) {
	if !json.Valid(doc) {
		return nil, errors.New("stored document: it is not JSON")
	}
	d := &decorator{doc: string(doc), add: add}
	d.out.Grow(len(doc) + len(doc)/4)
	d.enc = json.NewEncoder(&d.out)
	d.enc.SetEscapeHTML(false)
	if _, err := d.value(0); err != nil {
		return nil, fmt.Errorf("stored document: %w", err)
	}
	return d.out.Bytes(), nil
}

// decorator walks a document that is known to be valid.
type decorator struct {
	doc string
	at  int
	enc *json.Encoder
	out bytes.Buffer
	add adder
}

// next skips white space and returns the byte behind it.
func (d *decorator) next() byte {
	for d.doc[d.at] == ' ' || d.doc[d.at] == '\t' || d.doc[d.at] == '\n' || d.doc[d.at] == '\r' {
		d.at++
	}
	return d.doc[d.at]
}

// value copies one value and returns it as a field without a name.
func (d *decorator) value(depth int) (field, error) {
	switch d.next() {
	case '{':
		object, err := d.object(depth)
		return field{text: "{", object: object}, err
	case '[':
		return field{text: "["}, d.array(depth)
	case '"':
		text, err := d.text()
		return field{isText: true, text: text}, err
	}
	raw := d.doc[d.at:]
	if end := strings.IndexAny(raw, ",]} \t\n\r"); end >= 0 {
		raw = raw[:end]
	}
	d.at += len(raw)
	d.out.WriteString(raw)
	return field{text: raw}, nil
}

// text copies a text. Plain ASCII is taken over as it stands; the rest is
// written anew, so that all texts are escaped alike.
func (d *decorator) text() (string, error) {
	end, verbatim := d.at+1, true
	for ; d.doc[end] != '"'; end++ {
		if d.doc[end] == '\\' {
			verbatim = false
			end++
		} else if d.doc[end] >= 0x7f {
			verbatim = false
		}
	}
	raw := d.doc[d.at : end+1]
	d.at = end + 1
	if verbatim {
		d.out.WriteString(raw)
		return raw[1 : len(raw)-1], nil
	}
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		return "", err
	}
	return text, d.scalar(text)
}

// scalar writes a text, a number, a truth value or null.
func (d *decorator) scalar(v any) error {
	if err := d.enc.Encode(v); err != nil {
		return err
	}
	d.out.Truncate(d.out.Len() - 1) // Encode ends with a newline
	return nil
}

func (d *decorator) array(depth int) error {
	d.out.WriteByte('[')
	for d.at++; d.next() != ']'; {
		if d.doc[d.at] == ',' {
			d.out.WriteByte(',')
			d.at++
		}
		if _, err := d.value(depth + 1); err != nil {
			return err
		}
	}
	d.at++
	d.out.WriteByte(']')
	return nil
}

func (d *decorator) object(depth int) (fields, error) {
	d.out.WriteByte('{')
	has := make(fields, 0, roomFor[min(depth, 1)])
	for d.at++; d.next() != '}'; {
		if d.doc[d.at] == ',' {
			d.out.WriteByte(',')
			d.at++
			d.next()
		}
		name, err := d.text()
		if err != nil {
			return nil, err
		}
		d.out.WriteByte(':')
		d.next()
		d.at++ // the colon
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		value.name = name
		has = append(has, value)
	}
	d.at++
	for _, m := range d.add(depth, has) {
		if slices.ContainsFunc(has, func(f field) bool { return f.name == m.name }) {
			continue
		}
		if err := d.key(m.name, len(has) == 0); err != nil {
			return nil, err
		}
		if err := d.scalar(m.value); err != nil {
			return nil, err
		}
		has = append(has, field{name: m.name})
	}
	d.out.WriteByte('}')
	return has, nil
}

func (d *decorator) key(name string, first bool) error {
	if !first {
		d.out.WriteByte(',')
	}
	if err := d.scalar(name); err != nil {
		return err
	}
	d.out.WriteByte(':')
	return nil
}

func (a *api) shownReport(p service.Principal, now time.Time, until int64) show[json.RawMessage] {
	return func(d projections.Document[json.RawMessage]) ([]byte, error) {
		return decorate(d.JSON, a.addReport(p, now, until))
	}
}

func (a *api) addReport(p service.Principal, now time.Time, until int64) adder {
	return func(depth int, has fields) (add []member) {
		if depth == 0 {
			return []member{{"report_url", a.links.reportURL(p.OrganizationID, p.Environment, has.text("id"), until)}}
		}
		if id := has.text("screenshot_id"); id != "" {
			address := a.links.ArtifactURL(id, now)
			box := has.object("box")
			if m, ok := markOf(box.number("x"), box.number("y"), box.number("w"), box.number("h"), int(has.number("viewport_width"))); ok {
				address = a.links.annotatedURL(id, m, now)
			}
			add = append(add, member{"screenshot_url", address})
		}
		if id := has.text("session_id"); id != "" && has.given("step") {
			address := a.links.sessionURL(p.OrganizationID, p.Environment, id, until)
			add = append(add, member{"session_url", address + stepAnchor(int(has.number("step")))})
		}
		return add
	}
}
