package forms

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// namedSo is from where on the words of a value say its field whatever its kind;
// seenNow is what a thing gains that is seen without a search; likeHint is from where
// on a field is called like what its value is of: assumptions.
const (
	namedSo  = 0.8
	seenNow  = 0.05
	likeHint = 0.25
)

// score is how well a value goes into a field, 0 to about 1.5: how well the kinds
// go together, how far its words say the field, and what stands around both. The
// weights are assumptions: what is chosen is told by its label, what is typed by
// the kind or the name of its field, and what stands around only settles ties.
func (l *look) score(v *task.Value, f *field) float64 {
	e, s, k := f.e, l.Subgoal, kindOfValue(l.Subgoal, v)
	hint := language.Cover(telling(v.Hint), f.words)
	toType := s.Deed == "type" && len(v.Hint) == 0
	switch {
	case e.Disabled && l.enabler(f) == nil || f.kind == "file" && s.Deed != "upload",
		s.Kind == task.Inform && strings.TrimSpace(e.Value) != "", // who only asks writes over nothing
		s.Deed == "create" && f.takesText() && l.names(e.Value),   // nor does who makes a new one over what another is called
		f.kind == "search" && k != "search" && hint < namedSo && !toType,
		slices.Contains(dateParts, f.kind) && !strings.ContainsAny(v.Text, "0123456789") && months[strings.ToLower(v.Text)] == 0,
		is("worded", f.kind) && hint < namedSo && !l.old(e) && strings.ContainsAny(v.Text, "0123456789"),
		(f.kind == "password") != (k == "password") && hint < namedSo,
		f.label != "" && !strings.ContainsFunc(f.label, unicode.IsLetter) && k != "number" && f.kind == "text" && !l.old(e),
		k == "search" && len(v.Hint) == 0 && f.kind != "search" && f.kind != "text" && f.kind != "subject":
		return 0
	}
	context := 0.3 * language.Cover(s.Wanted(), language.Read(l.row(e)))
	if e.Group != "" {
		context += 0.2 * language.Cover(append(s.Wanted(), v.Hint...), language.Read(e.Group))
	}
	if l.Seen(e) {
		context += seenNow
	}
	switch {
	case (k == "name" || k == "title") && f.takesText() && f.e.Name == "" && says("unnamed", e.Value):
		return 1.1 + context // the name that it has while it has none
	case ticks(e):
		label, widget := f.label, rolesOf(s.Widget)
		if s.Deed == "on" || s.Deed == "off" {
			label += " " + e.Group + " " + e.Help
		}
		a := alike(v.Text, label)
		if a < likely || !v.Choose && e.Role != "radio" && !switches(s) || len(widget) > 0 && !slices.Contains(widget, e.Role) && e.Role != "radio" {
			return 0
		}
		return 0.9*a + context
	case f.native():
		_, a := option(e.Options, append(partOf(f.kind, v.Text), v.Text)...)
		if a < likely {
			return 0
		}
		return 0.5 + 0.4*a + 0.3*hint + context
	case e.ReadOnly && !f.opens() && !f.turns():
		return 0
	case v.New && s.Deed == "edit" && hint < likeHint && len(telling(v.Hint)) > 0 && f.label != "" && language.Cover(v.Hint, language.Read(l.row(e)+" "+e.Group)) == 0 && !l.old(e):
		return 0 // it is another setting
	case v.Choose && v.New && s.Deed == "edit" && f.takesText() && hint < likely:
		return 0 // what a thing is to be is chosen, where no field asks for it
	case k == "number" && e.Value != "" && hint < namedSo && !holdsNumber(e.Value) && !l.old(e):
		return 0 // what is there is no number, and what comes is one
	case v.Choose && f.opens() && !f.takesText():
		if s.Deed == "edit" && f.label != "" && hint == 0 && context <= seenNow && l.Form < promising && len(rolesOf(s.Widget)) == 0 {
			return 0 // nothing says that it is for this
		}
		return 0.5 + 0.4*hint + context
	}
	for _, old := range s.Values {
		switch {
		case !old.Old || old.Text == "":
		case squeezed(e.Value) == squeezed(old.Text):
			return 1.2 + context
		case f.at(old.Text) >= 0:
			return 1.1 + context
		case s.Deed == "edit" && strings.TrimSpace(e.Value) != "" && !e.ValueCut() && hint < likely,
			(!f.form.dialog || f.form.typed() > 1) && (!e.Focused || f.label != "") && !f.form.about.Has(s.Deed) && hint < likely:
			return 0 // what it takes the place of stands elsewhere
		}
	}
	fit := suits(k, f.kind)
	if fit == 0 && f.kind != "text" {
		hint /= 2 // what else is called so wants something else
	}
	if k == "" && lookUp(f.kind).spare && (s.Widget == "form" || !is("plain", s.Deed)) && hint < namedSo {
		return 0 // what a form leaves empty takes only what is said to be for it
	}
	if f.long() && k == "" {
		fit += 0.2
	}
	return max(fit, hint) + 0.2*min(fit, hint) + context
}

