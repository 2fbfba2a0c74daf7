// Package ground is what the sites of the gym stand on: what a site and a task
// are, a private copy of the site for every visitor, the proxy in front of them,
// and the look at what stood uncovered on a visitor's screen.
package ground

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"understudy/test/harness"
)

// Site is a website or application of somebody else.
type Site struct {
	Name    string // of its folder
	Kind    string // what sort of site it is: "wiki", "mail"
	What    string // name, source and version as installed
	Licence string
	Static  bool // no visitor changes anything: one process serves all of them
	Debian  []string
	NPM     []string // name@version, and what it wants beside it; each has a folder of its own
	Unpack  []string // Debian packages that are only unpacked, for what they document; each has a folder, with what it wants beside it
	Go      []Program
	// Open starts the site for a visitor whose files are in p.Dir, and tells p
	// where it listens.
	Open  func(p *Place) error
	Tasks []Task
}

// Program is a Go program from the module proxy.
type Program struct {
	Name, Module, Version string
	Main                  string // the source of its main package, where the module has none
}

// Task is what a visitor is asked to do, and how it is known that it was done.
type Task struct {
	Name string
	Text string // as the owner of the site would say it
	At   string // the path where the visitor begins; the site's first page when it is ""
	// Done tells from the server's side whether it is so now.
	Done func(p *Place) (bool, error)
	// Seen is what must have stood uncovered on the visitor's screen.
	Seen *Sight
	// Limit names what stands in the way of reading the page ("canvas"): nobody
	// who can only read can do it, and whoever says that it was done is wrong.
	Limit string
}

// Sight is met once an element that matches the selector and whose text matches
// the pattern stands uncovered within the window, at an address that matches;
// or once an expression of JavaScript is true.
type Sight struct {
	Selector string `json:"selector,omitempty"`
	Text     string `json:"text,omitempty"`
	Address  string `json:"address,omitempty"`
	Script   string `json:"script,omitempty"`
}

// Cache is where the gym keeps what is installed and what was measured.
func Cache(elem ...string) string {
	return filepath.Join(append([]string{harness.Root(), ".cache", "gym"}, elem...)...)
}

// Package is the folder of an installed npm package; spec is name@version, maybe
// with others after it.
func Package(spec string) string {
	spec, _, _ = strings.Cut(spec, " ")
	at := strings.LastIndex(spec, "@")
	return filepath.Join(Folder(spec), "node_modules", filepath.FromSlash(spec[:at]))
}

// Folder is where a package of npm or Debian is installed with what belongs to it.
func Folder(spec string) string {
	spec, _, _ = strings.Cut(spec, " ")
	return Cache("packages", strings.ReplaceAll(spec, "/", "-"))
}

// Files serves a folder.
func Files(elem ...string) func(p *Place) error {
	return func(p *Place) error {
		root := filepath.Join(elem...)
		p.Handler = http.FileServer(http.Dir(root))
		_, err := os.Stat(root)
		return err
	}
}

// Binary is a Go program as it was built.
func (g Program) Binary() string { return Cache("programs", g.Name+"@"+g.Version) }

// Write puts files below a folder; their names are relative to it.
func Write(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("preparing a site: %w", err)
		}
	}
	return nil
}
