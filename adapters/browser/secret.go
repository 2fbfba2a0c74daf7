package browser

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"understudy/domain/walk"
)

// struck stands where a secret was.
const struck = "•••"

// keep remembers a typed secret in the forms in which pages and addresses show
// it, lines and runs of blanks drawn together among them. What has less than
// three bytes is a part of too many words.
func (s *Session) keep(secret string) {
	s.sealed = true
	if slices.Contains(s.secrets, secret) {
		return
	}
	for _, shown := range []string{secret, strings.Join(strings.Fields(secret), " ")} {
		if len(shown) < 3 {
			continue
		}
		quoted := jsString(shown)
		for _, form := range []string{shown, url.QueryEscape(shown), url.PathEscape(shown), formEscape(shown), html.EscapeString(shown), quoted[1 : len(quoted)-1]} {
			again := url.QueryEscape(form) // an address within an address
			s.secrets = append(s.secrets, form, lowerEscapes(form), again, lowerEscapes(again))
		}
		if len(shown) >= leastRegrouped {
			s.secrets = append(s.secrets, encoded(shown)...)
		}
	}
	slices.SortFunc(s.secrets, func(a, b string) int { // one may hold another
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	s.secrets = slices.Compact(s.secrets)
	var pairs []string
	for _, form := range s.secrets {
		pairs = append(pairs, form, struck)
	}
	s.striker = strings.NewReplacer(pairs...)
	if len(strings.TrimSpace(secret)) >= 3 {
		s.masked = append(s.masked, looks(secret)...)
	}
	if p := regrouped(secret); p != nil {
		s.regrouped = append(s.regrouped, p)
		s.masked = append(s.masked, strings.TrimPrefix(p.String(), "(?i)"))
	}
}

// strike removes typed secrets from a text.
func (s *Session) strike(text string) string {
	if s.striker == nil {
		return text
	}
	text = s.striker.Replace(text)
	for _, p := range s.regrouped {
		text = p.ReplaceAllLiteralString(text, struck)
	}
	return text
}

// leastRegrouped is how many letters and digits a secret must have to be known
// again when a page writes it its own way; fewer are found in too much else.
const leastRegrouped = 6

// regrouped finds a secret in other letters and, where it has digits as numbers
// of cards, phones and accounts do, in other groups; nil for a short one.
func regrouped(secret string) *regexp.Regexp {
	var signs []string
	between := ""
	for _, r := range secret {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			signs = append(signs, string(r))
		}
		if unicode.IsDigit(r) {
			between = `(?:[\s\-.,/+_()]|%20|%2F|%2B){0,2}`
		}
	}
	if len(signs) < leastRegrouped {
		return nil
	}
	if between == "" {
		return regexp.MustCompile(`(?i)` + regexp.QuoteMeta(secret))
	}
	return regexp.MustCompile(`(?i)` + strings.Join(signs, between))
}

// encoded is a text in hex and in base64, in which it looks different by the place at
// which it begins; what its neighbours decide of the first and last signs is cut off.
func encoded(text string) []string {
	inHex := hex.EncodeToString([]byte(text))
	forms := []string{inHex, strings.ToUpper(inHex)}
	for shift := range 3 {
		raw := append(make([]byte, shift), text...)
		from, to := (shift*8+5)/6, len(raw)*8/6
		forms = append(forms, base64.StdEncoding.EncodeToString(raw)[from:to], base64.URLEncoding.EncodeToString(raw)[from:to])
	}
	return forms
}

// formEscape is how browsers write a field of a GET form: like QueryEscape, but
// that * stays and ~ does not (WHATWG URL, application/x-www-form-urlencoded).
func formEscape(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}

var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

// lowerEscapes writes the hex digits of percent escapes in lower case.
func lowerEscapes(s string) string { return escapes.ReplaceAllStringFunc(s, strings.ToLower) }

func (s *Session) strikePage(p *walk.Page) {
	if s.striker == nil {
		return
	}
	out := func(said ...*string) {
		for _, text := range said {
			*text = s.strike(*text)
		}
	}
	out(&p.URL, &p.Title, &p.Lang)
	for _, hosts := range [][]string{p.Missing, p.Private} {
		for i := range hosts {
			out(&hosts[i])
		}
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		out(&e.Value, &e.Name, &e.Selector, &e.Href, &e.Error, &e.Help, &e.Placeholder, &e.CoveredBy, &e.Group, &e.Tip,
			&e.Autocomplete, &e.Pattern, &e.Min, &e.Max, &e.Accept)
		for j := range e.Options {
			out(&e.Options[j])
		}
		for j := range e.Holds {
			out(&e.Holds[j].Name, &e.Holds[j].Selector, &e.Holds[j].Href)
		}
	}
	for i := range p.Texts {
		out(&p.Texts[i].Text, &p.Texts[i].Head)
	}
	for i := range p.Regions {
		out(&p.Regions[i].Heading)
	}
	for i := range p.Limits {
		out(&p.Limits[i].Name)
	}
}
