package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"understudy/adapters/client"
)

// suite is a file of tests. Each has the fields of a POST /tests; what it leaves out
// is taken from defaults.
type suite struct {
	Defaults client.NewTest   `yaml:"defaults"`
	Tests    []client.NewTest `yaml:"tests"`
}

// readSuite reads the tests of a suite's file. ${NAME} in it is the variable NAME.
func readSuite(file string, getenv func(string) string) ([]client.NewTest, error) {
	raw, err := os.ReadFile(file) //nolint:gosec // the caller's own
	if err != nil {
		return nil, usage("--suite: %v", err)
	}
	tests, err := parseSuite(raw, getenv)
	if err != nil {
		return nil, usage("%s: %v", file, err)
	}
	return tests, nil
}

func parseSuite(raw []byte, getenv func(string) string) ([]client.NewTest, error) {
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, doc := range tree.Docs {
		ast.Walk(variables{getenv, &missing}, doc)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("these variables are not set: %s", strings.Join(slices.Compact(missing), ", "))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(nil), yaml.Strict())
	var s suite
	for _, doc := range tree.Docs {
		if err := decoder.DecodeFromNode(doc.Body, &s); err != nil {
			return nil, err
		}
	}
	if len(s.Tests) == 0 {
		return nil, fmt.Errorf("there is nothing under tests")
	}
	for i, t := range s.Tests {
		if s.Tests[i], err = over(s.Defaults, t); err != nil {
			return nil, err
		}
		if s.Tests[i].URL == "" || s.Tests[i].Task == "" {
			return nil, fmt.Errorf("tests[%d]: url and task are needed", i)
		}
	}
	return s.Tests, nil
}

// over lays a test over defaults, field by field.
func over(defaults, t client.NewTest) (out client.NewTest, err error) {
	for _, layer := range []client.NewTest{defaults, t} {
		raw, err := json.Marshal(layer)
		if err != nil {
			return out, err
		}
		var said map[string]any
		if err := json.Unmarshal(raw, &said); err != nil {
			return out, err
		}
		// A test's empty address and task are no answer to those of the defaults.
		for name, value := range said {
			if value == "" {
				delete(said, name)
			}
		}
		if raw, err = json.Marshal(said); err != nil {
			return out, err
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// variables puts the values of variables into the texts of a file, once it is parsed:
// a value cannot become more than a text.
type variables struct {
	getenv  func(string) string
	missing *[]string
}

func (v variables) Visit(node ast.Node) ast.Visitor {
	if text, ok := node.(*ast.StringNode); ok && strings.Contains(text.Value, "${") {
		text.Value = os.Expand(bracesOnly(text.Value), func(name string) string {
			if name == dollar {
				return "$"
			}
			value := v.getenv(name)
			if value == "" {
				*v.missing = append(*v.missing, name)
			}
			return value
		})
	}
	return v
}

// dollar is the name by which bracesOnly writes a $ that begins no ${NAME}.
const dollar = "$"

func bracesOnly(s string) string {
	var b strings.Builder
	for i, r := range s {
		b.WriteRune(r)
		if r == '$' && !strings.HasPrefix(s[i+1:], "{") {
			b.WriteString(dollar) // os.Expand reads $$ as the variable named $
		}
	}
	return b.String()
}
