package mind

import (
	"regexp"
	"strconv"
	"strings"
)

// passPhrase satisfies most rules that sites have: 16 characters, upper and
// lower case, digits and signs.
const passPhrase = "Walnut-River-47!"

var (
	ofDigits  = regexp.MustCompile(`(?i)\b(\d{1,2}|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -]digits?\b`)
	atMost    = regexp.MustCompile(`(?i)(?:at most|no more than|up to|maximum(?: of)?|max\.?|not longer than|\d+\s*(?:-|–|to|and))\s*(\d{1,3})`)
	leastLong = regexp.MustCompile(`(?i)(?:at least|minimum(?: of)?|min\.?|or more than|more than)\s*(\d{1,2}|eight|ten|twelve|fourteen|sixteen)`)
	plainOnly = regexp.MustCompile(`(?i)\b(?:only letters|letters and (?:numbers|digits) only|no (?:symbols|special characters|punctuation)|without (?:symbols|special characters))\b`)
	noSpaces  = regexp.MustCompile(`(?i)\b(?:no|without|leave out|any)\s+(?:\w+\s+)?spaces?\b`)
	words12   = map[string]int{"three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fourteen": 14, "sixteen": 16}
)

// rules are what the page says about a field's value.
func rules(e *Element) string { return e.Help + " " + e.Error + " " + e.Placeholder + " " + e.Name }

func spelt(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return words12[strings.ToLower(s)]
}

// digitsAsked is how many digits a field says that it wants, 0 when it says none.
func digitsAsked(e *Element) int {
	if at := ofDigits.FindStringSubmatch(rules(e)); at != nil {
		return spelt(at[1])
	}
	return 0
}

// passwords are made up to the rules that the field tells.
func (m *Mind) passwords(e *Element, number string) []string {
	text := rules(e)
	if n := digitsAsked(e); n >= 3 && n <= 12 {
		return []string{"482759316407"[:n], "739154826053"[:n]}
	}
	options := []string{passPhrase, "Aa1!" + number + "walnut", "Walnut" + number}
	if plainOnly.MatchString(text) {
		options = []string{"WalnutRiver47", "Walnut" + number}
	}
	least := 0
	if at := leastLong.FindStringSubmatch(text); at != nil {
		least = spelt(at[1])
	}
	most := e.MaxLength
	if at := atMost.FindStringSubmatch(text); at != nil && (most == 0 || spelt(at[1]) < most) && spelt(at[1]) >= 4 {
		most = spelt(at[1])
	}
	for i, o := range options {
		for len(o) < least {
			o += "Rv7"
		}
		if most > 0 && len(o) > most && most >= least {
			o = "W-r4!lnutRiver47"[:min(most, 16)]
			if plainOnly.MatchString(text) {
				o = "Wr47lnutRiver47x"[:min(most, 16)]
			}
		}
		options[i] = o
	}
	return options
}

// exampleIn is the example that a hint or a complaint gives for a value, "" when
// it has none.
func exampleIn(text string) string {
	at := exampleSaid.FindStringSubmatch(text)
	if at == nil {
		return ""
	}
	example := strings.Trim(at[1], " .,;:“”\"'’()")
	if !strings.ContainsAny(example, "0123456789") {
		return ""
	}
	return example
}

var exampleSaid = regexp.MustCompile(`(?i:such as|for example|for instance|e\.g\.?|like|example:),?\s+[“"'‘]?([A-Z0-9+(][A-Za-z0-9+()/.-]*(?:[ -][A-Z0-9][A-Z0-9-]*){0,4})`)
