package forms

import (
	"slices"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

const (
	// worth is what the purpose of a form and the share of the values that it takes
	// come to at least, 0 to 2; purposeful from where on a form is for the subgoal
	// without a value that goes into it; unsaidPurpose what a form is that says
	// nothing; inFront what one in a dialog gains, begun one that was begun; leads
	// how strongly a deed leads to another that is done with the same form:
	// assumptions.
	worth         = 0.75
	purposeful    = 0.7
	unsaidPurpose = 0.5
	inFront       = 0.3
	begun         = 2
	leads         = 0.3
)

// around is the form that would be sent with something that is no field.
func (l *look) around(e *walk.Element) *form {
	return &form{key: walk.Path(l.Page.URL) + " around " + e.Group, number: e.Form, region: e.Region, dialog: e.InDialog, about: language.Read("")}
}

// asks: there is something to type into the form, or something it does not go without.
func (f *form) asks() bool { return f.typed() > 0 || slices.ContainsFunc(f.fields, (*field).required) }

// leadsOn: one of what the form offers is called as what the subgoal is about.
func (l *look) leadsOn(f *form) bool {
	about := l.Subgoal.Object
	return len(about) > 0 && slices.ContainsFunc(f.fields, func(o *field) bool {
		return o.e.Role == "radio" && len(o.group()) > 1 && language.Cover(about, language.Read(o.label)) >= namedSo
	})
}

// choose is the form that the subgoal is about, with what of its values goes in.
func (c *Clerk) choose(l *look, e *errand, values []task.Value) (*form, []entry) {
	left := 0
	for i := range values {
		if !e.entered[i] {
			left++
		}
	}
	plans := map[*form][]entry{}
	last := of(c.forms, e.form)
	goes := e.sent && last.goes || last.previews > 0
	f, _ := best(l.forms, 0, func(f *form) float64 {
		about := l.about(f)
		if left > 0 && !f.complains() && (f.empty() || c.unknown(f)) {
			c.anew(f, e)
		}
		mine := e.form == f.key && e.touched
		if about == 0 && !mine || c.history(f).spent() && !c.returned(f) {
			return 0
		}
		plans[f] = c.assign(l, e, values, f.fields)
		taken, onward := 0, goes && about >= unsaidPurpose && f.asks()
		for _, en := range plans[f] {
			for _, v := range en.values {
				if !e.entered[v] {
					taken++
				}
			}
		}
		share := min(1, float64(taken)/float64(max(1, left)))
		switch {
		case onward:
			about = 1
		case about >= unsaidPurpose: // nothing speaks against it
			about = max(about, l.Form)
		}
		sum := about + share
		if f.dialog {
			sum += inFront
		}
		switch {
		case mine:
			return begun + sum
		case e.sent && left == 0 && !onward, about+share < worth, share == 0 && !onward && f.filters(),
			share == 0 && !onward && !l.leadsOn(f) && (l.Subgoal.Kind != task.Act || about < purposeful || !f.asks()):
			return 0
		}
		return sum
	})
	return f, plans[f]
}

// empty: nothing stands in what can be typed into.
func (f *form) empty() bool {
	return !slices.ContainsFunc(f.fields, func(o *field) bool { return o.takesText() && o.holds() })
}

// filters: the form shows some of what is there, all of it as it stands.
func (f *form) filters() bool {
	return !slices.ContainsFunc(f.fields, (*field).required) && slices.ContainsFunc(f.fields, func(o *field) bool {
		return o.native() && says("everything", o.e.Value)
	})
}

// typed is how many fields of the form something can be typed into.
func (f *form) typed() int {
	n := 0
	for _, o := range f.fields {
		if o.takesText() {
			n++
		}
	}
	return n
}

// otherwise: a form does something else to the thing than is to be done to it.
func (l *look) otherwise(f *form) bool {
	deed := l.Subgoal.Deed
	return is("holding", deed) && !f.about.Has(deed) && slices.ContainsFunc(f.about.Concepts, func(c string) bool { return is("holding", c) && language.Leads(deed, c) == 0 })
}

// about is how far a form is for what is to be done, 0 to 1: by what its heading,
// its buttons and its fields say. 0 is for forms that are made for something else,
// half for those that say nothing.
func (l *look) about(f *form) float64 {
	deed := l.Subgoal.Deed
	switch {
	case l.leadsOn(f):
		return 1
	case l.otherwise(f):
		return 0
	}
	said := slices.DeleteFunc(slices.Clone(f.about.Concepts), func(concept string) bool { return concept == "search" })
	counts := map[string]int{}
	for _, o := range f.fields {
		if language.Read(o.e.Placeholder).Has(deed) {
			return 1 // "Add a task …"
		}
		if o.takesText() {
			counts[o.kind]++
		}
	}
	switch typed := f.typed(); {
	case counts["search"] > 0 && typed == 1:
		said = append(said, "search")
	case counts["password"] == 1 && typed <= 2:
		said = append(said, "login")
	case counts["password"] > 0:
		said = append(said, "signup")
	}
	best, other := unsaidPurpose, false
	for _, concept := range said {
		switch {
		case concept == deed || is("talking", concept) && is("talking", deed):
			return 1
		case language.Leads(deed, concept) >= leads && concept != "menu" && concept != "more" && concept != "login":
			best = purposeful
		case is("purposes", concept):
			other = true
		}
	}
	switch {
	case other && language.Cover(l.Subgoal.Wanted(), f.about) >= likely:
		return unsaidPurpose
	case other:
		return 0
	}
	return best
}