// dateParts are the kinds of fields that take numbers or, for the second, its name.
var dateParts = []string{"day", "month", "year"}

// names: something that is there already is called so, as a heading says.
func (l *look) names(value string) bool {
	const least = 3 // letters that are no chance: an assumption
	value = squeezed(value)
	return len(value) >= least && strings.ContainsFunc(value, unicode.IsLetter) && !says("unnamed", value) && slices.ContainsFunc(l.texts, func(t *walk.Text) bool {
		return t.Kind == "heading" && strings.Contains(squeezed(t.Text), value)
	})
}

// old: the field holds what the value takes the place of.
func (l *look) old(e *walk.Element) bool {
	return slices.ContainsFunc(l.Subgoal.Values, func(v task.Value) bool {
		return v.Old && v.Text != "" && strings.Contains(squeezed(e.Value), squeezed(v.Text))
	})
}

// holdsNumber: a number stands in the text, alone or with its unit.
func holdsNumber(text string) bool { return strings.ContainsAny(text[:1], "0123456789-+.$€£") }

// at is where a text stands in what a field holds, -1 where it does not or where
// not all of that is known.
func (f *field) at(text string) int {
	if f.e.ValueCut() {
		return -1
	}
	return strings.Index(strings.ToLower(f.e.Value), strings.ToLower(text))
}

// options are the roles of what is chosen by its name, buttons those of what has to
// say exactly what is to be chosen (WAI-ARIA 1.2).
var (
	options = []string{"option", "menuitemradio", "menuitemcheckbox", "treeitem"}
	buttons = []string{"button", "clickable", "tab", "menuitem", "link"}
)

// ownField is what a choice that is no field counts for beside one that is: an
// assumption.
const ownField = 0.85

// choices are what can be chosen without being fields: options of lists, entries
// of trees and menus, and buttons that say exactly what is to be chosen.
func (l *look) choices(v *task.Value) (*walk.Element, float64) {
	found, score := best(l.elements, 0, func(e *walk.Element) float64 {
		a := alike(v.Text, e.Name)
		place := e.Href != "" && !strings.HasSuffix(e.Href, "#") || e.Role == "treeitem"
		if place && l.Subgoal.Existing() != "" && l.Form < 1 || e.Disabled || l.behind(e) || a < likely || !slices.Contains(options, e.Role) && (a < clearly || !slices.Contains(buttons, e.Role)) {
			return 0
		}
		if place {
			a -= seenNow // what is there for it alone comes first
		}
		if l.Seen(e) {
			return ownField*a + seenNow
		}
		return ownField * a
	})
	if found == nil {
		return l.beside(v)
	}
	return found, score
}

// behind: a dialog is open, and the element lies under it.
func (l *look) behind(e *walk.Element) bool {
	return e.CoveredBy != "" && !e.InDialog && slices.ContainsFunc(l.elements, func(o *walk.Element) bool { return o.InDialog })
}

// beside is the control that takes one of what stands next to it by its name.
func (l *look) beside(v *task.Value) (*walk.Element, float64) {
	var named []*walk.Text
	for _, t := range l.texts {
		if alike(v.Text, t.Text) >= likely {
			named = append(named, t)
		}
	}
	found, _ := best(l.elements, 0, func(e *walk.Element) float64 {
		said := language.Read(e.Name + " " + e.Tip)
		if walk.IsField(e) || e.Disabled || e.Role == "dropzone" || l.behind(e) || !says("more", e.Name) && !slices.ContainsFunc(deeds["taking"], said.Has) {
			return 0
		}
		_, closest := best(named, 0, func(t *walk.Text) float64 {
			if !level(e.Box, t.Box) {
				return 0
			}
			return near(math.Abs(e.Box.X - t.Box.X))
		})
		return closest
	})
	return found, ownField
}
