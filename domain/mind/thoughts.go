package mind

import (
	"strconv"
	"strings"
)

// pickText varies the wording by persona and thing, not by moment.
func pickText(seed uint64, key string, variants ...string) string {
	return variants[hash(seed, "wording", key)%uint64(len(variants))]
}

// observation says what is seen on this look.
func (m *Mind) observation(v *view) string {
	links, buttons, fields, covered := 0, 0, 0, 0
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.e.CoveredBy != "" && p.e.InViewport {
			covered++
		}
		if !p.seen {
			continue
		}
		switch {
		case isField(p.e):
			fields++
		case p.e.Role == "link":
			links++
		default:
			buttons++
		}
	}
	verb := "I see "
	if m.t.reader {
		verb = "I hear "
	}
	var b strings.Builder
	b.WriteString(verb)
	if h := m.visibleHeading(v); h != "" {
		b.WriteString("“" + clip(h, 80) + "”")
	} else if v.page.Title != "" {
		b.WriteString("a page called “" + clip(v.page.Title, 80) + "”")
	} else {
		b.WriteString("a page without a heading")
	}
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, strconv.Itoa(n)+" "+many)
		}
	}
	add(links, "link", "links")
	add(buttons, "button", "buttons")
	add(fields, "field", "fields")
	switch {
	case len(parts) == 0:
		b.WriteString(" and nothing to act on")
	default:
		b.WriteString(" with " + enumerate(parts))
	}
	if v.dialog {
		b.WriteString(", under a dialog: “" + clip(m.dialogName(v), 60) + "”")
	} else if covered > 0 {
		b.WriteString("; " + strconv.Itoa(covered) + " of the things here are covered")
	}
	b.WriteByte('.')
	return b.String()
}

func enumerate(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func (m *Mind) visibleHeading(v *view) string {
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.Kind == "heading" && m.sees(t) {
			return t.Text
		}
	}
	return ""
}

