package findings

import (
	"slices"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// misled: something was to be done, the walker thought that it had been, and the oracle saw
// nothing that says so.
func (x *examined) misled() bool {
	n, last := len(x.w.Goal.Subgoals), len(x.w.Steps)-1
	return last >= 0 && n > 0 && x.w.Outcome != walk.Succeeded && x.w.Steps[last].Decision.End == walk.EndDone &&
		x.w.Goal.Subgoals[n-1].Kind == task.Act
}

// unconfirmed finds what was sent last by walks that took it for done and were not, where
// the page said neither that it was taken nor what is wrong: the event reached the button,
// no other page came, and no words did. Where the browser saw nothing at all, the click
// was dead, which is told as that.
func (x *examined) unconfirmed() {
	i := x.lastSubmit()
	if i < 0 || !x.misled() {
		return
	}
	r := &x.w.Steps[i]
	if r.Effect.Navigated || !r.Effect.Arrived || len(r.Effect.Dialogs) > 0 || said(&r.Page, &x.w.Steps[i+1].Page) != "" {
		return
	}
	o := x.observe(i, NoConfirmation, Observed)
	o.CostMS = r.Decision.SimulatedMS + x.lostFrom(i+1)
	x.add(o)
}

// lastSubmit is the last step that pressed what sends a form, -1 for none or where nothing
// was looked at afterwards.
func (x *examined) lastSubmit() int {
	for i := len(x.w.Steps) - 2; i >= 0; i-- {
		if d := &x.w.Steps[i].Decision; d.Purpose == walk.Submit && d.Target != nil {
			return i
		}
	}
	return -1
}

// said is the first short text that is on the screen after and was not on the page before.
func said(before, after *walk.Page) string {
	known := map[string]bool{}
	for i := range before.Texts {
		known[before.Texts[i].Text] = true
	}
	for i := range after.Texts {
		if t := &after.Texts[i]; t.InViewport && !known[t.Text] && len(t.Text) <= 300 && !within(&before.Elements, t.Text) {
			return t.Text
		}
	}
	return ""
}

// within: the text is what a control was called or held.
func within(elements *[]walk.Element, text string) bool {
	return slices.ContainsFunc(*elements, func(e walk.Element) bool { return e.Name == text || e.Value == text })
}

// emptySearches finds searches for what the task is about whose results are empty.
func (x *examined) emptySearches() {
	said := map[string]bool{}
	for i := 1; i < len(x.w.Steps); i++ {
		sent, page := &x.w.Steps[i-1], &x.w.Steps[i].Page
		if d := &sent.Decision; d.Action.Type == walk.Type || !sent.Effect.Navigated && !sent.Effect.Mutated || x.searchedFor(i-1) == "" || said[x.places[i]] {
			continue
		}
		at := slices.IndexFunc(page.Texts, func(t walk.Text) bool { return t.InViewport && reading.Empty(t.Text) })
		if at < 0 || slices.ContainsFunc(sent.Page.Texts, func(t walk.Text) bool { return t.Text == page.Texts[at].Text }) {
			continue
		}
		said[x.places[i]] = true
		o := x.about(i, EmptySearch, Observed, nil)
		o.Detail, o.Area, o.CostMS = "for “"+clip(x.searchedFor(i-1), 60)+"”", &page.Texts[at].Box, sent.Decision.SimulatedMS+x.lostFrom(i)
		x.add(o)
	}
}

// searchedFor is what was typed into a search field just before step i, which sent it; ""
// where the step sent nothing of the kind.
func (x *examined) searchedFor(i int) string {
	d := &x.w.Steps[i].Decision
	if d.Action.Type != walk.Press && d.Action.Type != walk.Click || d.Purpose != walk.Submit && d.Purpose != walk.Fill {
		return ""
	}
	for j := i - 1; j >= max(0, i-2); j-- {
		f := &x.w.Steps[j].Decision
		if f.Action.Type == walk.Type && f.Target != nil && f.Action.Secret == "" && searches(f.Target) && x.places[j] == x.places[i] {
			return f.Action.Text
		}
	}
	return ""
}

// searches: the field takes what is to be searched for.
func searches(e *walk.Element) bool {
	return walk.IsField(e) && (e.Role == "searchbox" || e.InputType == "search" || language.Read(e.Name+" "+e.Placeholder+" "+e.Tip).Has("search"))
}
