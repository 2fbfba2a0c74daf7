package oracle

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// pick notes whether the one that the task tells by its number or by what it has
// most or least of was used, among those of its list.
func (o *Oracle) pick(s *task.Subgoal, m *mark, t *turn) {
	own := t.before.row(t.target)
	if own == nil && t.target != nil && s.Order != "" && t.act.Type == walk.Click && t.reached {
		m.pickAlone(s, t)
		return
	}
	if s.Ordinal == 0 && s.Order == "" || t.act.Type != walk.Click || !t.reached || own == nil || s.Deed == "click" && len(words().roles[s.Widget]) > 0 {
		return
	}
	least, kind := language.Order(s.Order)
	list := keep(t.before.rows, func(r row) bool {
		return r.region == own.region && (s.Order == "" || len(measure(kind, r.text)) > 0)
	})
	is := func(r row) bool { return r.n == own.n }
	better := func(r row) bool {
		c := slices.Compare(measure(kind, r.text), measure(kind, own.text))
		return least && c < 0 || !least && c > 0
	}
	switch {
	case !slices.ContainsFunc(list, is) || s.Order != "" && len(list) < 2:
		m.picked = 0
	case s.Order == "" && slices.ContainsFunc(nth(list, s.Ordinal), is), s.Order != "" && !slices.ContainsFunc(list, better):
		m.picked = 1
	default:
		m.picked = -1
	}
}

// pickAlone notes it for controls that stand in no rows and are called the same but
// for their numbers.
func (m *mark) pickAlone(s *task.Subgoal, t *turn) {
	least, kind := language.Order(s.Order)
	own := measure(kind, t.target.Name)
	all := t.before.all(func(e *walk.Element) bool {
		return e.Role == t.target.Role && plain(e.Name) == plain(t.target.Name) && len(measure(kind, e.Name)) > 0
	})
	if len(own) == 0 || len(all) < 2 {
		return
	}
	m.picked = 1
	for _, e := range all {
		if c := slices.Compare(measure(kind, e.Name), own); least && c < 0 || !least && c > 0 {
			m.picked = -1
		}
	}
}

// plain is a name without its figures.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == ',' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// measure is what a row has of a kind, as numbers that compare from the first on;
// of a date the year comes first.
func measure(kind language.Kind, text string) []float64 {
	found := language.Find(kind, text)
	if kind == language.Clock {
		if c, ok := clock(found); ok {
			return []float64{float64(c)}
		}
	}
	n := numbers(found)
	if kind == language.Date && len(n) > 1 && n[len(n)-1] > n[0] {
		slices.Reverse(n)
	}
	return n
}

// arranged: all that is listed now satisfies the filter, or stands in its order,
// and did not before.
func (o *Oracle) arranged(s *task.Subgoal, m *mark, t *turn) {
	if o.before == nil || t.negated() != "" {
		return
	}
	now, was := t.after.main(), t.before.main()
	if s.Deed == "sort" {
		ok, column := ordered(s, t.after, now)
		before, _ := ordered(s, t.before, was)
		switch {
		case ok && (!before || m.confidence >= verified):
			m.raise(0.85, "the list is in the order of "+quote(column))
		case !ok && m.confidence >= verified && t.act.Type == walk.Click:
			m.settle(0.3, "the list is in another order")
		}
		return
	}
	it := thing{}
	for _, v := range s.Values {
		it.names = append(it.names, fold(v.Text))
	}
	if it.names = keep(it.names, func(n string) bool { return n != "" }); len(it.names) == 0 {
		it.words = append(slices.Clone(s.Object), s.Place...)
	}
	listed := func(r row) bool { return slices.ContainsFunc(was, func(w row) bool { return r.folded == w.folded }) }
	by := ""
	switch {
	case t.entered != nil:
		by = t.entered.text + " " + t.entered.field.Name
	case t.target != nil && t.reached:
		by = t.target.Name + " " + t.target.Group
	}
	chosen := it.fit(by) > 0 && it.said(by+" "+t.before.heading)
	if t.act.Type == walk.Click && t.reached && t.target != nil && len(it.words) > 0 && len(t.label.Content()) > 0 && language.Cover(t.label.Content(), &language.Phrase{Words: it.words}) >= metName {
		it = thing{names: []string{fold(t.target.Name)}} // one of what can be shown alone
	}
	says := func(v *view) string { return fold(v.heading + " " + v.page.Title + " " + v.page.URL) }
	switch fit := share(&it, now); {
	case it.empty() || len(now) == 0:
	case fit == 1 && share(&it, was) < 1 && (t.reached || t.moved):
		m.raise(0.86, "all that is listed is "+quote(it.String()))
	case len(it.names) == 1 && t.act.Type == walk.Click && t.moved && strings.Count(says(t.after), it.names[0]) > strings.Count(says(t.before), it.names[0]):
		m.raise(0.84, "the page says that it shows "+quote(it.String()))
	case fit < 1 && m.confidence >= verified && t.before.key == t.after.key:
		m.settle(0.3, "the list holds other things as well")
	case fit < 1 && chosen && len(now) < len(was) && len(keep(now, listed)) == len(now):
		m.raise(0.82, quote(it.String())+" was chosen, and the list holds less")
	}
}

// share is how much of a list is about a thing.
func share(it *thing, rows []row) float64 {
	return float64(len(keep(rows, func(r row) bool { return it.said(r.text) }))) / float64(max(1, len(rows)))
}

// main are the rows of the list with the most text on the page, outside of
// navigation.
func (v *view) main() []row {
	size := map[int]int{}
	best, most := 0, -1
	for i := range v.rows {
		r := &v.rows[i]
		if slices.Contains([]string{"navigation", "banner", "contentinfo"}, v.region(r.region).Kind) {
			continue
		}
		if size[r.region] += len(r.text); size[r.region] > most {
			best, most = r.region, size[r.region]
		}
	}
	return keep(v.rows, func(r row) bool { return most >= 0 && r.region == best })
}

// ordered: the cells of the column that the task sorts by ascend or descend, in the
// direction that it says, and are not all the same. Without such a column, what the
// rows have of the kind that the task orders by.
func ordered(s *task.Subgoal, v *view, rows []row) (bool, string) {
	want := append(slices.Clone(s.Object), s.Place...)
	column, top := "", doubtful
	for i := range v.page.Texts {
		if h := v.page.Texts[i].Head; h != column {
			if c := language.Cover(want, language.Read(h)); c >= top && h != "" {
				column, top = h, c
			}
		}
	}
	least, kind := language.Order(s.Order)
	var cells []cell
	for _, r := range rows {
		if at := slices.IndexFunc(v.page.Texts, func(t walk.Text) bool { return column != "" && t.Row == r.n && t.Head == column }); at >= 0 {
			cells = append(cells, cell{v.page.Texts[at].Text, numbers(v.page.Texts[at].Text)})
		} else if column == "" && s.Order != "" {
			cells = append(cells, cell{r.text, measure(kind, r.text)})
		}
	}
	up := slices.IsSortedFunc(cells, cell.compare)
	slices.Reverse(cells)
	down := slices.IsSortedFunc(cells, cell.compare)
	return up != down && (s.Order == "" || up == least), cmp.Or(column, s.Order)
}

// cell is what a row is ordered by.
type cell struct {
	text  string
	value []float64
}

// compare compares by numbers where both have some.
func (a cell) compare(b cell) int {
	if len(a.value) == 0 || len(b.value) == 0 {
		return cmp.Compare(fold(a.text), fold(b.text))
	}
	return slices.Compare(a.value, b.value)
}
