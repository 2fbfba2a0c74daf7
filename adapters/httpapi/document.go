package httpapi

import (
	_ "embed" // the OpenAPI document
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"understudy/domain/access"
)

//go:embed openapi.yaml
var openAPI []byte

// operation is what the document says about one method of one path.
type operation struct {
	id string
	// needs is what its caller needs.
	needs access.Operation
	// creates is the prefix of the id that a POST makes.
	creates string
	// produces lists the media types of its successes, */* for files.
	produces []string
	params   []parameter
	body     *bodyRule
}

// parameter is one of the query or the header.
type parameter struct {
	name, in string
	// kind is the JSON type that the text stands for.
	kind     string
	schema   *jsonschema.Schema
	required bool
}

// bodyRule is a request body, which is JSON.
type bodyRule struct {
	required bool
	// mediaTypes are those that say so here.
	mediaTypes []string
	schema     *jsonschema.Schema
	defaults   map[string]any
}

// document is the OpenAPI document, ready for use: its schemas are compiled
// once, because compiling takes longer than checking.
type document struct {
	// trees holds the document, and the schema of each parameter, as generic
	// JSON by the name that schemas are compiled under, for texts about them.
	trees map[string]map[string]any
	// json is the document as it is served.
	json []byte
	// operations by method and route, such as "GET /v1/tests/:id".
	operations map[string]*operation
}

// documentName is the name that the document's schemas are compiled under.
const documentName = "urn:understudy:openapi"

// loadDocument reads the embedded document; baseURL becomes its server. That
// the document is valid OpenAPI, its examples included, is for the tests to
// say: it takes longer than all the rest.
func loadDocument(baseURL string) (*document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		return nil, fmt.Errorf("load OpenAPI document: %w", err)
	}
	doc.Servers = openapi3.Servers{{URL: baseURL}}
	d := &document{operations: map[string]*operation{}, trees: map[string]map[string]any{}}
	if err := secure(doc); err != nil {
		return nil, err
	}
	raw, err := doc.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("write OpenAPI document: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("read OpenAPI document: %w", err)
	}
	d.trees[documentName] = tree
	if d.json, err = published(raw); err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: keepable})
	if err := compiler.AddResource(documentName, tree); err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o, err := d.operation(compiler, path, method, item, op)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			d.operations[method+" /v1"+echoPath(path)] = o
		}
	}
	return d, nil
}

// keepable checks what the format date-time is here: a time of RFC 3339 that Go
// reads, so no second 60 and no small letters, and that can be written in UTC.
func keepable(v any) error {
	written, is := v.(string)
	if !is {
		return nil
	}
	var at time.Time
	if err := at.UnmarshalText([]byte(written)); err != nil {
		return err
	}
	if year := at.UTC().Year(); year < 1 || year > 9999 {
		return fmt.Errorf("the year %d cannot be written", year)
	}
	return nil
}

// secure writes into the document what access.Operations says of each operation.
// It fails when the two disagree on which there are.
func secure(doc *openapi3.T) error {
	known := maps.Clone(access.Operations)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			needs, ok := known[op.OperationID]
			if !ok {
				return fmt.Errorf("OpenAPI document: %s is not in access.Operations", op.OperationID)
			}
			delete(known, op.OperationID)
			op.Security = securityOf(needs)
		}
	}
	for id := range known {
		return fmt.Errorf("OpenAPI document: it has no operation %s", id)
	}
	return nil
}

// securityOf is what an operation's caller needs, as the document says it: a
// bearer credential with a scope, or a capability in the address.
func securityOf(needs access.Operation) *openapi3.SecurityRequirements {
	security := openapi3.SecurityRequirements{}
	if !needs.Public {
		scopes := []string{}
		if needs.Scope != "" {
			scopes = append(scopes, needs.Scope)
		}
		security = append(security, openapi3.SecurityRequirement{"bearer": scopes})
	}
	if needs.SignedURL {
		security = append(security, openapi3.SecurityRequirement{"signedUrl": {}})
	}
	if needs.StreamToken {
		security = append(security, openapi3.SecurityRequirement{"streamToken": {}})
	}
	return &security
}

