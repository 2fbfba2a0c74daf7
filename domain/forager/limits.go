package forager

import (
	"embed"
	"math"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// The lists of all languages, a folder each.
//
//go:embed */limits.txt */thoughts.txt
var folders embed.FS

// hints are the words of tasks about parts of a page, by language and the kind of
// the limit.
var hints = parseHints()

func parseHints() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for lang, text := range language.Texts(folders, "limits.txt") {
		out[lang] = map[string][]string{}
		for line := range strings.Lines(text) {
			kind, words, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || strings.HasPrefix(kind, "#") {
				continue
			}
			for w := range strings.FieldsSeq(words) {
				if lang != language.English { // whose list has base forms
					w = language.Base(lang, w)
				}
				out[lang][kind] = append(out[lang][kind], w)
			}
		}
	}
	return out
}

// unsimulated ends the walk at once before what stops everybody here whatever they
// want: a proof of being human, a language that is not read.
func (m *Mind) unsimulated(v *view) (walk.Decision, bool) {
	if l := m.unproved(v); l != nil {
		return m.stop(l), true
	}
	if l := m.gate(v); l != nil {
		if m.last.Action.Type != walk.Wait { // some are content with a look
			return walk.Decision{Action: walk.Action{Type: walk.Wait}, Purpose: walk.ReadOn, Thought: m.say("human")}, true
		}
		return m.stop(l), true
	}
	return m.foreign(v)
}

// stop ends the walk at a limit of the simulation.
func (m *Mind) stop(l *walk.Limit) walk.Decision {
	return walk.Decision{Action: walk.Action{Type: walk.GiveUp}, End: walk.EndBlocked, Purpose: walk.Finish,
		Thought: m.say("limit "+l.Kind, "name", l.Name), Signals: []walk.Signal{told(l)}}
}

func told(l *walk.Limit) walk.Signal {
	return walk.Signal{Kind: walk.SigLimitPage, Detail: l.String()}
}

// giveUp ends the walk where no way is left: at a limit of the simulation when what is
// needed seems to be there.
func (m *Mind) giveUp(v *view, end, why string) walk.Decision {
	l, _ := m.walled(v)
	if l == nil {
		l = m.barrier
	}
	if l != nil {
		return m.stop(l)
	}
	return m.leave(end, why)
}

// unproved is the proof of being human in the form that was sent just now and still
// stands there, nil for none.
func (m *Mind) unproved(v *view) *walk.Limit {
	e := m.last.Target
	if e == nil || m.last.Purpose != walk.Submit && !e.Submit || m.searches(e) ||
		!slices.ContainsFunc(v.percepts, func(p percept) bool { return p.key == m.site.key(e) }) {
		return nil
	}
	return v.limit(func(l *walk.Limit) bool { return l.Kind == walk.LimitCaptcha && v.inForm(e.Form, l.Box) })
}

// gate is the proof of being human that is all of a page, nil for none.
func (m *Mind) gate(v *view) *walk.Limit {
	controls := 0
	for i := range v.percepts {
		p := &v.percepts[i]
		if walk.IsField(p.e) && v.page.Status < 400 {
			return nil
		}
		controls++
	}
	if controls > gateControls || m.promising(v) {
		return nil
	}
	return v.limit(func(l *walk.Limit) bool { return l.Kind == walk.LimitCaptcha })
}

// foreign looks for one's own language on a page that cannot be read, leaves it when
// nothing said that this is the place, and stops there otherwise.
func (m *Mind) foreign(v *view) (walk.Decision, bool) {
	l := m.unreadable(v)
	if l == nil || language.Familiar(v.names(), m.goal.Language) || m.promising(v) {
		return walk.Decision{}, false
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.seen && p.usable && p.label.Has("language") && m.site.tries(m.at, v.at.key, p.key) == 0 {
			m.site.try(m.at, v.at.key, p.key, 1)
			m.lastKey = p.key
			return walk.Decision{Action: walk.Action{Type: walk.Click, Ref: p.e.Ref}, Target: p.e, Purpose: walk.Navigate, Assessed: 1,
				Thought: m.say("my language", "name", p.e.Name)}, true
		}
	}
	if len(m.site.trail) > 0 && v.at.promised < m.t.settle && m.still < 3 {
		return m.back("not here", 0), true
	}
	return m.stop(l), true
}

// promising: something here can be used for the goal, whatever else there is.
func (m *Mind) promising(v *view) bool {
	if m.subgoal().Kind == task.Act {
		if move, ok := m.next(v); ok && move.Stuck == "" {
			return true
		}
	}
	return slices.ContainsFunc(v.percepts, func(p percept) bool {
		return p.seen && p.usable && !walk.IsField(p.e) && m.worth(v, &p) >= m.t.settle
	})
}

