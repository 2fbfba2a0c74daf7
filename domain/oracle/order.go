package oracle

import (
	"cmp"
	"slices"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// pick notes whether the one that the task tells by its number or by what it has
// most or least of was used, among those of its list.
func (o *Oracle) pick(s *task.Subgoal, m *mark, t *turn) {
	if s.Ordinal == 0 && s.Order == "" || t.act.Type != walk.Click || !t.reached || t.target == nil || len(words().roles[s.Widget]) > 0 && s.Kind == task.Act && s.Deed == "click" {
		return
	}
	own := t.before.row(t.target)
	if own == nil {
		return
	}
	var list []*row
	for i := range t.before.rows {
		if r := &t.before.rows[i]; r.region == own.region {
			list = append(list, r)
		}
	}
	if s.Order != "" {
		least, kind := language.Order(s.Order)
		list = slices.DeleteFunc(list, func(r *row) bool { return len(measure(kind, r.text)) == 0 })
		if len(list) < 2 || len(measure(kind, own.text)) == 0 {
			return
		}
		best := list[0]
		for _, r := range list[1:] {
			if c := slices.Compare(measure(kind, r.text), measure(kind, best.text)); least && c < 0 || !least && c > 0 {
				best = r
			}
		}
		m.picked = -1
		if slices.Compare(measure(kind, own.text), measure(kind, best.text)) == 0 {
			m.picked = 1
		}
		return
	}
	m.picked = -1
	if at := slices.Index(list, own); at == s.Ordinal-1 || s.Ordinal < 0 && at == len(list)-1 {
		m.picked = 1
	}
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
	it := thing{words: append(slices.Clone(s.Object), s.Place...)}
	for _, v := range s.Values {
		if v.Text != "" {
			it.names = append(it.names, fold(v.Text))
		}
	}
	if len(it.names) > 0 {
		it.words = nil
	}
	switch fit := share(&it, now); {
	case it.empty() || len(now) == 0:
	case fit == 1 && share(&it, was) < 1 && (t.reached || t.moved):
		m.raise(0.86, "all that is listed is "+quote(it.String()))
	case fit < 1 && m.confidence >= verified && t.before.key == t.after.key:
		m.settle(0.3, "the list holds other things as well")
	case fit < 1 && o.chosen(&it, t) && len(now) < len(was) && subset(now, was):
		m.raise(0.82, quote(it.String())+" was chosen, and the list holds less")
	}
}

// chosen: the act chose what the filter is called.
func (o *Oracle) chosen(it *thing, t *turn) bool {
	return t.reached && (t.target != nil && it.fit(t.target.Name+" "+t.target.Group) >= fits || t.entered != nil && it.fit(t.entered.text+" "+t.entered.field.Name) >= fits)
}

// share is how much of a list is about a thing.
func share(it *thing, rows []row) float64 {
	n := 0
	for i := range rows {
		if it.said(rows[i].text) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(rows)))
}

func subset(a, b []row) bool {
	return !slices.ContainsFunc(a, func(x row) bool {
		return !slices.ContainsFunc(b, func(y row) bool { return x.folded == y.folded })
	})
}

// main are the rows of the list with the most text on the page, outside of
// navigation, without a first row that only heads them.
func (v *view) main() []row {
	size := map[int]int{}
	best, most := 0, -1
	for i := range v.rows {
		r := &v.rows[i]
		switch v.kind(r.region) {
		case "navigation", "banner", "contentinfo":
			continue
		}
		if size[r.region] += len(r.text); size[r.region] > most {
			best, most = r.region, size[r.region]
		}
	}
	return slices.DeleteFunc(slices.Clone(v.rows), func(r row) bool { return most < 0 || r.region != best })
}

// ordered: the cells of the column that the task sorts by ascend or descend, in the
// direction that it says, and are not all the same.
func ordered(s *task.Subgoal, v *view, rows []row) (bool, string) {
	want := append(slices.Clone(s.Object), s.Place...)
	heads := map[int]string{} // of each row, its cell of that column
	column, top := "", 0.0
	for i := range v.page.Texts {
		if h := v.page.Texts[i].Head; h != "" {
			if c := language.Cover(want, language.Read(h)); c > top {
				column, top = h, c
			}
		}
	}
	least, kind := language.Order(s.Order)
	if top >= doubtful {
		for i := range v.page.Texts {
			if t := &v.page.Texts[i]; t.Head == column {
				heads[t.Row] = t.Text
			}
		}
	} else if s.Order == "" {
		return false, ""
	}
	var up, down, n int
	var last []float64
	lastText := ""
	for _, r := range rows {
		text := r.text
		if column != "" {
			if text = heads[r.n]; text == "" {
				continue
			}
		}
		value := numbers(text)
		if column == "" {
			value = measure(kind, text)
		}
		if n++; n > 1 {
			c := slices.Compare(last, value)
			if len(value) == 0 || len(last) == 0 {
				c = cmp.Compare(fold(lastText), fold(text))
			}
			switch {
			case c < 0:
				up++
			case c > 0:
				down++
			}
		}
		last, lastText = value, text
	}
	if column == "" {
		column = s.Order
	}
	switch {
	case up+down == 0:
		return false, column
	case s.Order == "":
		return up == 0 || down == 0, column
	case least:
		return down == 0, column
	}
	return up == 0, column
}
