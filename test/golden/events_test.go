// Package golden keeps every shape that an event was ever recorded in.
//
// A file is never changed: logs hold events of that shape. When a type gets a
// new field (which keeps its version), the test fails until
//
//	go test ./test/golden -update
//
// adds the new shape beside the old ones (testrun.created.v1+2.json, …), and
// all of them must still be read. events/SHA256SUMS keeps watch over them: a
// file that is changed, removed or not in it fails the test, and -update only
// ever adds lines. `cd events && sha256sum -c SHA256SUMS` says the same.
package golden

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/apikey"
	"understudy/domain/comparison"
	"understudy/domain/custompersona"
	"understudy/domain/delivery"
	"understudy/domain/domaintest"
	"understudy/domain/grant"
	"understudy/domain/notice"
	"understudy/domain/oauthclient"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/user"
	"understudy/domain/webhook"
)

var update = flag.Bool("update", false, "write the golden files that are missing; existing ones are never changed")

// catalogues are those of every kind of stream, by package.
var catalogues = map[string][]domain.Entry{
	"account": account.Catalogue, "address": address.Catalogue, "user": user.Catalogue, "apikey": apikey.Catalogue, "comparison": comparison.Catalogue, "custompersona": custompersona.Catalogue,
	"grant": grant.Catalogue, "notice": notice.Catalogue, "oauthclient": oauthclient.Catalogue,
	"delivery": delivery.Catalogue, "report": report.Catalogue, "session": session.Catalogue, "testrun": testrun.Catalogue,
	"webhook": webhook.Catalogue,
}

func entries() (all []domain.Entry) {
	for _, c := range catalogues {
		all = append(all, c...)
	}
	slices.SortFunc(all, func(a, b domain.Entry) int { return strings.Compare(a.Type, b.Type) })
	return all
}

// file names the n-th shape, from 1, that a type has had.
func file(typ string, n int) string {
	if n > 1 {
		typ = fmt.Sprintf("%s+%d", typ, n)
	}
	return filepath.Join("events", typ+".json")
}

// shapes reads every shape of a type, oldest first.
func shapes(t *testing.T, typ string) (all [][]byte) {
	t.Helper()
	for {
		b, err := os.ReadFile(file(typ, len(all)+1))
		if errors.Is(err, fs.ErrNotExist) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
}

// TestShapes: what a type is written as today is the newest of its shapes.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, entry := range entries() {
		t.Run(entry.Type, func(t *testing.T) {
			t.Parallel()
			data, err := json.MarshalIndent(domaintest.Example(entry), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, '\n')
			known := shapes(t, entry.Type)
			if newest := domaintest.Example(entry).EventType(); newest != entry.Type {
				if len(known) == 0 {
					t.Fatalf("%s, an older shape of %s, has no golden file", entry.Type, newest)
				}
				return // nothing is written as this any more
			}
			if len(known) > 0 && reflect.DeepEqual(decoded(t, known[len(known)-1]), decoded(t, data)) {
				return
			}
			next := file(entry.Type, len(known)+1)
			if *update {
				if err := os.WriteFile(next, data, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(known) == 0 {
				t.Fatalf("%s is missing; run with -update to write it", next)
			}
			t.Fatalf("the shape is no longer that of %s.\nAn added field: run with -update, which adds %s. Anything else needs a new version of the event.\n%s",
				file(entry.Type, len(known)), next, data)
		})
	}
}

// givenUp are the paths that reading loses, by type. Where the first files
// say {"of":…} there was raw JSON; what was recorded in it stands field by field
// in the later files. Seconds became milliseconds.
var givenUp = map[string][]string{
	"comparison.completed.v1": {"/result/of"},
	"report.generated.v1":     {"/document/of"},
	"session.completed.v1":    {"/findings/of", "/simulated_seconds"},
	"session.completed.v2":    {"/findings/of"},
	"session.queued.v1":       {"/persona/facets/of"},
}

// TestEveryShapeIsRead: all that was ever written is read, and nothing of it is
// lost: what is read is written with at least the same fields.
func TestEveryShapeIsRead(t *testing.T) {
	t.Parallel()
	for _, entry := range entries() {
		for i, data := range shapes(t, entry.Type) {
			e, err := entry.Decode(data)
			if err != nil {
				t.Errorf("%s: %v", file(entry.Type, i+1), err)
				continue
			}
			again, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			lost := missing(decoded(t, data), decoded(t, again), "")
			lost = slices.DeleteFunc(lost, func(path string) bool { return slices.Contains(givenUp[entry.Type], path) })
			if len(lost) > 0 {
				t.Errorf("%s: reading loses %v", file(entry.Type, i+1), lost)
			}
		}
	}
}

func decoded(t *testing.T, data []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// missing lists the paths of old whose values new does not have.
func missing(old, new any, path string) (lost []string) {
	switch from := old.(type) {
	case map[string]any:
		if to, still := new.(map[string]any); still {
			for name, value := range from {
				lost = append(lost, missing(value, to[name], path+"/"+name)...)
			}
			return lost
		}
	case []any:
		if to, still := new.([]any); still && len(to) == len(from) {
			for i, value := range from {
				lost = append(lost, missing(value, to[i], fmt.Sprintf("%s/%d", path, i))...)
			}
			return lost
		}
	}
	if !reflect.DeepEqual(old, new) {
		return []string{path}
	}
	return nil
}

// TestExamplesAreFull: a field that the example leaves out, however deep, would
// be watched by nobody.
func TestExamplesAreFull(t *testing.T) {
	t.Parallel()
	for _, entry := range entries() {
		if left := unfilled(reflect.ValueOf(domaintest.Example(entry)), ""); len(left) > 0 {
			t.Errorf("%s: the example has no %v", entry.Type, left)
		}
	}
}

// unfilled lists the paths of a value and below it at which there is nothing.
func unfilled(v reflect.Value, path string) (left []string) {
	if v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		return []string{path}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return unfilled(v.Elem(), path)
	case reflect.Slice:
		return unfilled(v.Index(0), path)
	case reflect.Map:
		return unfilled(v.MapIndex(v.MapKeys()[0]), path)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				left = append(left, unfilled(v.Field(i), path+"/"+f.Name)...)
			}
		}
	default: // a leaf
	}
	return left
}

var catalogued = regexp.MustCompile(`(?m)^var Catalogue\b`)

// TestEveryCatalogueIsHere: a new kind of stream cannot forget its shapes, and
// no file stands for a type that can no longer be read.
func TestEveryCatalogueIsHere(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("../../domain/*/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if pkg := filepath.Base(filepath.Dir(name)); catalogued.Match(text) && catalogues[pkg] == nil {
			t.Errorf("the catalogue of package %s has no golden files", pkg)
		}
	}
	types := map[string]bool{}
	for _, entry := range entries() {
		types[entry.Type] = true
	}
	files, err := filepath.Glob("events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		typ, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".json"), "+")
		if !types[typ] {
			t.Errorf("%s is of a type that nobody reads any more", name)
		}
	}
}