// echoPath writes /tests/{id} as /tests/:id.
func echoPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// published is the document without the hints for code generation.
func published(raw []byte) ([]byte, error) {
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	var strip func(any)
	strip = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			for k, v := range node {
				if strings.HasPrefix(k, "x-go-") {
					delete(node, k)
				}
				strip(v)
			}
		case []any:
			for _, v := range node {
				strip(v)
			}
		}
	}
	strip(tree)
	return json.Marshal(tree)
}

func (d *document) operation(c *jsonschema.Compiler, path, method string, item *openapi3.PathItem, op *openapi3.Operation) (*operation, error) {
	o := &operation{id: op.OperationID, needs: access.Operations[op.OperationID]}
	o.creates, _ = op.Extensions["x-creates"].(string)
	if method == http.MethodPost && o.creates == "" {
		return nil, fmt.Errorf("has no x-creates")
	}
	for status, response := range op.Responses.Map() {
		if strings.HasPrefix(status, "2") {
			for mediaType := range response.Value.Content {
				o.produces = append(o.produces, mediaType)
			}
		}
	}
	slices.Sort(o.produces)
	for _, list := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, ref := range list {
			p := ref.Value
			if p.In == openapi3.ParameterInPath {
				continue
			}
			schema, kind, err := d.parameterSchema(c, op.OperationID, p)
			if err != nil {
				return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
			}
			o.params = append(o.params, parameter{name: p.Name, in: p.In, kind: kind, schema: schema, required: p.Required})
		}
	}
	if op.RequestBody == nil {
		return o, nil
	}
	pointer := "#/paths/" + escape(path) + "/" + strings.ToLower(method) + "/requestBody/content/application~1json/schema"
	schema, err := c.Compile(documentName + pointer)
	if err != nil {
		return nil, fmt.Errorf("compile request body: %w", err)
	}
	o.body = &bodyRule{
		required: op.RequestBody.Value.Required, mediaTypes: slices.Sorted(maps.Keys(op.RequestBody.Value.Content)),
		schema: schema, defaults: d.defaultsOf(documentName + pointer),
	}
	return o, nil
}

// parameterSchema compiles a parameter's schema, which holds no references.
func (d *document) parameterSchema(c *jsonschema.Compiler, operationID string, p *openapi3.Parameter) (*jsonschema.Schema, string, error) {
	raw, err := json.Marshal(p.Schema.Value)
	if err != nil {
		return nil, "", err
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, "", err
	}
	name := documentName + "/" + operationID + "/" + p.Name
	if err := c.AddResource(name, tree); err != nil {
		return nil, "", err
	}
	schema, err := c.Compile(name)
	if err != nil {
		return nil, "", err
	}
	d.trees[name] = tree
	kind, _ := tree["type"].(string)
	return schema, kind, nil
}

// defaultsOf collects the defaults of an object schema's own properties.
func (d *document) defaultsOf(location string) map[string]any {
	node := d.schemaAt(location)
	properties, _ := node["properties"].(map[string]any)
	defaults := map[string]any{}
	for name, p := range properties {
		if p, ok := p.(map[string]any); ok {
			if v, ok := p["default"]; ok {
				defaults[name] = v
			}
		}
	}
	return defaults
}

// schemaAt is the schema at a location, references followed, as generic JSON;
// nil when there is none.
func (d *document) schemaAt(location string) map[string]any {
	name, pointer, _ := strings.Cut(location, "#")
	var node any = d.trees[name]
	if pointer != "" {
		for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			object, ok := node.(map[string]any)
			if !ok {
				return nil
			}
			node = object[unescape(token)]
		}
	}
	schema, _ := node.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		return d.schemaAt(name + ref)
	}
	return schema
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape writes a token of a JSON pointer (RFC 6901).
func escape(token string) string { return escaper.Replace(token) }

// unescape reads a token of a JSON pointer inside a URL fragment.
func unescape(token string) string {
	if decoded, err := url.PathUnescape(token); err == nil {
		token = decoded
	}
	return unescaper.Replace(token)
}

// Document is the OpenAPI document as it is written, in YAML.
func Document() []byte { return slices.Clone(openAPI) }
