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
	about map[aboutKey]sighted
}

type aboutKey struct {
	page    *walk.Page
	subgoal int
}

// sighted is a page, and how far it is about a subgoal's object.
type sighted struct {
	view *view
	here float64
}

// NewReader reads labels for a goal.
func NewReader(goal task.Goal) *Reader {
	return &Reader{m: &Mind{goal: goal, phrases: map[string]*language.Phrase{}, offers: map[offering]offer{}, keeps: map[keeping]float64{}}, about: map[aboutKey]sighted{}}
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
	at, known := r.about[key]
	if !known {
		at = sighted{&view{page: page, at: &place{}}, r.m.about(r.m.subgoal(), page)}
		r.about[key] = at
	}
	return r.m.fits(at.view, &walk.Element{Role: "link", Name: label, Region: -1}, at.here)
}

// fits is what the label of a control promises for the subgoal at hand; here is
// how far the page is about its object.
func (m *Mind) fits(v *view, e *walk.Element, here float64) float64 {
	return m.promise(v, m.subgoal(), &percept{e: e, label: m.phrase(e.Name)}, here)
}
