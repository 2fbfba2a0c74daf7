package mind

import (
	"regexp"
	"strings"
)

// ValueKind is what kind of detail a value of the task is, "" when only its
// hint tells.
type ValueKind string

// The kinds of details that a sentence gives in plain words.
const (
	ValueAmount       ValueKind = "amount"       // digits, with a point before the cents
	ValueDate         ValueKind = "date"         // as the task says it
	ValueTime         ValueKind = "time"         // as the task says it
	ValuePostcode     ValueKind = "postcode"     // of a place
	ValueRegistration ValueKind = "registration" // of a vehicle
	ValueReference    ValueKind = "reference"    // a number of a case, an order, an account
	ValuePhone        ValueKind = "phone"
	ValueQuantity     ValueKind = "quantity" // digits
	ValueRecipient    ValueKind = "recipient"
	ValueName         ValueKind = "name"
	ValueFrom         ValueKind = "from" // what something is taken from
	ValueTo           ValueKind = "to"   // what something becomes, or goes to
)

const (
	monthNames = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	dayNames   = `(?:mon|tues|wednes|thurs|fri|satur|sun)day`
	partOfDay  = `(?:\s+(?:in the\s+)?(?:morning|afternoon|evening|night))?`
	smallCount = `(?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})`
	properName = `[A-Z][\p{L}'’.-]+(?:\s+(?:de|van|von|da|di|al)?\s*[A-Z][\p{L}'’-]+){0,3}`
)

// details finds what a sentence gives to be entered, the surest first. The
// group is the value; all of the match is taken out of the sentence.
var details = []struct {
	kind    ValueKind
	pattern *regexp.Regexp
}{
	{ValueAmount, regexp.MustCompile(`(?i)(?:\b(?:of|for|worth)\s+)?(?:[£€$]\s?(\d[\d,]*(?:\.\d{1,2})?)|\b(\d[\d,]*(?:\.\d{1,2})?)\s?(?:pounds?|euros?|dollars?|gbp|eur|usd)\b)`)},
	{ValueRegistration, regexp.MustCompile(`(?:,?\s*(?i:with the|with|whose|the|your|my|a)\s+)?(?i:\b(?:registration|number plate|licen[cs]e plate|reg)(?:\s+(?:number|mark|plate))?(?:\s+is)?)\s+([A-Z0-9]{1,4}(?:[ -]?[A-Z0-9]{2,4}))\b`)},
	{ValueRegistration, regexp.MustCompile(`(?:(?i:\b(?:for|of|with|registered)\s+))?\b([A-Z]{2}\d{2}\s?[A-Z]{3})\b`)},
	{ValuePostcode, regexp.MustCompile(`(?:,?\s*(?i:\b(?:in|at|for|near|with|the|your|my)\s+)*(?i:post ?code|zip(?: code)?)?\s*(?i:is\s+)?)?\b([A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})\b`)},
	{ValueReference, regexp.MustCompile(`(?i)(?:,?\s*\b(?:with the|with|under|by the|the|your|my|has the|for)\s+)?\b(?:[a-z]+\s)?(?:reference|ref|account|sort|membership|policy|case|application|booking|order|invoice|meter|permit|tracking|library|customer|parcel|ticket)(?:\s+(?:number|no\.?|code|id|reference|card))?(?:\s+is)?\s+((?:[A-Za-z]{1,5}-?)?\d[\dA-Za-z-]{3,}(?:\s\d{2,4}){0,3})\b`)},
	{ValuePhone, regexp.MustCompile(`(?:,?\s*(?i:\b(?:with|the|your|my|at|on)\s+)*(?i:phone|telephone|mobile)?(?i:\s+number)?(?i:\s+is)?\s+)?(\+?\d[\d ()-]{8,}\d)\b`)},
	{ValueDate, regexp.MustCompile(`(?i)(?:\b(?:on|for|by|from|starting|until|dated|to|born on)\s+)?(?:the\s+)?\b(\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2})|(?:` + dayNames + `,?\s+)?(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?\s+` + monthNames + `\b(?:,?\s+\d{4})?|` + monthNames + `\s+\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s+\d{4})?)` + partOfDay)},
	{ValueDate, regexp.MustCompile(`(?i)(?:\b(?:on|for|by|from|starting|until)\s+)?(?:\b(?:next|this|the coming|the day after)\s+)?\b(tomorrow|today|tonight|` + dayNames + `|next week)\b` + partOfDay)},
	{ValueTime, regexp.MustCompile(`(?i)(?:\b(?:at|by|from|around|before|after|for)\s+)?\b(\d{1,2}(?:[:.]\d{2})?\s?[ap]m|\d{1,2}:\d{2}|noon|midday|half past \w+)\b`)},
	{ValueTime, regexp.MustCompile(`(?i)\s(in the (?:morning|afternoon|evening))\b`)},
	{ValueQuantity, regexp.MustCompile(`(?i)\bfor\s+(` + smallCount + `)(?:\s+(?:people|persons|person|guests?|adults?|of us))?(?:$|[\s,.])`)},
	{ValueName, regexp.MustCompile(`(?i:,?\s*\b(?:in the name of|under the name(?: of)?|with the name|by the name of|my name is|your name is))\s+(` + properName + `)`)},
}