// walled is the limit of this page where what is needed seems to be, nil for none; sure:
// its name, the task or the way here says so.
func (m *Mind) walled(v *view) (wall *walk.Limit, sure bool) {
	if v.overlooked != nil || v.buried != nil || v.unreachable != nil || m.outside(v) {
		return nil, false // it is elsewhere on the page
	}
	most := 0.0
	for i := range v.page.Limits {
		l := &v.page.Limits[i]
		share := v.share(l.Box)
		room := share >= roomy && l.Kind != walk.LimitMedia && l.Kind != walk.LimitCaptcha && !v.backdrop(l.Box)
		if m.meant(l, room) || room && share >= filling && v.at.promised >= m.t.settle {
			return l, true
		}
		if share >= most && (room || m.entered(v, l)) {
			wall, most = l, share
		}
	}
	if wall == nil {
		wall = m.unreadable(v)
	}
	if wall == nil {
		wall = v.limit(func(l *walk.Limit) bool { return l.Kind == walk.LimitSize })
	}
	return wall, false
}

// meant: a part is called what is looked for, or the task speaks of its kind, of which
// only sound needs no room.
func (m *Mind) meant(l *walk.Limit, room bool) bool {
	if l.Name != "" && language.Cover(m.subgoal().Wanted(), m.phrase(l.Name)) >= contextLeast {
		return l.Kind != walk.LimitCaptcha
	}
	return (room || l.Kind == walk.LimitMedia) && slices.ContainsFunc(hints[m.goal.Language][l.Kind], func(w string) bool { return m.hinted[w] })
}

// outside: what the task names as it is written stands on the page as a control.
func (m *Mind) outside(v *view) bool {
	names := []string{fold(m.subgoal().Literal)}
	for i := range m.goal.Values {
		if m.goal.Values[i].Old {
			names = append(names, fold(m.goal.Values[i].Text))
		}
	}
	return m.subgoal().Kind == task.Act && slices.ContainsFunc(v.percepts, func(p percept) bool {
		return p.known && p.e.Name != "" && slices.Contains(names, fold(p.e.Name))
	})
}

// entered: a part that a form may need stands in one that was filled in, and no error
// there says what else is wrong.
func (m *Mind) entered(v *view, l *walk.Limit) bool {
	return m.subgoal().Kind == task.Act && l.Kind != walk.LimitCanvas && l.Kind != walk.LimitMedia && l.Kind != walk.LimitSize && !m.refused(v) && slices.ContainsFunc(v.percepts, func(p percept) bool {
		return walk.IsField(p.e) && p.e.Value != "" && !m.searches(p.e) && v.inForm(p.e.Form, l.Box)
	})
}

// limit is the first limit of a page that fits, nil for none.
func (v *view) limit(fits func(*walk.Limit) bool) *walk.Limit {
	for i := range v.page.Limits {
		if l := &v.page.Limits[i]; fits(l) {
			return l
		}
	}
	return nil
}

// inForm: a box stands in a form, or right below its last control; without a form, on
// the page.
func (v *view) inForm(form int, b walk.Box) bool {
	if form == 0 {
		return true
	}
	top, bottom := math.Inf(1), math.Inf(-1)
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; e.Form == form {
			top, bottom = math.Min(top, e.Box.Y), math.Max(bottom, e.Box.Y+e.Box.H)
		}
	}
	y := centre(b).y
	return y >= top && y <= bottom+b.H
}

// share is the part of the window that a box would take.
func (v *view) share(b walk.Box) float64 {
	return math.Min(1, b.W*b.H/float64(max(1, v.page.Viewport.Width*v.page.Viewport.Height)))
}

// backdrop: what the page says stands over a box, which is there to be looked at.
func (v *view) backdrop(b walk.Box) bool {
	words := 0
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if at := centre(t.Box); t.InViewport && at.x >= b.X && at.x <= b.X+b.W && at.y >= b.Y && at.y <= b.Y+b.H {
			words += len(strings.Fields(t.Text))
		}
	}
	return words >= backdropWords
}

// unreadable is the language of a page that cannot be read, nil when it can: who is
// simulated reads English and the language of the task.
func (m *Mind) unreadable(v *view) *walk.Limit {
	text := strings.Builder{}
	for i := range v.page.Texts {
		text.WriteString(v.page.Texts[i].Text + "\n")
	}
	lang, ok := language.Readable(text.String()+v.names(), v.page.Lang)
	if ok && (lang == language.English || lang == m.goal.Language) {
		return nil
	}
	return &walk.Limit{Kind: walk.LimitLanguage, Name: lang}
}

// names are those of a page's controls, a line each.
func (v *view) names() string {
	names := strings.Builder{}
	for i := range v.page.Elements {
		names.WriteString(v.page.Elements[i].Name + "\n")
	}
	return names.String()
}
