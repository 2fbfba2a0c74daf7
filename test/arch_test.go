// Package test holds what is checked of the program as a whole. This file
// keeps its shape: who may import whom, and where time and chance may be.
package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "understudy"

// goPackage is what go list tells of a package of the module.
type goPackage struct {
	ImportPath                         string
	Dir                                string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
}

// name is the import path below the module: "domain/testrun".
func (p goPackage) name() string { return below(p.ImportPath) }

var packages = sync.OnceValues(func() (all []goPackage, err error) {
	// -e: a package that does not compile right now still has imports.
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

func list(t *testing.T) []goPackage {
	t.Helper()
	all, err := packages()
	if err != nil || len(all) < 20 {
		t.Fatalf("go list: %d packages: %v", len(all), err)
	}
	return all
}

// below cuts the module off an import path; "" when it is another's.
func below(path string) string {
	if path == module {
		return "."
	}
	rest, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return ""
	}
	return rest
}

// within reports whether a package is one of the trees or below it.
func within(name string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return name == tree || strings.HasPrefix(name, tree+"/") })
}

// The packages of the domain by what they are. A new one has to find its place.
var (
	streams = trees("domain/",
		"testrun", "session", "delivery", "webhook", "report", "comparison", "account", "apikey", "custompersona", "notice", "oauthclient", "grant", "user", "address")
	pure  = trees("domain/", "access", "gate", "scoring", "findings", "stats", "persona", "walk", "language", "task", "reading", "oracle", "forager", "replay", "sandbox")
	doors = trees("adapters/", "httpapi", "oauth", "dashboard")
)

// rule says whom packages may know: by name, "x/..." is x and all below it, and
// itself what is in the same second folder.
type rule struct {
	// title is what the documents call the packages, "" for their names.
	title string
	of    []string
	know  []string
	// test is what their tests may know beyond that and what is below them: real
	// parts to stand on.
	test []string
}

const itself = "itself"

var anAdapter = []string{"domain/...", "eventstore", "eventstore/integrity", "projections/...", itself}

// waits is what all tests know: how long to wait.
const waits = "test/patience"

// standing is what tests of adapters stand on.
var standing = []string{"eventstore/...", "adapters/postgres/...", "test/sites/..."}

// rules is the table of who knows whom. The first that names a package counts.
var rules = []rule{
	{of: []string{"domain"}, test: []string{"domain/domaintest"}},
	{of: []string{"domain/domaintest"}, know: []string{"domain"}},
	{of: []string{"domain/process"}, know: []string{"domain/..."}},
	{title: "streams", of: streams, know: append([]string{"domain"}, pure...), test: []string{"domain/domaintest"}},
	{of: []string{"domain/oracle"}, know: []string{"domain/language", "domain/reading", "domain/task", "domain/walk"}},
	{of: []string{"domain/forager", "domain/forager/forms"}, know: []string{"domain/forager/forms", "domain/language", "domain/persona", "domain/reading", "domain/task", "domain/walk"}},
	{title: "pure packages", of: pure, know: append([]string{"domain"}, pure...), test: []string{"domain/domaintest"}},
	{of: []string{"eventstore"}, know: []string{"domain"}, test: []string{"eventstore/..."}},
	{of: []string{"eventstore/storetest"}, know: []string{"domain", "eventstore", waits}},
	{of: []string{"eventstore/integrity"}, know: []string{"eventstore"}, test: []string{"domain", "eventstore/..."}},
	{of: []string{"eventstore/node/..."}, know: []string{"eventstore/node/engine"}, test: []string{"domain", "eventstore/..."}},
	{of: []string{"projections"}, know: []string{"domain", "eventstore"},
		test: []string{"domain/...", "projections/...", "eventstore/...", "adapters/postgres/pgtest"}},
	{of: []string{"projections/readmodels"}, know: []string{"projections/..."}},
	{of: []string{"projections/timeline"}, know: []string{"domain/...", "eventstore", "projections", "projections/sessions"}},
	{of: []string{"projections/..."}, know: []string{"domain/...", "eventstore", "projections"},
		test: []string{"projections/...", "eventstore/...", "adapters/postgres/pgtest"}},
	{of: []string{"adapters/service"}, know: []string{"domain/...", "eventstore", "projections/...", itself}, test: standing},
	{title: "front doors", of: doors, know: append([]string{"adapters/service"}, anAdapter...), test: standing},
	{of: []string{"adapters/client"}},
	{of: []string{"adapters/cli"}, know: []string{"adapters/client", "domain", "domain/access", "domain/comparison", "domain/oauthclient"}},
	{of: []string{"adapters/postgres/pgtest"}, know: []string{"adapters/postgres", waits}},
	{of: []string{"adapters/..."}, know: anAdapter, test: standing},
	{of: []string{waits}},
	{of: []string{"cmd/...", "test/..."}, know: []string{"domain/...", "eventstore/...", "projections/...", "adapters/...", "test/...", itself}},
}

