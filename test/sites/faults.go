package sites

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Fault is one change to the pages of a clean site, made to the HTML as it is
// served. It is what a developer would have got wrong, and it is real: a dead
// control has no effect for any visitor, a faint one is faint on every screen.
type Fault struct {
	// Kind is one of FaultKinds or, for harmless changes, of DecoyKinds.
	Kind string
	// Path is the exact path of the page, without query.
	Path string
	// Selector is the element in CSS, as the clean page has it; all that match
	// are changed. Kinds that concern a whole page (OnPage) may leave it empty;
	// where they need one it says where on the page. For needless_field it is the
	// field that is added.
	Selector string
	// Dose is how much of it, in the unit that the kind's description gives; 0
	// means the kind's usual dose.
	Dose float64
	// Background is the colour behind the element as #rrggbb, "" for white. Only
	// low_contrast needs it.
	Background string
}

// Effect is what a kind of fault does to a visitor who meets it.
type Effect string

// The effects, from the worst.
const (
	// Blocking: the way through the element ends here. Who finds another way may
	// still arrive.
	Blocking Effect = "blocking"
	// Abandoning: one can get through, but must guess, put up with something or
	// give something away; many people leave instead.
	Abandoning Effect = "abandoning"
	// Slowing: it costs time, attention or a second try.
	Slowing Effect = "slowing"
)

// kind is what can be done to a page and how much of it is usual.
type kind struct {
	name   string
	effect Effect
	page   bool    // concerns the page rather than an element
	dose   float64 // the usual one, 0 where there are no doses
	// rewrite changes the page that is about to be served.
	rewrite func(*injection)
	// serve answers a request instead of the site; false leaves it to the site.
	serve func(*exchange) bool
}

func kindOf(name string) (kind, bool) {
	for _, list := range [][]kind{faultKinds(), decoyKinds()} {
		if i := slices.IndexFunc(list, func(k kind) bool { return k.name == name }); i >= 0 {
			return list[i], true
		}
	}
	return kind{}, false
}

func names(kinds []kind) []string {
	out := make([]string, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// FaultKinds returns the names of all kinds of faults.
func FaultKinds() []string { return names(faultKinds()) }

// DecoyKinds returns the names of all harmless changes: things that an
// over-eager auditor would blame though they hinder nobody.
func DecoyKinds() []string { return names(decoyKinds()) }

// Effect is what the fault does to those who meet it; Slowing for decoys and
// unknown kinds.
func (f Fault) Effect() Effect {
	if k, ok := kindOf(f.Kind); ok && k.effect != "" {
		return k.effect
	}
	return Slowing
}

// OnPage reports whether the fault is one of the whole page rather than of the
// element that Selector names.
func (f Fault) OnPage() bool {
	k, _ := kindOf(f.Kind)
	return k.page
}

// dosed is the fault with its kind's usual dose filled in.
func (f Fault) dosed(k kind) Fault {
	if f.Dose == 0 {
		f.Dose = k.dose
	}
	return f
}

// mark is the token in the attribute data-u that the elements of this fault
// carry on the served page. It says nothing about the kind.
func (f Fault) mark() string {
	sum := sha256.Sum256([]byte(f.Kind + "\n" + f.Path + "\n" + f.Selector))
	return "u" + hex.EncodeToString(sum[:4])
}

// check refuses a fault that cannot be injected.
func (f Fault) check(known []string) error {
	if !slices.Contains(known, f.Kind) {
		return fmt.Errorf("no kind is called %q; there are %s", f.Kind, strings.Join(known, ", "))
	}
	if !strings.HasPrefix(f.Path, "/") {
		return fmt.Errorf("the path %q of %s does not begin with a slash", f.Path, f.Kind)
	}
	if f.Selector == "" && !f.OnPage() {
		return fmt.Errorf("%s on %s needs a selector", f.Kind, f.Path)
	}
	if f.Selector != "" {
		if _, err := compile(f.Selector); err != nil {
			return fmt.Errorf("the selector %q of %s: %w", f.Selector, f.Kind, err)
		}
	}
	if f.Background != "" {
		if _, err := parseColour(f.Background); err != nil {
			return fmt.Errorf("the background of %s on %s: %w", f.Kind, f.Path, err)
		}
	}
	return nil
}
