// Package fuzzapi is a client made from the OpenAPI document alone. It makes
// requests for every operation, as the document allows them, nearly so, and not
// at all, and holds every answer against the document.
package fuzzapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// object is one of JSON.
type object = map[string]any

// documentName is what the document's schemas are compiled under.
const documentName = "urn:fuzzapi:document"

// document is an OpenAPI document as it is served.
type document struct {
	tree       object
	compiler   *jsonschema.Compiler
	operations []*operation
}

// operation is one method of one path.
type operation struct {
	id, method, path string
	params           []param
	body             *body
	// answers by status, "default" among them.
	answers map[string]*answer
}

// param is a parameter of path, query or header.
type param struct {
	name, in string
	required bool
	schema   object
	checked  *jsonschema.Schema
	// prefix is that of the identifiers it takes, such as test.
	prefix string
}

// body is what an operation takes.
type body struct {
	required   bool
	mediaTypes []string
	schema     object
	checked    *jsonschema.Schema
	examples   []any
}

// answer is what the document says of a status.
type answer struct {
	headers []header
	// content by media type; nil where nothing is said of what is in it.
	content map[string]*jsonschema.Schema
	// place is where in the document it is.
	place string
}

type header struct {
	name     string
	required bool
	schema   object
	checked  *jsonschema.Schema
}

// readDocument reads a document and compiles its schemas.
func readDocument(raw []byte) (*document, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	d := &document{compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(raw, &d.tree); err != nil {
		return nil, err
	}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentName, tree); err != nil {
		return nil, err
	}
	for path, item := range under(d.tree, "paths") {
		for _, method := range []string{"get", "put", "post", "patch", "delete"} {
			if _, there := item.(object)[method]; !there {
				continue
			}
			op, err := d.operation(path, method)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			d.operations = append(d.operations, op)
		}
	}
	slices.SortFunc(d.operations, func(a, b *operation) int { return strings.Compare(a.id, b.id) })
	return d, nil
}

func under(node object, key string) object {
	inner, _ := node[key].(object)
	return inner
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// pointer is a place in the document; its tokens are escaped (RFC 6901).
func pointer(tokens ...string) string {
	var b strings.Builder
	b.WriteByte('#')
	for _, token := range tokens {
		b.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(token)))
	}
	return b.String()
}

// at is the object at a pointer, after all references, and where that is.
func (d *document) at(place string) (object, string) {
	node := any(d.tree)
	for token := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(place, "#"), "/"), "/") {
		token, _ = url.PathUnescape(token)
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch in := node.(type) {
		case object:
			node = in[token]
		case []any:
			var i int
			if _, err := fmt.Sscan(token, &i); err != nil || i >= len(in) {
				return nil, place
			}
			node = in[i]
		}
	}
	found, _ := node.(object)
	if ref := text(found["$ref"]); ref != "" {
		return d.at(ref)
	}
	return found, place
}

func (d *document) compile(place string) (*jsonschema.Schema, error) {
	return d.compiler.Compile(documentName + place)
}

// idsAre finds in a description what a parameter's identifiers begin with.
var idsAre = regexp.MustCompile("`([a-z]+)_…`")

func (d *document) operation(path, method string) (*operation, error) {
	here := pointer("paths", path, method)
	node, _ := d.at(here)
	op := &operation{id: text(node["operationId"]), method: strings.ToUpper(method), path: path, answers: map[string]*answer{}}
	for _, list := range []string{pointer("paths", path, "parameters"), here + "/parameters"} {
		for i := 0; ; i++ {
			p, place := d.at(fmt.Sprintf("%s/%d", list, i))
			if p == nil {
				break
			}
			checked, err := d.compile(place + "/schema")
			if err != nil {
				return nil, err
			}
			one := param{name: text(p["name"]), in: text(p["in"]), required: p["required"] == true, checked: checked}
			one.schema, _ = d.at(place + "/schema")
			if found := idsAre.FindStringSubmatch(text(p["description"])); found != nil {
				one.prefix = found[1]
			}
			op.params = append(op.params, one)
		}
	}
	if _, there := node["requestBody"]; there {
		taken, place := d.at(here + "/requestBody")
		op.body = &body{required: taken["required"] == true}
		for mediaType := range under(taken, "content") {
			op.body.mediaTypes = append(op.body.mediaTypes, mediaType)
		}
		slices.Sort(op.body.mediaTypes)
		form := place + "/content/application~1json"
		var err error
		if op.body.checked, err = d.compile(form + "/schema"); err != nil {
			return nil, err
		}
		op.body.schema, _ = d.at(form + "/schema")
		content, _ := d.at(form)
		for _, example := range under(content, "examples") {
			op.body.examples = append(op.body.examples, example.(object)["value"])
		}
	}
	for status := range under(node, "responses") {
		a, err := d.answer(here + "/responses/" + status)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", status, err)
		}
		op.answers[status] = a
	}
	return op, nil
}

func (d *document) answer(place string) (_ *answer, err error) {
	node, place := d.at(place)
	a := &answer{content: map[string]*jsonschema.Schema{}, place: place}
	for name := range under(node, "headers") {
		h, at := d.at(place + pointer("headers", name)[1:])
		one := header{name: name, required: h["required"] == true}
		if one.checked, err = d.compile(at + "/schema"); err != nil {
			return nil, err
		}
		one.schema, _ = d.at(at + "/schema")
		a.headers = append(a.headers, one)
	}
	for mediaType, content := range under(node, "content") {
		a.content[mediaType] = nil
		if _, told := content.(object)["schema"]; told {
			if a.content[mediaType], err = d.compile(place + pointer("content", mediaType, "schema")[1:]); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}