var (
	// payee is who money or a thing goes to; the name stays part of the object,
	// because lists show it.
	payee  = regexp.MustCompile(`(?i:\b(?:send|transfer|pay|give|wire|move|invite|forward)\b)[^.;]*?\b(?i:to)\s+(` + properName + `)`)
	paying = regexp.MustCompile(`(?i:\bpay)\s+(` + properName + `)`)
	// small counts written out.
	counts = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}
)

// mark stands in a sentence for a detail that was taken out of it.
type mark struct {
	raw  string
	kind ValueKind
}

// markBase is the first of the private characters that stand for details; it
// is no letter, so that it parts words.
const markBase = '\uE000'

// maxMarks bounds the details of one task.
const maxMarks = 40

// takeDetails moves amounts, dates, postcodes and the like out of a sentence
// and into the values. A private character stays in the place of each.
func (g *Goal) takeDetails(text string) (string, []mark) {
	text = strings.Map(func(r rune) rune {
		if r >= markBase && r < markBase+maxMarks {
			return ' '
		}
		return r
	}, text)
	var marks []mark
	for _, d := range details {
		var b strings.Builder
		from := 0
		for _, at := range d.pattern.FindAllStringSubmatchIndex(text, maxMarks) {
			if len(marks) == maxMarks || owned(text[at[1]:]) {
				continue
			}
			value := ""
			for i := 2; i+1 < len(at); i += 2 {
				if at[i] >= 0 {
					value = text[at[i]:at[i+1]]
				}
			}
			if d.kind == ValueQuantity && len(tokens(text[at[1]:])) > 0 && !strings.ContainsAny(text[at[1]-1:at[1]], ",. ") {
				continue
			}
			b.WriteString(text[from:at[0]])
			b.WriteString(" " + string(rune(markBase+len(marks))) + " ")
			from = at[1]
			raw := strings.TrimSpace(text[at[0]:at[1]])
			marks = append(marks, mark{raw, d.kind})
			g.Values = append(g.Values, Value{Kind: d.kind, Text: plainValue(d.kind, value, raw), Hint: hintBefore(text, text[at[0]:at[1]])})
		}
		b.WriteString(text[from:])
		text = b.String()
	}
	for _, p := range []*regexp.Regexp{payee, paying} {
		if at := p.FindStringSubmatch(text); at != nil {
			g.Values = append(g.Values, Value{Kind: ValueRecipient, Text: strings.Trim(at[1], " .")})
			break
		}
	}
	return text, marks
}

// owned: what follows makes the detail an owner or the part of a longer word
// ("today's news", "Monday's", "7.5").
func owned(rest string) bool {
	return strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "’s")
}

// plainValue is a detail as a field wants it.
func plainValue(kind ValueKind, value, raw string) string {
	value = strings.TrimSpace(value)
	switch kind {
	case ValueAmount:
		return strings.ReplaceAll(value, ",", "")
	case ValueQuantity:
		if n, ok := counts[strings.ToLower(value)]; ok {
			return n
		}
	case ValueDate:
		lower := strings.ToLower(raw)
		for _, lead := range []string{"on ", "for ", "by ", "from ", "starting ", "until ", "dated ", "to ", "born on ", "the "} {
			lower = strings.TrimPrefix(lower, lead)
		}
		return strings.TrimSpace(lower)
	case ValueTime, ValuePostcode, ValueRegistration, ValueReference, ValuePhone, ValueRecipient, ValueName, ValueFrom, ValueTo:
		// as the task writes them
	}
	return value
}

// unmark puts details back into a text: all of them, or with asked only those
// that a question may be about.
func unmark(text string, marks []mark, asked bool) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= markBase && r < markBase+maxMarks }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		i := int(r - markBase)
		switch {
		case i < 0 || i >= len(marks):
			b.WriteRune(r)
		case asked && (marks[i].kind == ValuePostcode || marks[i].kind == ValueRegistration || marks[i].kind == ValueReference || marks[i].kind == ValuePhone):
		default:
			b.WriteString(marks[i].raw)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// hasMark reports a detail of a kind in a clause.
func hasMark(clause string, marks []mark, kind ValueKind) bool {
	for _, r := range clause {
		if i := int(r - markBase); i >= 0 && i < len(marks) && marks[i].kind == kind {
			return true
		}
	}
	return false
}
