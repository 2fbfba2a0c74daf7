package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// member is a field that the edge adds to an object of a stored document.
type member struct {
	name  string
	value any
}

// fields are the members of an object as far as adders need them: texts,
// numbers (json.Number), truth values, null, and objects as fields again.
type fields map[string]any

// text is a member that is a text, else "".
func (f fields) text(name string) string {
	s, _ := f[name].(string)
	return s
}

// object is a member that is an object, else nil.
func (f fields) object(name string) fields {
	o, _ := f[name].(fields)
	return o
}

// number is a member that is a number, else 0.
func (f fields) number(name string) float64 {
	n, _ := f[name].(json.Number)
	v, err := n.Float64()
	if err != nil {
		return 0
	}
	return v
}

// adder tells what to add to an object, given its members and how deep it
// stands (0: the document itself). A field that is there already stays.
type adder func(depth int, has fields) []member

// decorate copies a JSON document and adds fields to its objects. Fields keep
// their order and numbers their digits.
func decorate(doc []byte, add adder) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	d := &decorator{dec: dec, add: add}
	d.out.Grow(len(doc) + len(doc)/4)
	d.enc = json.NewEncoder(&d.out)
	d.enc.SetEscapeHTML(false)
	if _, err := d.value(0); err != nil {
		return nil, fmt.Errorf("stored document: %w", err)
	}
	return d.out.Bytes(), nil
}

type decorator struct {
	dec *json.Decoder
	enc *json.Encoder
	out bytes.Buffer
	add adder
}

// value copies one value and returns it unless it is an array.
func (d *decorator) value(depth int) (any, error) {
	token, err := d.dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return d.object(depth)
	case json.Delim('['):
		return nil, d.array(depth)
	}
	return token, d.scalar(token)
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
	for i := 0; d.dec.More(); i++ {
		if i > 0 {
			d.out.WriteByte(',')
		}
		if _, err := d.value(depth + 1); err != nil {
			return err
		}
	}
	d.out.WriteByte(']')
	_, err := d.dec.Token()
	return err
}

func (d *decorator) object(depth int) (fields, error) {
	d.out.WriteByte('{')
	has := fields{}
	for d.dec.More() {
		name, err := d.dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := name.(string)
		if !ok {
			return nil, fmt.Errorf("a field's name is %T", name)
		}
		if err := d.key(key, len(has) == 0); err != nil {
			return nil, err
		}
		if has[key], err = d.value(depth + 1); err != nil {
			return nil, err
		}
	}
	for _, m := range d.add(depth, has) {
		if _, present := has[m.name]; present {
			continue
		}
		if err := d.key(m.name, len(has) == 0); err != nil {
			return nil, err
		}
		if err := d.scalar(m.value); err != nil {
			return nil, err
		}
		has[m.name] = m.value
	}
	d.out.WriteByte('}')
	_, err := d.dec.Token()
	return has, err
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

// testFields adds the addresses of a test.
func (a *api) testFields(p Principal) adder {
	return func(depth int, has fields) []member {
		if depth > 0 {
			return nil
		}
		report := member{name: "report_url"}
		if id := has.text("report_id"); id != "" {
			report.value = a.links.ReportURL(p.OrganizationID, p.Environment, id, a.Now())
		}
		return []member{{"stream_url", a.links.StreamURL(p.OrganizationID, p.Environment, has.text("id"))}, report}
	}
}

// sessionFields adds a session's links. Its page is the only one that opens
// without a key.
func (a *api) sessionFields(p Principal, now time.Time) adder {
	return func(depth int, has fields) []member {
		if depth > 0 {
			return nil
		}
		id := has.text("id")
		base := a.links.APIURL("/sessions/" + id)
		page := a.links.SessionURL(p.OrganizationID, p.Environment, id, now)
		return []member{{"links", sessionLinks{base + "/trace", base + "/recording", base + "/screenshots", page}}}
	}
}

type sessionLinks struct {
	Trace       string `json:"trace"`
	Recording   string `json:"recording"`
	Screenshots string `json:"screenshots"`
	Page        string `json:"page"`
}

// artifactField adds the address of the artifact that a field of the document
// names.
func (a *api) artifactField(field string, now time.Time) adder {
	return func(depth int, has fields) []member {
		if depth > 0 || has.text(field) == "" {
			return nil
		}
		return []member{{"url", a.links.ArtifactURL(has.text(field), now)}}
	}
}

// reportFields adds the report's page, each screenshot's address beside its id,
// with the box drawn on it where the object has one, and the session's page
// where a step of it is named.
func (a *api) reportFields(p Principal, now time.Time) adder {
	return a.reportFieldsUntil(p, now, pageExpiry(now))
}

// reportFieldsUntil is reportFields with pages that open until then.
func (a *api) reportFieldsUntil(p Principal, now time.Time, until int64) adder {
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
		if id, step := has.text("session_id"), has["step"]; id != "" && step != nil {
			address := a.links.sessionURL(p.OrganizationID, p.Environment, id, until)
			add = append(add, member{"session_url", address + stepAnchor(int(has.number("step")))})
		}
		return add
	}
}
