package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// schemaPlace is where schemas stand in the OpenAPI document.
const schemaPlace = "#/components/schemas/"

// suiteSchema is the JSON Schema of a file of tests: the document's own of a POST /tests,
// with all that it refers to.
func suiteSchema(document []byte) ([]byte, error) {
	var d struct {
		Components struct{ Schemas map[string]any }
	}
	if err := yaml.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	defs := map[string]any{}
	var take func(name string)
	var plain func(any) any
	take = func(name string) {
		if _, done := defs[name]; !done {
			defs[name] = nil // it may refer to itself
			defs[name] = plain(d.Components.Schemas[name])
		}
	}
	plain = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{}
			for key, value := range v {
				if ref, text := value.(string); text && key == "$ref" {
					name := strings.TrimPrefix(ref, schemaPlace)
					take(name)
					out[key] = "#/$defs/" + name
				} else if !strings.HasPrefix(key, "x-") {
					out[key] = plain(value)
				}
			}
			return out
		case []any:
			for i := range v {
				v[i] = plain(v[i])
			}
		}
		return v
	}
	take("NewTest")
	whole := defs["NewTest"].(map[string]any) //nolint:forcetypeassert // it is an object of the document
	// An address may have variables, and what the defaults say need not be said again.
	properties := whole["properties"].(map[string]any) //nolint:forcetypeassert // likewise
	properties["url"] = map[string]any{"type": "string", "minLength": 1, "description": "The page where everybody starts; ${NAME} is a variable."}
	delete(whole, "required")
	delete(defs, "WebAddress")
	return json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Tests for understudy test --suite", "$defs": defs,
		"type": "object", "additionalProperties": false, "required": []string{"tests"},
		"properties": map[string]any{
			"defaults": map[string]any{"$ref": "#/$defs/NewTest", "description": "What each test has that does not say otherwise."},
			"tests":    map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"$ref": "#/$defs/NewTest"}},
		},
	}, "", "  ")
}
