package sites

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The flaws that the site "saas" can be given.
const (
	// LowContrastCTA: the text of the call to action on the home page has a
	// contrast of 1.5:1; WCAG 2.2 SC 1.4.3 asks for 4.5:1.
	LowContrastCTA = "low_contrast_cta"
	// TinyTarget: the menu button and the consent box measure 12 × 12 CSS px;
	// WCAG 2.2 SC 2.5.8 asks for 24 × 24. The box's text does not toggle it.
	TinyTarget = "tiny_target"
	// DeadButton: "Start free trial" of the recommended plan does nothing.
	DeadButton = "dead_button"
	// VagueLabel: the call to action is called "Dive in", pricing "Discover".
	VagueLabel = "vague_label"
	// UnlabelledField: the email field of the sign-up has no accessible name,
	// type or autocomplete token; its label is mere text above it.
	UnlabelledField = "unlabelled_field"
	// JSError: the monthly/yearly switch and the sign-up button each throw an
	// uncaught TypeError; the form is sent all the same.
	JSError = "js_error"
	// SlowPage: the pricing page answers after Options.SlowBy.
	SlowPage = "slow_page"
	// BrokenLink: "Docs" in the menu leads to a page that is not there.
	BrokenLink = "broken_link"
)

// AllDefects returns the names of all flaws.
func AllDefects() []string {
	return []string{LowContrastCTA, TinyTarget, DeadButton, VagueLabel, UnlabelledField, JSError, SlowPage, BrokenLink}
}

// defects is a set of flaws; templates ask it with Has.
type defects []string

// Has reports whether a flaw is switched on.
func (d defects) Has(name string) bool { return slices.Contains(d, name) }

func parseDefects(names []string) (defects, error) {
	for _, n := range names {
		if !slices.Contains(AllDefects(), n) {
			return nil, fmt.Errorf("no defect is called %q; there are %s", n, strings.Join(AllDefects(), ", "))
		}
	}
	return slices.Clone(names), nil
}

// defectsOfQuery reads ?defects=a,b; "all" means every flaw and "none" none.
// given reports whether the query names any.
func defectsOfQuery(r *http.Request) (d defects, given bool, err error) {
	q := r.URL.Query().Get("defects")
	switch q {
	case "":
		return nil, false, nil
	case "all":
		return AllDefects(), true, nil
	case "none":
		return nil, true, nil
	}
	d, err = parseDefects(strings.Split(q, ","))
	return d, true, err
}