// trees are packages of a folder with all below them.
func trees(folder string, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, folder+name+"/...")
	}
	return all
}

// named reports whether a pattern of a rule about a package names another.
func named(from, to string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == itself {
			return within(to, strings.Join(strings.SplitN(from, "/", 3)[:2], "/"))
		}
		tree, below := strings.CutSuffix(pattern, "/...")
		return to == tree || below && within(to, tree)
	})
}

func ruleOf(name string) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool { return named(name, name, r.of) })
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}

func TestWhoImportsWhom(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		from := p.name()
		r, ok := ruleOf(from)
		if !ok {
			t.Errorf("no rule names %s: it has to find its place", from)
		}
		for _, path := range p.Imports {
			if to := below(path); to != "" && !named(from, to, r.know) {
				t.Errorf("%s imports %s", from, to)
			}
		}
		for _, path := range append(p.TestImports, p.XTestImports...) {
			if to := below(path); to != "" && to != waits && !within(to, from) && !named(from, to, r.know) && !named(from, to, r.test) {
				t.Errorf("a test of %s imports %s", from, to)
			}
		}
	}
}

// The table of ARCHITECTURE.md is this one.
func TestTheDocumentedImportsAreTheRules(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| From | May know |\n|---|---|\n")
	for _, r := range rules {
		of, know := quoted(r.of), quoted(r.know)
		if r.title != "" {
			of = r.title + ": " + of
		}
		fmt.Fprintf(&b, "| %s | %s |\n", of, know)
	}
	if !strings.Contains(string(document), "\n\n"+b.String()+"\n") {
		t.Errorf("ARCHITECTURE.md has another table; this is the one:\n%s", b.String())
	}
}

// quoted writes patterns as the documents do: those of the pure packages in two
// words.
func quoted(patterns []string) string {
	var all []string
	rest := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return slices.Contains(pure, p) })
	for _, p := range rest {
		if p != itself {
			p = "`" + p + "`"
		}
		all = append(all, p)
	}
	switch {
	case len(patterns) == 0:
		return "nothing of ours"
	case len(rest) == 0:
		return "`" + strings.Join(pure, "`, `") + "`"
	case len(rest) < len(patterns):
		all = append(all, "the pure packages")
	}
	return strings.Join(all, ", ")
}

// foreign reports whether a path is neither ours nor the standard library's.
func foreign(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".")
}

// impure are the parts of the standard library that reach outside.
var impure = []string{"os", "net", "log", "database", "syscall", "unsafe", "plugin", "testing", "crypto/rand", "io/ioutil", "runtime"}

// textual are the packages below net that only read and write text.
var textual = []string{"net/url", "net/netip"}

func TestTheDomainIsPure(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if !within(p.name(), "domain") || p.name() == "domain/domaintest" {
			continue
		}
		for _, path := range p.Imports {
			if within(path, impure...) && !slices.Contains(textual, path) {
				t.Errorf("%s imports %s", p.name(), path)
			}
		}
	}
}

type allowed struct {
	of  string
	use []string
}

