package mind

import (
	"math"
	"regexp"
	"strings"
)

// answerLeast is the strength from which a section counts as the answer, or as
// the place that was looked for: an assumption, calibrated on our test pages.
const answerLeast = 0.66

var (
	priceLike = regexp.MustCompile(`(?i)[$€£¥]\s?\d|\d\s?(?:[$€£¥]|usd|eur|gbp|chf|pounds|euros|dollars)|\bfree of charge\b|\b(?:is|are|it's) free\b|\bno charge\b|\bcosts? nothing\b`)
	timeLike  = regexp.MustCompile(`(?i)\b\d{1,2}(?:[:.]\d{2}\s*(?:am|pm)?|\s*(?:am|pm))\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:19|20)\d{2}\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b(?:today|tomorrow)\b|\b\d+\s+(?:working |business )?(?:days?|hours?|weeks?|minutes?)\b`)
	clockLike = regexp.MustCompile(`(?i)\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s*(?:am|pm|h|uhr)\b|\bclosed\b|\bround the clock\b`)
	placeLike = regexp.MustCompile(`(?i)\b(?:street|st\.|road|rd\.|avenue|ave\.?|lane|square|straße|platz|boulevard|blvd|suite|floor|\d{5})\b`)
	mailLike  = regexp.MustCompile(`[A-Za-z0-9._%+\-]+(?:@|\s?\[at\]\s?)[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)
	phoneLike = regexp.MustCompile(`(?:\+|\b0|\()\d[\d\s()/.\-]{6,}\d|\b\d{3}[\s.\-]\d{3}[\s.\-]\d{4}\b`)
	percent   = regexp.MustCompile(`\d\s?%|\bper ?cent\b`)
	numberish = regexp.MustCompile(`(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|dozen|none|unlimited)\b`)
	person    = regexp.MustCompile(`\p{Lu}[\p{Ll}.]+\s+(?:\p{Lu}\.\s+)?\p{Lu}[\p{L}'’-]+`)
)

// answerWords name what an answer of a kind is.
var answerWords = map[string]string{"price": "price", "time": "hours", "clock": "hours", "contact": "contact", "place": "location address street city"}

// answerStrength is how strongly a page answers or is what a subgoal looks
// for, 0 to 1, with the words that say so. It goes by sections: the heading
// (the page's own title counts a little less) carries 60 %, what stands below
// it 40 %; a single sentence that says it all counts without a heading, and one
// that nearly does counts under a heading with the goal's verb.
// Where the question wants a kind of answer (a price, a contact, a time), a
// section that holds none is held below the threshold. Only texts and elements
// that the callbacks accept are used.
func answerStrength(s *Subgoal, page *Page, analyse func(string) *words, sees func(*Text) bool) (float64, string) {
	if len(s.terms) == 0 {
		return 0, ""
	}
	if echoes(s, page) {
		return resultAnswers(s, page, analyse, sees)
	}
	title := coverage(s, analyse(MainHeading(page)))
	best, quote := 0.0, ""
	for _, p := range passages(page, s.Answer == "howto", sees) {
		text := p.text.String()
		if s.Answer != "" && answers(s.Answer, text) {
			text += "\n" + answerWords[s.Answer] // "£24" says the price, though not the word
		}
		body := coverage(s, analyse(p.heading+" "+text))
		under := coverage(s, analyse(MainHeading(page)+" "+p.heading))
		if p.blocks == 0 {
			body *= 0.8 // a bare heading promises, it does not answer
		}
		strength := 0.6*math.Max(coverage(s, analyse(p.heading)), 0.92*math.Max(title, under)) + 0.4*body
		line := p.heading
		if by, said := sentenceStrength(s, page, p.heading, text, analyse); by > strength {
			strength, line = by, said
		}
		if typed(s) {
			near, said := nearAnswer(s, page, p, analyse)
			switch {
			case near > 0 || s.Answer == "contact" && contactControls(page):
				strength += 0.12
				if near >= objectLeast && strength < answerLeast+0.05 {
					strength, line = answerLeast+0.05, said
				}
			default:
				strength = math.Min(strength, answerLeast-0.06)
			}
		}
		if s.Kind == Inform && p.blocks == 0 && (s.Answer != "contact" || !contactControls(page)) {
			strength = math.Min(strength, answerLeast-0.06) // a heading asks, what stands below it answers
		}
		if s.Answer == "howto" && s.Verb != "" && verbSaid(s, analyse(MainHeading(page)+" "+p.heading)) < matchStem && !tellsDeed(s, text, analyse) {
			strength = math.Min(strength, answerLeast-0.06) // about the thing, but not about doing that to it
		}
		if object, named := objectCoverage(s, analyse(MainHeading(page)+" "+p.heading+" "+text)); object < objectLeast || !named || !namedTogether(s, page, p, analyse) {
			strength = math.Min(strength, answerLeast-0.06)
		}
		if strength > best {
			best, quote = strength, line
			if quote == "" {
				quote = text
			}
		}
	}
	if by, said := controlAnswers(s, page, analyse, sees); by > best {
		best, quote = by, said
	}
	if by, said := whereOffered(s, page, analyse, sees); by > best {
		best, quote = by, said
	}
	if by, said := whetherAnswered(s, page, analyse, sees); by > best {
		best, quote = by, said
	}
	return math.Min(1, best), clip(quote, 120)
}

// sentenceStrength is what the best sentence of a section says alone.
func sentenceStrength(s *Subgoal, page *Page, heading, text string, analyse func(string) *words) (float64, string) {
	if s.Kind != Inform && s.Answer == "" {
		return 0, "" // a sentence about a place is not the place
	}
	c, line := bestSentence(s, text, analyse)
	if c == 0 {
		return 0, ""
	}
	strength := 0.8 * c
	titled := math.Max(verbSaid(s, analyse(heading)), verbSaid(s, analyse(MainHeading(page)))) >= matchSynonym
	if c >= 0.75 && titled {
		strength = math.Max(strength, answerLeast+0.06) // the right sentence under the right heading
	}
	if w := analyse(line); s.Answer == "howto" && howLike.MatchString(line) && doesTo(s, w) {
		strength = math.Max(strength, answerLeast+0.01) // an instruction that names the deed and the thing
	}
	return strength, strings.TrimSpace(line)
}

// objectLeast is the share of the object, by weight, that a section and its
// headings must say to be about it: two of three words, but not one of two. An
// assumption, calibrated on our test pages.
const objectLeast = 0.6

// objectCoverage is how much of a subgoal's object the words say, 1 when it has
// no telling word, and whether they say every proper name in it.
func objectCoverage(s *Subgoal, w *words) (share float64, named bool) {
	var sum, total float64
	named = true
	for _, t := range s.terms {
		if !t.telling() {
			continue // vague words and the site's own name say little either way
		}
		m := said(t, w)
		sum += t.weight * m
		total += t.weight
		named = named && (!t.name || m >= matchStem)
	}
	if total == 0 {
		return 1, named
	}
	return sum / total, named
}

// echoes: the page lists what was searched for, so that its words are the
// seeker's own.
func echoes(s *Subgoal, page *Page) bool {
	if s.Verb == "search" {
		return false
	}
	if h := analyse(MainHeading(page)); has(h.base, "result") || has(h.concepts, "search") {
		return true
	}
	q := analyse(query(page.URL))
	return len(s.Object) > 0 && objectSaid(s, &q)
}

// sentenceEnds also cut what is written for machines, such as the synopsis of
// a command, into pieces too small to say anything by accident.
const sentenceEnds = ".!?;:|[]{}<>\n"

// maxSentences bounds how much of a section is read sentence by sentence.
const maxSentences = 60

// cutSentence is the first sentence of a text, and the rest.
func cutSentence(text string) (first, rest string) {
	if cut := strings.IndexAny(text, sentenceEnds); cut >= 0 {
		return text[:cut], text[cut+1:]
	}
	return text, ""
}

// promise is how sentences begin that tell where something can be found out.
var promise = regexp.MustCompile(`(?i)^\s*(?:see|find out|check|look up|learn|read|discover|view|search|browse)\b`)

// imprint is how pages say whose they are, which answers nothing.
var imprint = regexp.MustCompile(`(?i)©|\bcopyright\s+(?:\(c\)\s*)?\d{4}|\ball rights reserved\b`)

// promises reports whether a sentence only tells where the answer is, or whose
// the page is.
func promises(s *Subgoal, sentence string) bool {
	return promise.MatchString(sentence) || imprint.MatchString(sentence) || s.Answer == "howto" && ofInstructions.MatchString(sentence)
}

// bestSentence is the sentence of a text that says most of the goal, and how
// much. Where instructions are asked for, the words must say that the deed is
// done to the thing. At most maxSentences are read.
func bestSentence(s *Subgoal, text string, analyse func(string) *words) (float64, string) {
	best, line := 0.0, ""
	for n := 0; text != "" && n < maxSentences; n++ {
		var part string
		part, text = cutSentence(text)
		if len(part) < 8 || len(part) > 400 || promises(s, part) {
			continue
		}
		w := analyse(part)
		if c := coverage(s, w); c > best && (s.Answer != "howto" || s.Verb == "" || len(s.Object) == 0 || doesTo(s, w)) {
			best, line = c, part
		}
	}
	return best, line
}

func answers(kind, text string) bool {
	switch kind {
	case "contact":
		return mailLike.MatchString(text) || phoneLike.MatchString(text)
	case "price":
		return priceLike.MatchString(text)
	case "time":
		return timeLike.MatchString(text)
	case "clock":
		return clockLike.MatchString(text)
	case "percent":
		return percent.MatchString(text)
	case "number":
		return numberish.MatchString(text)
	case "person":
		return person.MatchString(text)
	case "place":
		return placeLike.MatchString(text)
	}
	return true
}

// contactControls: the page offers a way to write or call.
func contactControls(page *Page) bool {
	for i := range page.Elements {
		e := &page.Elements[i]
		if !e.InViewport {
			continue
		}
		if strings.HasPrefix(e.Href, "mailto:") || strings.HasPrefix(e.Href, "tel:") || e.Role == "link" && answers("contact", e.Name) {
			return true
		}
		if isField(e) && (strings.Contains(strings.ToLower(e.Name), "message") || e.InputType == "textarea") {
			return true
		}
	}
	return false
}

// MainHeading is what a page calls itself: its first top heading, and its title.
func MainHeading(page *Page) string {
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "heading" && t.Level == 1 {
			return t.Text + " " + page.Title
		}
	}
	return page.Title
}

// clip shortens a text to at most n bytes at a word's end.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if cut := strings.LastIndexByte(s, ' '); cut > n/2 {
		s = s[:cut]
	}
	return s + "…"
}
