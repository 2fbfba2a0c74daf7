package forager

import (
	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Reader tells what labels promise to somebody who sees and reads everything:
// the scent of a goal without noise and without the heading above. Not safe for
// concurrent use.
type Reader struct {
	m     *Mind
	about map[aboutKey]float64
}

type aboutKey struct {
	page    *walk.Page
	subgoal int
}

// NewReader reads labels for a goal.
func NewReader(goal task.Goal) *Reader {
	return &Reader{m: &Mind{goal: goal, phrases: map[string]*language.Phrase{}, offers: map[offering]offer{}}, about: map[aboutKey]float64{}}
}

// Promise is how well a label on a page fits the subgoal with this index, 0 to
// 1. An index beyond the last subgoal counts as the last. The page must not
// change while the reader is used.
func (r *Reader) Promise(subgoal int, page *walk.Page, label string) float64 {
	last := len(r.m.goal.Subgoals) - 1
	if last < 0 {
		return 0
	}
	r.m.at = max(0, min(subgoal, last))
	key := aboutKey{page, r.m.at}
	here, known := r.about[key]
	if !known {
		here = r.m.about(r.m.subgoal(), page)
		r.about[key] = here
	}
	return r.m.fits(page, &walk.Element{Role: "link", Name: label, Region: -1}, here)
}

// fits is what the label of a control promises for the subgoal at hand; here is
// how far the page is about its object.
func (m *Mind) fits(page *walk.Page, e *walk.Element, here float64) float64 {
	return m.promise(&view{page: page}, m.subgoal(), &percept{e: e, label: m.phrase(e.Name)}, here)
}
