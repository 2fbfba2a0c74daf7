package oracle

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain/walk"
)

// condition is one thing that a test says success is, with whether it held at some
// time of the walk.
type condition struct {
	thing, was string
	want       string
	held       bool
	holds      func(*walk.Page, *walk.Effect) bool
}

// conditions are all of a test, none where it leaves the judgement to its task.
type conditions []condition

func newConditions(given walk.Conditions) (all conditions) {
	add := func(want, thing, was string, holds func(*walk.Page, *walk.Effect) bool) {
		if want != "" {
			all = append(all, condition{thing, was, want, false, holds})
		}
	}
	pattern, _ := regexp.Compile(given.URLMatches)
	add(given.URLMatches, "address", "matched", func(p *walk.Page, _ *walk.Effect) bool {
		return pattern != nil && pattern.MatchString(p.URL) || pattern == nil && strings.Contains(p.URL, given.URLMatches)
	})
	add(given.TextVisible, "text", "appeared", func(p *walk.Page, _ *walk.Effect) bool { return visible(p, given.TextVisible) })
	add(given.SelectorVisible, "selector", "had a visible match", func(p *walk.Page, _ *walk.Effect) bool {
		return slices.Contains(p.SelectorsVisible, given.SelectorVisible)
	})
	add(given.RequestMade, "request", "succeeded", func(_ *walk.Page, e *walk.Effect) bool {
		return slices.ContainsFunc(e.Requests, func(r walk.Request) bool { return made(&r, given.RequestMade) })
	})
	return all
}

func (all conditions) observe(page *walk.Page, effect *walk.Effect) {
	for i := range all {
		all[i].held = all[i].held || all[i].holds(page, effect)
	}
}

// visible looks for a text anywhere on the page, in any case and spacing.
func visible(page *walk.Page, want string) bool {
	flat := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	want = flat(want)
	var all strings.Builder
	for i := range page.Texts {
		all.WriteString(flat(page.Texts[i].Text) + " ")
	}
	return strings.Contains(all.String(), want) || slices.ContainsFunc(page.Elements, func(e walk.Element) bool { return strings.Contains(flat(e.Name), want) })
}

// made: a request is the one that is wanted, "METHOD /path" or a part of its
// address, and was answered well.
func made(r *walk.Request, want string) bool {
	method, part, ok := strings.Cut(want, " ")
	if !ok {
		method, part = r.Method, want
	}
	return r.Status >= 100 && r.Status < 400 && strings.EqualFold(r.Method, method) && strings.Contains(r.URL, strings.TrimSpace(part))
}

// verdict says which conditions held; all that were given must have.
func (all conditions) verdict(v walk.Completion) walk.Completion {
	var missing, met []string
	for _, one := range all {
		if one.held {
			met = append(met, "the "+one.thing+" "+one.was)
		} else {
			missing = append(missing, "the "+one.thing+" never "+one.was)
		}
	}
	if len(missing) > 0 {
		v.Status, v.Confidence, v.Evidence = walk.NotReached, 0, sentence(strings.Join(missing, "; "))
		v.SubgoalsDone = min(v.SubgoalsDone, max(0, v.SubgoalsTotal-1))
		return v
	}
	v.Status, v.Confidence, v.Evidence, v.SubgoalsDone = walk.Verified, 1, sentence(strings.Join(met, "; ")), v.SubgoalsTotal
	return v
}

// sentence is evidence as a sentence.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	s = string(unicode.ToUpper(first)) + s[size:]
	if slices.ContainsFunc([]string{".”", "!”", "?”", "…”"}, func(end string) bool { return strings.HasSuffix(s, end) }) {
		return s // what is quoted brings its own end
	}
	return s + "."
}
