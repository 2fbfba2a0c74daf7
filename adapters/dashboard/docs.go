package dashboard

import (
	"bytes"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/yuin/goldmark"

	"understudy/domain"
)

// reference is the interface's document, ready to be shown.
type reference struct {
	About template.HTML
	Tags  []docTag
}

// docTag is what belongs together in the interface.
type docTag struct {
	Name, About string
	Operations  []docOperation
}

// docOperation is one method of one path, or an event that the service tells of.
type docOperation struct {
	ID, Method, Path, Summary string
	// Event is its name, "" for an operation.
	Event    string
	About    template.HTML
	Needs    []string
	Params   []docField
	Body     []docField
	Examples []docExample
	Answers  []docAnswer
	// words are what a search finds it by.
	words string
}

// docField is a parameter, or a field of an object.
type docField struct {
	Name, In, Kind string
	Required       bool
	About          template.HTML
}

type docExample struct{ Name, Text string }

// docAnswer is an answer by its status.
type docAnswer struct {
	Status, About string
	Fields        []docField
}

// docsPage is the list of operations, or one of them.
type docsPage struct {
	Query, Base string
	*reference
	One *docOperation
	// Found is how many operations a search has found.
	Found int
}

// markdown writes a description of the document, which is the product's own, as HTML.
// Raw HTML in it is left out.
func markdown(text string) template.HTML {
	var out bytes.Buffer
	if err := goldmark.Convert([]byte(text), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped
	}
	return template.HTML(out.String()) //nolint:gosec // goldmark writes no HTML but its own
}

// methods are in the order in which they are shown.
var methods = []string{http.MethodPost, http.MethodGet, http.MethodPatch, http.MethodPut, http.MethodDelete}

// readReference reads the interface's document.
func readReference(document []byte) (*reference, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	ref := &reference{About: markdown(doc.Info.Description)}
	paths := doc.Paths.Map()
	for _, tag := range doc.Tags {
		t := docTag{Name: tag.Name, About: tag.Description}
		for _, at := range slices.Sorted(maps.Keys(paths)) {
			for _, method := range methods {
				if op := paths[at].GetOperation(method); op != nil && slices.Contains(op.Tags, tag.Name) {
					t.Operations = append(t.Operations, readOperation(method, at, paths[at], op))
				}
			}
		}
		ref.Tags = append(ref.Tags, t)
	}
	webhooks := docTag{Name: "events", About: "What is sent to the addresses of webhooks."}
	for _, name := range slices.Sorted(maps.Keys(doc.Webhooks)) {
		o := readOperation(http.MethodPost, "", doc.Webhooks[name], doc.Webhooks[name].Post)
		o.ID, o.Event, o.Summary = name, name, strings.TrimSuffix(o.Summary, ".")
		o.words += " " + name
		webhooks.Operations = append(webhooks.Operations, o)
	}
	messages := docTag{Name: "messages", About: "What the stream of a test says."}
	if said := doc.Components.Schemas["StreamMessage"]; said != nil && said.Value.Discriminator != nil {
		for _, name := range slices.Sorted(maps.Keys(said.Value.Discriminator.Mapping)) {
			schema := doc.Components.Schemas[path.Base(said.Value.Discriminator.Mapping[name].Ref)]
			what, more, _ := strings.Cut(strings.TrimSuffix(schema.Value.Description, "."), "; ")
			messages.Operations = append(messages.Operations, docOperation{
				ID: "stream." + name, Event: name, Summary: what, About: markdown(more), Body: fieldsOf(schema, "", 3), words: strings.ToLower(name + " " + what),
			})
		}
	}
	ref.Tags = append(ref.Tags, webhooks, messages)
	return ref, nil
}

func readOperation(method, path string, item *openapi3.PathItem, op *openapi3.Operation) docOperation {
	o := docOperation{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, About: markdown(op.Description)}
	if op.Security != nil {
		for _, need := range *op.Security {
			for scheme, scopes := range need {
				o.Needs = append(o.Needs, strings.TrimSpace(scheme+" "+strings.Join(scopes, " ")))
			}
		}
	}
	for _, list := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range list {
			o.Params = append(o.Params, docField{Name: p.Value.Name, In: p.Value.In, Kind: kindOfSchema(p.Value.Schema), Required: p.Value.Required, About: markdown(p.Value.Description)})
		}
	}
	if op.RequestBody != nil {
		for _, media := range op.RequestBody.Value.Content {
			o.Body = fieldsOf(media.Schema, "", 3)
			for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
				if text, err := json.MarshalIndent(media.Examples[name].Value.Value, "", "  "); err == nil {
					o.Examples = append(o.Examples, docExample{name, string(text)})
				}
			}
		}
	}
	answers := op.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		a := docAnswer{Status: status}
		if answers[status].Value.Description != nil {
			a.About = *answers[status].Value.Description
		}
		if strings.HasPrefix(status, "2") {
			if media := answers[status].Value.Content.Get("application/json"); media != nil {
				a.Fields = fieldsOf(media.Schema, "", 3)
			}
		}
		o.Answers = append(o.Answers, a)
	}
	words := []string{op.OperationID, method, path, op.Summary, op.Description}
	for _, f := range append(slices.Clone(o.Params), o.Body...) {
		words = append(words, f.Name)
	}
	o.words = strings.ToLower(strings.Join(words, " "))
	return o
}

