// Package test holds what is checked of the program as a whole. This file
// keeps its shape: who may import whom, and where time and chance may be.
package test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
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

// doors are the adapters through which people and programs ask for use cases.
var doors = []string{"adapters/httpapi"}

// The packages of the domain by what they are. A new one has to find its place.
var (
	streams = []string{
		"domain/testrun", "domain/session", "domain/delivery", "domain/webhook",
		"domain/report", "domain/comparison", "domain/account", "domain/custompersona", "domain/notice",
	}
	pure = []string{
		"domain/gate", "domain/scoring", "domain/findings", "domain/stats", "domain/mind", "domain/persona", "domain/walk",
	}
)

// mayImport is the table of who knows whom, for code that is not a test.
func mayImport(from, to string) bool {
	switch {
	case within(from, "cmd", "test"):
		return !within(to, "cmd") || within(to, from)
	case from == "domain":
		return false
	case within(from, "domain/process"):
		return within(to, "domain")
	case within(from, "domain/domaintest"):
		return to == "domain"
	case within(from, streams...):
		return to == "domain" || within(to, pure...)
	case within(from, pure...):
		return to == "domain" || within(to, pure...)
	case from == "eventstore":
		return to == "domain"
	case from == "eventstore/integrity":
		return to == "eventstore"
	case from == "eventstore/storetest":
		return to == "domain" || to == "eventstore"
	case within(from, "eventstore/node"):
		return within(to, "eventstore/node/engine")
	case from == "projections":
		return to == "domain" || to == "eventstore"
	case from == "projections/readmodels":
		return within(to, "projections")
	case within(from, "projections"):
		return within(to, "domain") || to == "eventstore" || to == "projections"
	case within(from, doors...) && to == "adapters/service":
		return true
	case within(from, "adapters"):
		adapter := strings.Join(strings.SplitN(from, "/", 3)[:2], "/")
		return within(to, "domain", adapter, "projections", "eventstore/integrity") || to == "eventstore"
	}
	return false
}

// testMayImport is what tests may know beyond their package: real parts to
// stand on.
func testMayImport(from, to string) bool {
	if mayImport(from, to) || within(to, from) {
		return true
	}
	switch {
	case within(from, "domain"):
		return to == "domain/domaintest"
	case within(from, "eventstore"):
		return within(to, "eventstore")
	case within(from, "projections"):
		return within(to, "domain", "projections", "eventstore", "adapters/postgres/pgtest")
	case within(from, "adapters"):
		return within(to, "eventstore", "adapters/postgres/pgtest", "test/sites")
	}
	return false
}

func TestWhoImportsWhom(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, path := range p.Imports {
			if to := below(path); to != "" && !mayImport(p.name(), to) {
				t.Errorf("%s imports %s", p.name(), to)
			}
		}
		for _, path := range append(p.TestImports, p.XTestImports...) {
			if to := below(path); to != "" && !testMayImport(p.name(), to) {
				t.Errorf("a test of %s imports %s", p.name(), to)
			}
		}
	}
}

func TestEveryPackageOfTheDomainHasItsPlace(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if name := p.name(); within(name, "domain") && name != "domain" &&
			!within(name, streams...) && !within(name, pure...) && !within(name, "domain/process", "domain/domaintest") {
			t.Errorf("%s is neither a stream nor pure nor the process", name)
		}
	}
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
			if foreign(path) && !within(path, "github.com/google/uuid", "go.jetify.com/typeid", "gonum.org/v1/gonum/stat") {
				t.Errorf("%s imports %s", p.name(), path)
			}
			if within(path, impure...) && !slices.Contains(textual, path) {
				t.Errorf("%s imports %s", p.name(), path)
			}
		}
	}
}

func TestWhatTheLayersStandOn(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, path := range p.Imports {
			if !foreign(path) {
				continue
			}
			switch {
			case within(p.name(), "projections") && !within(path, "github.com/jackc/pgx/v5", "github.com/google/uuid", "golang.org/x/sync/errgroup"):
				t.Errorf("%s imports %s", p.name(), path)
			case strings.HasPrefix(path, "github.com/EventStore/") && !within(p.name(), "eventstore", "test"):
				t.Errorf("%s talks to the event store past the port: %s", p.name(), path)
			case within(p.name(), "eventstore/node/engine") && strings.HasPrefix(path, "google.golang.org/"):
				t.Errorf("the engine knows the protocol: %s", path)
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