// libraries are all that these packages use of others, where it is few. The first
// that names a package counts.
var libraries = []allowed{
	{"domain/domaintest", []string{"github.com/google/uuid", "github.com/google/go-cmp", "pgregory.net/rapid"}},
	{"domain", []string{"github.com/google/uuid", "go.jetify.com/typeid", "gonum.org/v1/gonum/stat"}},
	{"projections", []string{"github.com/jackc/pgx/v5", "github.com/google/uuid", "golang.org/x/sync/errgroup", "github.com/segmentio/encoding/json"}},
}

// wrapped are libraries that only some may use, their tests included; nobody
// where none are named.
var wrapped = []struct {
	library string
	by      []string
}{
	{"github.com/EventStore/EventStore-Client-Go", []string{"eventstore", "test"}}, // its faults are the port's to wrap
	{"github.com/playwright-community/playwright-go", []string{"adapters/browser"}},
	{"github.com/openai/openai-go", []string{"adapters/brain"}},
	{"github.com/anthropics/anthropic-sdk-go", []string{"adapters/brain"}},
	{"go.opentelemetry.io/otel/sdk", []string{"adapters/telemetry"}}, // others know the interface, and the global provider
	{"go.opentelemetry.io/contrib/exporters", []string{"adapters/telemetry"}},
	{"github.com/prometheus/prometheus", []string{"test"}}, // its parser, for the alerts
	{"github.com/pkg/errors", nil},                         // errors and fmt
	{"io/ioutil", nil},                                     // io and os
	{"log", nil},                                           // log/slog
}

func TestWhatThePackagesStandOn(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, path := range p.Imports {
			i := slices.IndexFunc(libraries, func(l allowed) bool { return within(p.name(), l.of) })
			if i >= 0 && foreign(path) && !within(path, libraries[i].use...) {
				t.Errorf("%s imports %s", p.name(), path)
			}
			if within(p.name(), "eventstore/node/engine") && strings.HasPrefix(path, "google.golang.org/") {
				t.Errorf("the engine knows the protocol: %s", path)
			}
		}
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for _, w := range wrapped {
				tree := within(path, w.library) && path != "log/slog"
				if tree && !within(p.name(), w.by...) {
					t.Errorf("%s imports %s past those who wrap it: %v", p.name(), path, w.by)
				}
			}
		}
	}
}

// eachUse passes on every use of a package's name, such as time.Sleep, in the
// files of a package.
func eachUse(t *testing.T, p goPackage, files []string, fn func(path, name string, at token.Position)) {
	t.Helper()
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		imported := map[string]string{}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			local := path[strings.LastIndex(path, "/")+1:]
			if path == "math/rand/v2" {
				local = "rand"
			}
			if i.Name != nil {
				local = i.Name.Name
			}
			imported[local] = path
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" && x.Obj == nil {
					fn(imported[x.Name], s.Sel.Name, set.Position(s.Pos()))
				}
			}
			return true
		})
	}
}

func TestNoTestSleeps(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		eachUse(t, p, append(p.TestGoFiles, p.XTestGoFiles...), func(path, name string, at token.Position) {
			if path == "time" && name == "Sleep" {
				t.Errorf("%s: a test sleeps; wait for a condition with a bound", at)
			}
		})
	}
}

// clock is what reads or waits for the real time.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

// seeded is what of math/rand needs a seed; all else is the global source.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf", "Rand", "PCG", "ChaCha8", "Source", "Zipf"}

func TestTheDomainHasNoClockAndNoChance(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if !within(p.name(), "domain") {
			continue
		}
		eachUse(t, p, p.GoFiles, func(path, name string, at token.Position) {
			if path == "time" && slices.Contains(clock, name) {
				t.Errorf("%s: time.%s; time comes inside commands", at, name)
			}
			if within(path, "math/rand") && !slices.Contains(seeded, name) {
				t.Errorf("%s: rand.%s is not seeded", at, name)
			}
			if path == "github.com/google/uuid" && strings.HasPrefix(name, "New") && name != "NewSHA1" {
				t.Errorf("%s: uuid.%s is random; identifiers come inside commands", at, name)
			}
		})
	}
}