// fieldsOf are the fields of an object and, so deep, of those in it.
func fieldsOf(ref *openapi3.SchemaRef, prefix string, deep int) (out []docField) {
	if ref == nil || ref.Value == nil || deep == 0 {
		return nil
	}
	schema := ref.Value
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		out = append(out, fieldsOf(part, prefix, deep)...)
	}
	if schema.Items != nil {
		out = append(out, fieldsOf(schema.Items, prefix, deep)...)
	}
	names := slices.Sorted(maps.Keys(schema.Properties))
	slices.SortStableFunc(names, func(a, b string) int { // what is required stands first
		return boolOf(slices.Contains(schema.Required, b)) - boolOf(slices.Contains(schema.Required, a))
	})
	for _, name := range names {
		p := schema.Properties[name]
		out = append(out, docField{Name: prefix + name, Kind: kindOfSchema(p), Required: slices.Contains(schema.Required, name), About: markdown(p.Value.Description)})
		out = append(out, fieldsOf(p, prefix+name+".", deep-1)...)
	}
	return out
}

func boolOf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// kindOfSchema says what a value may be.
func kindOfSchema(ref *openapi3.SchemaRef) string {
	if ref == nil || ref.Value == nil {
		return ""
	}
	s := ref.Value
	var parts []string
	if s.Type != nil {
		parts = append(parts, strings.Join(s.Type.Slice(), " or "))
	}
	if s.Items != nil {
		parts = append(parts, "of "+kindOfSchema(s.Items))
	}
	var values []string
	for _, v := range s.Enum {
		if text, ok := v.(string); ok {
			values = append(values, text)
		}
	}
	if len(values) > 0 {
		parts = append(parts, strings.Join(values, ", "))
	}
	if s.Min != nil && s.Max != nil {
		parts = append(parts, strconv.FormatFloat(*s.Min, 'f', -1, 64)+" to "+strconv.FormatFloat(*s.Max, 'f', -1, 64))
	}
	if s.Default != nil {
		if text, err := json.Marshal(s.Default); err == nil {
			parts = append(parts, "by default "+string(text))
		}
	}
	return strings.Join(parts, ", ")
}

// find is the reference with the operations that have all words of a query.
func (ref *reference) find(query string) (*reference, int) {
	found, n := &reference{About: ref.About}, 0
	for _, t := range ref.Tags {
		kept := docTag{Name: t.Name, About: t.About}
		for _, o := range t.Operations {
			fits := true
			for word := range strings.FieldsSeq(strings.ToLower(query)) {
				fits = fits && strings.Contains(o.words, word)
			}
			if fits {
				kept.Operations = append(kept.Operations, o)
			}
		}
		if n += len(kept.Operations); len(kept.Operations) > 0 {
			found.Tags = append(found.Tags, kept)
		}
	}
	return found, n
}

// docs are the pages of the interface's reference, for everybody.
func (d *Dashboard) docs(w http.ResponseWriter, r *http.Request) {
	v := view{Title: "API reference", Wide: true}
	if who, err := d.who(r.Context()); err == nil {
		v.Who = &who
	}
	ref, err := d.reference()
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page := docsPage{Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	page.reference, page.Found = ref.find(page.Query)
	if id := r.PathValue("operation"); id != "" {
		for _, t := range ref.Tags {
			for _, o := range t.Operations {
				if o.ID == id {
					page.One, v.Title = &o, o.Summary
				}
			}
		}
		if page.One == nil {
			d.fail(w, r, domain.Refuse(domain.CodeNotFound, "the interface has no such operation"))
			return
		}
	}
	if v.Data = page; asked(r) {
		d.part(w, r, "docs", "operations", v)
		return
	}
	d.show(w, r, http.StatusOK, "docs", v)
}
