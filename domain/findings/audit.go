package findings

import (
	"cmp"
	"slices"

	"understudy/domain/forager/forms"
	"understudy/domain/walk"
)

// Violation is an accessibility rule that a page of a session breaks.
type Violation struct {
	Rule string
	// Impact is critical, serious, moderate or minor (axe-core's grades).
	Impact   string
	Template string
	PageURL  string
	// Selectors of the elements, the first maxSelectors of them.
	Selectors []string
}

// maxSelectors bounds the elements that are told of one rule on one page,
// maxViolations what is told of one session.
const maxSelectors, maxViolations = 10, 60

// ruleKinds are the kinds of issues that axe-core's rules speak for; a rule
// that is not here is an issue of the kind accessibility_rule.
var ruleKinds = map[string]string{
	"color-contrast": LowContrast, "color-contrast-enhanced": LowContrast, "target-size": SmallTarget,
	"label": UnlabelledField, "select-name": UnlabelledField, "input-field-name": UnlabelledField, "aria-input-field-name": UnlabelledField,
	"button-name": UnclearLabel, "link-name": UnclearLabel, "input-button-name": UnclearLabel, "input-image-alt": UnclearLabel,
	"aria-command-name": UnclearLabel, "aria-toggle-field-name": UnlabelledField,
}

// grave are the impacts that may become issues.
var grave = map[string]bool{"critical": true, "serious": true}

// audited turns critical and serious rules into static issues where the element
// was used on the way; what else found that element already is not repeated.
func (x *examined) audited() {
	known := map[string]bool{}
	for i := range x.out {
		if e := x.out[i].Element; e != nil {
			known[x.out[i].Kind+e.Selector] = true
		}
	}
	for i := range x.w.Steps {
		e := x.w.Steps[i].Decision.Target
		if e == nil || !x.onWay[i] {
			continue
		}
		for _, v := range x.w.Steps[i].Page.Violations {
			if !grave[v.Impact] || !slices.Contains(v.Selectors, e.Selector) {
				continue
			}
			kind := ruleKinds[v.Rule]
			if kind == "" {
				kind = AccessibilityRule
			}
			if known[kind+e.Selector] {
				continue
			}
			known[kind+e.Selector] = true
			o := x.observe(i, kind, Static)
			o.Detail = "axe-core: " + v.Rule
			x.add(o)
		}
	}
}

// violations lists what the audit found on the pages of a walk, by rule and
// page, and what the forms lack that no rule of it covers: fields of personal
// data without autocomplete (WCAG 2.2 1.3.5).
func (x *examined) violations() []Violation {
	var out []Violation
	at := map[string]int{}
	note := func(rule, impact string, p *walk.Page, selectors ...string) {
		key := rule + "\x00" + Template(p.URL)
		j, known := at[key]
		if !known {
			if len(out) == maxViolations {
				return
			}
			j = len(out)
			at[key] = j
			out = append(out, Violation{Rule: rule, Impact: impact, Template: Template(p.URL), PageURL: p.URL})
		}
		for _, s := range selectors {
			if len(out[j].Selectors) < maxSelectors && !slices.Contains(out[j].Selectors, s) {
				out[j].Selectors = append(out[j].Selectors, clip(s, maxName))
			}
		}
	}
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		for _, v := range r.Page.Violations {
			note(v.Rule, v.Impact, &r.Page, v.Selectors...)
		}
		if e := r.Decision.Target; e != nil && r.Decision.Purpose == walk.Fill && e.Autocomplete == "" && personal[forms.AsksFor(e)] {
			note("autocomplete-missing", "minor", &r.Page, e.Selector)
		}
	}
	return out
}

// personal are the kinds of fields for which HTML has an autocomplete token.
var personal = map[string]bool{
	"email": true, "given": true, "family": true, "name": true, "phone": true, "street": true, "city": true, "postcode": true, "country": true,
}

// Appendix is one accessibility rule that pages of a test break, for the
// appendix of its report.
type Appendix struct {
	Rule     string
	Impact   string
	Sessions int
	// Pages are addresses without what varies, Selectors examples of elements.
	Pages     []string
	Selectors []string
}

// impacts in the order of their weight.
var impacts = []string{"critical", "serious", "moderate", "minor"}

// maxPages bounds the pages that the appendix names of one rule.
const maxPages = 5

// Audit gathers the violations of all sessions by rule, the gravest first.
func Audit(sessions []Session) []Appendix {
	out := []Appendix{}
	at := map[string]int{}
	for i := range sessions {
		counted := map[string]bool{}
		for _, v := range sessions[i].Violations {
			j, known := at[v.Rule]
			if !known {
				j = len(out)
				at[v.Rule] = j
				out = append(out, Appendix{Rule: v.Rule, Impact: v.Impact, Pages: []string{}, Selectors: []string{}})
			}
			a := &out[j]
			if !counted[v.Rule] {
				counted[v.Rule] = true
				a.Sessions++
			}
			if len(a.Pages) < maxPages && !slices.Contains(a.Pages, v.Template) {
				a.Pages = append(a.Pages, v.Template)
			}
			for _, s := range v.Selectors {
				if len(a.Selectors) < maxSelectors && !slices.Contains(a.Selectors, s) {
					a.Selectors = append(a.Selectors, s)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Appendix) int {
		return cmp.Or(cmp.Compare(slices.Index(impacts, a.Impact), slices.Index(impacts, b.Impact)), cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}
