package test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// rooms are the packages whose lists make a language, a folder each.
var rooms = []string{"domain/language", "domain/task", "domain/reading", "domain/oracle", "domain/forager", "domain/forager/forms"}

// spared are the files that a language may lack: English stands in for them.
var spared = []string{"thoughts.txt", "limits.txt", "people.txt", "persons.txt", "messages.txt"}

// TestLanguagesAreFolders: every language that is installed, by its folder in
// domain/language, has the files that the rooms read, and no others.
func TestLanguagesAreFolders(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("../domain/language/*/lists.txt")
	if err != nil || len(found) < 2 {
		t.Fatalf("%d languages are found: %v", len(found), err)
	}
	for _, list := range found {
		lang := filepath.Base(filepath.Dir(list))
		for _, room := range rooms {
			english, own := files(t, room, "en"), files(t, room, lang)
			for _, f := range english {
				if !slices.Contains(own, f) && !slices.Contains(spared, f) {
					t.Errorf("the language %s lacks %s/%s/%s", lang, room, lang, f)
				}
			}
			for _, f := range own {
				if !slices.Contains(english, f) {
					t.Errorf("%s/%s/%s is read by nobody: there is no %s/en/%s", room, lang, f, room, f)
				}
			}
		}
	}
}

func files(t *testing.T, room, lang string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(filepath.Join("..", room, lang))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}
