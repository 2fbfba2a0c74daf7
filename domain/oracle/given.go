package oracle

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain/walk"
)

// conditions are what a test says success is, with which of them held at some time
// of the walk.
type conditions struct {
	walk.Conditions
	pattern                      *regexp.Regexp
	url, text, selector, request bool
}

func (c *conditions) observe(page *walk.Page, effect *walk.Effect) {
	switch {
	case c.URLMatches == "":
	case c.pattern != nil:
		c.url = c.url || c.pattern.MatchString(page.URL)
	default: // no expression: a part of the address
		c.url = c.url || strings.Contains(page.URL, c.URLMatches)
	}
	if c.TextVisible != "" && !c.text {
		c.text = visible(page, c.TextVisible)
	}
	c.selector = c.selector || c.SelectorVisible != "" && slices.Contains(page.SelectorsVisible, c.SelectorVisible)
	for i := range effect.Requests {
		c.request = c.request || c.RequestMade != "" && made(&effect.Requests[i], c.RequestMade)
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
	if r.Status < 100 || r.Status >= 400 {
		return false
	}
	if method, part, ok := strings.Cut(want, " "); ok {
		return strings.EqualFold(r.Method, method) && strings.Contains(r.URL, strings.TrimSpace(part))
	}
	return strings.Contains(r.URL, want)
}

// verdict says which conditions held; all that were given must have.
func (c *conditions) verdict(v walk.Completion) walk.Completion {
	var missing, met []string
	for _, one := range []struct {
		want       string
		held       bool
		thing, was string
	}{
		{c.URLMatches, c.url, "address", "matched"},
		{c.TextVisible, c.text, "text", "appeared"},
		{c.SelectorVisible, c.selector, "selector", "had a visible match"},
		{c.RequestMade, c.request, "request", "succeeded"},
	} {
		switch {
		case one.want == "":
		case one.held:
			met = append(met, "the "+one.thing+" "+one.was)
		default:
			missing = append(missing, "the "+one.thing+" never "+one.was)
		}
	}
	if len(missing) == 0 {
		v.Status, v.Confidence, v.SubgoalsDone = walk.Verified, 1, v.SubgoalsTotal
		v.Evidence = sentence(strings.Join(met, "; "))
		return v
	}
	v.Status, v.Confidence = walk.NotReached, 0
	v.Evidence = sentence(strings.Join(missing, "; "))
	v.SubgoalsDone = min(v.SubgoalsDone, max(0, v.SubgoalsTotal-1))
	return v
}

// sentence is evidence as a sentence.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	for _, end := range []string{".”", "!”", "?”", "…”"} {
		if strings.HasSuffix(s, end) {
			return s // what is quoted brings its own end
		}
	}
	return s + "."
}