// vary picks a wording by persona, thing and how often the persona has thought
// of it before, so that nobody says the same sentence over and over.
func (m *Mind) vary(key string, variants ...string) string {
	n := uint64(len(variants))
	at := hash(m.seed, "wording", key) % n
	for range variants {
		if !m.said[variants[at]] {
			break
		}
		at = (at + 1) % n
	}
	m.said[variants[at]] = true
	return variants[at]
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// clickThought says why a label is followed.
func (m *Mind) clickThought(v *view, p *percept, rivals, assessed int) string {
	name := "“" + clip(p.label, 50) + "”"
	if p.label == "" {
		return "This icon says nothing to me. I try it."
	}
	where := ""
	if !p.e.InViewport {
		where = " I scroll back to it."
	}
	switch {
	case rivals > 0 && p.scent >= m.t.settle:
		n, opinion := strconv.Itoa(rivals+1), " looks right"
		if p.scent < m.t.aspiration {
			opinion = " might do"
		}
		same := 0
		for i := range v.percepts {
			if o := &v.percepts[i]; o.e.InViewport && o.seen && strings.EqualFold(o.label, p.label) {
				same++
			}
		}
		if same > 1 {
			return name + opinion + ", but there are " + strconv.Itoa(same) + " of them. I take this one." + where
		}
		return name + opinion + ", but " + n + " things here promise the same." + where
	case p.scent >= 0.85:
		return m.vary(p.key, name+" is exactly what I am looking for.", name+", that is it.", "There it is: "+name+".",
			name+" says just what I want to do.", "No need to look further than "+name+".") + where
	case p.scent >= m.t.aspiration && p.own < 0.4:
		return m.vary(p.key, name+" stands where I would look.", "By what is around it, "+name+" should be it.", "I expect it under "+name+".") + where
	case p.scent >= m.t.aspiration:
		return m.vary(p.key, name+" looks right.", name+" sounds like it.", "I go for "+name+".",
			name+", the best of "+counted(assessed, "label")+".", "That should be "+name+".") + where
	case p.scent >= m.t.settle:
		return m.vary(p.key, name+" is the closest I can find.", "Perhaps "+name+".", "Of "+counted(assessed, "thing")+" here, "+name+" comes closest.",
			"Not quite, but "+name+" could lead there.", "I would guess "+name+".") + where
	}
	return m.vary(p.key, "I am not convinced, but "+name+" is all I can find.", "Nothing better among "+counted(assessed, "label")+": I try "+name+".",
		"A long shot: "+name+".") + where
}

func (m *Mind) scrollThought(v *view, assessed int) string {
	n, best := counted(max(1, assessed), "label"), m.bestLabel(v)
	switch {
	case v.overlooked != nil && m.t.contrast > 1.3:
		return m.vary("faint", "Some of this is hard to read. I scroll on.", "I cannot make out all of this. On I go.")
	case m.underWay:
		return m.vary("onward", "This must go on further down.", "I am not done yet; the rest must be below.")
	case v.best >= m.t.settle && best != "":
		return m.vary(path(v.page.URL), "“"+best+"” is a candidate, but I read on first.", "I keep “"+best+"” in mind and look at the rest.",
			"“"+best+"” might do. Let me see what else there is.", "So far “"+best+"” is the best of "+n+". I read on.")
	case v.place.screens > 3:
		return m.vary(path(v.page.URL), "Still nothing. How long is this page?", strconv.Itoa(v.place.screens)+" screens down and still nothing.",
			"On and on. There is a lot of this page.", "I skim the next part as well.")
	}
	return m.vary(path(v.page.URL), "Nothing here yet, I scroll on.", "Not what I need so far. Further down, perhaps.",
		"I have looked at "+n+" and nothing helps. I scroll.", "I look further down.")
}

// bestLabel is the label of the strongest scent in sight.
func (m *Mind) bestLabel(v *view) string {
	label, scent := "", 0.0
	for i := range v.percepts {
		if p := &v.percepts[i]; p.seen && p.usable && !isField(p.e) && p.scent > scent {
			label, scent = p.label, p.scent
		}
	}
	return clip(label, 40)
}

func (m *Mind) fillThought(p *percept, label, secret string) string {
	switch {
	case secret != "":
		return "I enter my " + strings.ReplaceAll(secret, "_", " ") + " in " + label + "."
	case p.label == "" && p.e.Placeholder == "":
		return "This field does not say what it wants. I guess."
	case p.e.Required:
		return m.vary(p.key, label+" is required, so I fill it in.", "They need "+label+".", label+", then.", "Now "+label+".", "And "+label+".", "On to "+label+".")
	}
	return m.vary(p.key, "I fill in "+label+".", "Next, "+label+".", label+" as well.", "I give them "+label+" too.")
}

// sendThought says why a form is sent now.
func (m *Mind) sendThought(f *form, b *percept) string {
	name := "“" + clip(b.label, 60) + "”"
	if len(m.forms[f.key].attempts) == 0 {
		return m.vary(path(f.key), "All of this is filled in already. I press "+name+".", "Nothing to change here, so "+name+".", "This is right as it is: "+name+".")
	}
	return m.vary(path(f.key), "That is everything, so "+name+".", "All filled in. I press "+name+".", name+", and that should be it.")
}

// choiceThought says which of several options is taken, and whether it matters.
func (m *Mind) choiceThought(f *form, p *percept, label string) string {
	n := 0
	for _, o := range f.fields {
		if o.e.Role == "radio" {
			n++
		}
	}
	switch {
	case p.own >= relevant:
		return "I choose " + label + ", that is what I came for."
	case n > 2:
		return pickText(m.seed, p.key, "Of the "+strconv.Itoa(n)+" I choose "+label+".", "I choose "+label+", it will do.")
	}
	return "I choose " + label + "."
}

// whyGiveUp says what ended the walk in the words of its main reason.
func (m *Mind) whyGiveUp(v *view) string {
	thing := m.goalWords()
	switch {
	case m.shocks > 0.5:
		return "Too much has gone wrong here. I give up."
	case m.frustration() >= 1:
		return "I have looked long enough for " + thing + ". I give up."
	case v.best < m.t.settle:
		return "Nothing here has to do with " + thing + ". I give up."
	}
	return "I have tried everything that looked like " + thing + ". I give up."
}

func (m *Mind) goalWords() string {
	s := m.subgoal()
	if len(s.Object) > 0 {
		return "“" + strings.Join(s.Object, " ") + "”"
	}
	if s.Text != "" {
		return "“" + clip(s.Text, 60) + "”"
	}
	return "what I was asked to do"
}

func statusText(status int) string { return "HTTP " + strconv.Itoa(status) }

// finishDone ends the walk with success in the walker's opinion.
func (m *Mind) finishDone(page *Page, before int) Decision {
	proof := ""
	if n := len(m.mine.proof); n > 0 {
		proof = m.mine.proof[n-1]
	}
	v := m.look(page)
	m.idleMS = 0
	m.charge(v)
	d := Decision{Action: Action{Type: Done}, End: EndDone, Purpose: Finish, Scent: 1, Subgoal: before,
		Thought: sentence("done: " + proof)}
	d = m.settle(v, d)
	d.Subgoal = before
	return d
}

// notice adds the signals that come from the page's own words and the target.
func (m *Mind) notice(v *view, d *Decision) {
	if m.arrived == 0 && m.last.Purpose != Fill {
		longest := 0
		for i := range v.page.Texts {
			if t := &v.page.Texts[i]; m.sees(t) {
				longest = max(longest, strings.Count(t.Text, " ")+1)
			}
		}
		if longest > wallOfText {
			d.Signals = append(d.Signals, Signal{Kind: SigLongText, Detail: strconv.Itoa(longest) + " words in one block"})
		}
	}
}

// wallOfText is the words in one block from which it is skipped: readability
// counts blocks of up to 80 words as good; half as long again is a wall here.
const wallOfText = 120

func secondsText(ms int) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
}
