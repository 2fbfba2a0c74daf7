package httpapi_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"understudy/domain/access"
)

var update = flag.Bool("update", false, "write the table of operations into docs/api.md")

// docs are where the table stands, between these two lines.
const (
	docs       = "../../docs/api.md"
	tableBegin = "<!-- made from access.Operations: go test ./adapters/httpapi -run TestOperations -update -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

// served is the document as clients get it.
func servedDocument(t *testing.T) *openapi3.T {
	t.Helper()
	g := newService(t).send("GET", "/openapi.json", "", "").wants(t, 200, "")
	doc, err := openapi3.NewLoader().LoadFromData(g.body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestOperationsAreDocumented(t *testing.T) {
	t.Parallel()
	var rows []string
	for path, item := range servedDocument(t).Paths.Map() {
		for method, op := range item.Operations() {
			needs := access.Operations[op.OperationID]
			rows = append(rows, fmt.Sprintf("| `%s %s` | %s | %s |\n", method, path, scopeInWords(needs), rolesOf(needs)))
		}
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(pathAndMethod(a), pathAndMethod(b)) })
	want := tableBegin + "\n| | Scope | Roles |\n|---|---|---|\n" + strings.Join(rows, "") + "\n" + tableEnd
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no table between its two comments", docs)
	}
	if !strings.Contains(string(text), want) {
		if !*update {
			t.Fatalf("%s has another table; write it with -update", docs)
		}
		if err := os.WriteFile(docs, []byte(before+want+after), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
}

// pathAndMethod is what rows are sorted by.
func pathAndMethod(row string) string {
	method, path, _ := strings.Cut(strings.Split(row, "`")[1], " ")
	return path + " " + method
}

func scopeInWords(needs access.Operation) string {
	words := "any"
	switch {
	case needs.Public:
		words = "no key"
	case needs.Scope != "":
		words = "`" + needs.Scope + "`"
	}
	if needs.SignedURL {
		words += ", or a signed address"
	}
	if needs.StreamToken {
		words += ", or the token of a `stream_url`"
	}
	if needs.SignedIn {
		words += ", or signed in"
	}
	return words
}

// rolesOf are those who may call an operation with the scopes that they have.
func rolesOf(needs access.Operation) string {
	var roles []string
	for _, role := range access.Roles {
		if needs.Decide(role.Scopes(), role, role.May(access.Dashboard)) == access.Permitted {
			roles = append(roles, string(role))
		}
	}
	if len(roles) == len(access.Roles) {
		return "all"
	}
	return strings.Join(roles, ", ")
}

// TestTheDocumentSaysWhatIsNeeded: a client that reads the document knows for each
// operation which scope or capability opens it.
func TestTheDocumentSaysWhatIsNeeded(t *testing.T) {
	t.Parallel()
	doc := servedDocument(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			needs := access.Operations[op.OperationID]
			if op.Security == nil {
				t.Errorf("%s %s: no security", method, path)
				continue
			}
			if needs.Public != (len(*op.Security) == 0) {
				t.Errorf("%s %s: public is %t, security %v", method, path, needs.Public, *op.Security)
			}
			for _, requirement := range *op.Security {
				for scheme, scopes := range requirement {
					if doc.Components.SecuritySchemes[scheme] == nil {
						t.Errorf("%s %s: there is no scheme %s", method, path, scheme)
					}
					if scheme == "bearer" && needs.Scope != "" && !slices.Equal(scopes, []string{needs.Scope}) {
						t.Errorf("%s %s: scopes %v, want %s", method, path, scopes, needs.Scope)
					}
				}
			}
		}
	}
}
