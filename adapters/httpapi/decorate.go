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

// adder tells what to add to an object, given its text fields and how deep it
// stands (0: the document itself). A field that is there already stays.
type adder func(depth int, texts map[string]string) []member

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

// value copies one value and returns it when it is a text.
func (d *decorator) value(depth int) (any, error) {
	token, err := d.dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return nil, d.object(depth)
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

func (d *decorator) object(depth int) error {
	d.out.WriteByte('{')
	texts, present := map[string]string{}, map[string]bool{}
	for d.dec.More() {
		name, err := d.dec.Token()
		if err != nil {
			return err
		}
		key, ok := name.(string)
		if !ok {
			return fmt.Errorf("a field's name is %T", name)
		}
		if err := d.key(key, len(present) == 0); err != nil {
			return err
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return err
		}
		present[key] = true
		if text, ok := value.(string); ok {
			texts[key] = text
		}
	}
	for _, m := range d.add(depth, texts) {
		if present[m.name] {
			continue
		}
		if err := d.key(m.name, len(present) == 0); err != nil {
			return err
		}
		if err := d.scalar(m.value); err != nil {
			return err
		}
		present[m.name] = true
	}
	d.out.WriteByte('}')
	_, err := d.dec.Token()
	return err
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
	return func(depth int, texts map[string]string) []member {
		if depth > 0 {
			return nil
		}
		report := member{name: "report_url"}
		if id := texts["report_id"]; id != "" {
			report.value = a.links.ReportURL(p.OrganizationID, p.Environment, id, a.Now())
		}
		return []member{{"stream_url", a.links.StreamURL(p.OrganizationID, p.Environment, texts["id"])}, report}
	}
}

// sessionFields adds a session's links, which are no secrets.
func (a *api) sessionFields(depth int, texts map[string]string) []member {
	if depth > 0 {
		return nil
	}
	base := a.links.APIURL("/sessions/" + texts["id"])
	return []member{{"links", sessionLinks{base + "/trace", base + "/recording", base + "/screenshots"}}}
}

type sessionLinks struct {
	Trace       string `json:"trace"`
	Recording   string `json:"recording"`
	Screenshots string `json:"screenshots"`
}

// artifactField adds the address of the artifact that a field of the document
// names.
func (a *api) artifactField(field string, now time.Time) adder {
	return func(depth int, texts map[string]string) []member {
		if depth > 0 || texts[field] == "" {
			return nil
		}
		return []member{{"url", a.links.ArtifactURL(texts[field], now)}}
	}
}

// reportFields adds the report's page, and each screenshot's address beside
// its id.
func (a *api) reportFields(p Principal, now time.Time) adder {
	return func(depth int, texts map[string]string) []member {
		if depth == 0 {
			return []member{{"report_url", a.links.ReportURL(p.OrganizationID, p.Environment, texts["id"], now)}}
		}
		if id := texts["screenshot_id"]; id != "" {
			return []member{{"screenshot_url", a.links.ArtifactURL(id, now)}}
		}
		return nil
	}
}
