package forager

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// thoughts are the wordings of what a person thinks, by occasion: a line with the
// occasion in brackets, then a wording a line, with {names} for what is thought of.
// They are those of all languages, by language.
var wordings = parseWordings()

func parseWordings() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for lang, text := range language.Texts(folders, "thoughts.txt") {
		out[lang] = parseThoughts(text)
	}
	return out
}

// wordings are those of an occasion in the language of the task, else in English.
func (m *Mind) wordings(occasion string) []string {
	if own := wordings[m.goal.Language][occasion]; len(own) > 0 {
		return own
	}
	return wordings[language.English][occasion]
}

func parseThoughts(text string) map[string][]string {
	out := map[string][]string{}
	occasion := ""
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			occasion = strings.Trim(line, "[]")
		default:
			out[occasion] = append(out[occasion], line)
		}
	}
	return out
}

// silent are the occasions on which nothing is thought that was thought before.
var silent = map[string]bool{"read on": true, "go to": true, "bring_into_view": true, "adjust": true, "turn_calendar": true, "send search": true, "not here": true, "better before": true, "await": true}

// say words a thought for an occasion: varied by persona and by what was said
// before, so that nobody says one sentence, or one wording with another name in it,
// over and over. A wording that needs a name which is empty is not used. args are
// names and values.
func (m *Mind) say(occasion string, args ...string) string {
	var names, given []string
	for i := 0; i+1 < len(args); i += 2 {
		most := longestSaid
		if args[i] == "name" {
			most = longestName
		}
		if said := walk.Shorten(strings.Trim(args[i+1], " ,;:"), most); said != "" {
			names, given = append(names, "{"+args[i]+"}", ""), append(given, "{"+args[i]+"}", said)
		}
	}
	bare, whole := strings.NewReplacer(names...), strings.NewReplacer(given...)
	type thought struct{ wording, text string }
	var fit []thought
	for _, w := range m.wordings(occasion) {
		if !strings.Contains(bare.Replace(w), "{") {
			fit = append(fit, thought{w, whole.Replace(w)})
		}
	}
	if len(fit) == 0 {
		return ""
	}
	at := int(hash(m.seed, "wording", occasion) % uint64(len(fit)))
	fit = slices.Concat(fit[at:], fit[:at])
	next := slices.MinFunc(fit, func(a, b thought) int {
		return cmp.Or(cmp.Compare(m.said[a.text], m.said[b.text]), cmp.Compare(m.said[a.wording], m.said[b.wording]))
	})
	if m.said[next.text] > 0 && silent[occasion] {
		return "" // nobody says that again and again
	}
	m.said[next.text]++
	if next.wording != next.text {
		m.said[next.wording]++
	}
	return next.text
}

// whyUse says why a control is used.
func (m *Mind) whyUse(p *percept, rivals int) string {
	occasion := "a long shot"
	switch {
	case len(p.label.Words) == 0:
		occasion = "nameless"
	case rivals > 0 && p.scent >= m.t.settle:
		occasion = "rivals"
	case p.own >= named:
		occasion = "the very thing"
	case p.scent >= m.t.aspiration:
		occasion = "looks right"
	case p.scent >= m.t.settle:
		occasion = "comes closest"
	}
	return m.say(occasion, "name", p.e.Name, "goal", m.subgoal().Plain(), "n", strconv.Itoa(rivals+1))
}

// observation says what is seen on this look: what the page calls itself, or the
// layer over it, and the control or passage that stands out for the goal.
func (m *Mind) observation(v *view) string {
	occasion, name := "see page", ""
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.Kind == "heading" && m.reads(t) && t.InDialog == v.dialog {
			name = t.Text
			break
		}
	}
	switch {
	case v.dialog:
		occasion, name = "see layer", m.layer(v)
	case name == "":
		name = v.page.Title
	}
	if m.t.reader {
		occasion = strings.Replace(occasion, "see", "hear", 1)
	}
	best := ""
	top := m.t.settle
	for i := range v.percepts {
		if p := &v.percepts[i]; p.seen && p.usable && !walk.IsField(p.e) && p.scent > top {
			best, top = p.e.Name, p.scent
		}
	}
	words := m.wordings(occasion)
	out := ""
	if len(words) > 0 && name != "" {
		out = strings.ReplaceAll(words[0], "{name}", walk.Shorten(name, 80))
	}
	if words = m.wordings("stands out"); best != "" && len(words) > 0 {
		out = strings.TrimSpace(out + " " + strings.ReplaceAll(words[0], "{name}", walk.Shorten(best, 60)))
	}
	return out
}
