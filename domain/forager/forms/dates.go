package forms

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"understudy/domain/language"
)

// day is a date; year 0 is one that nobody said.
type day struct{ y, m, d int }

var (
	isoDate = regexp.MustCompile(`\b(\d{4})-(\d{1,2})-(\d{1,2})\b`)
	slashed = regexp.MustCompile(`\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\b`)
	spaced  = regexp.MustCompile(`^(\d{1,2}) (\d{1,2}) ((?:19|20)\d{2})$`)
)

// numeral is the number that a text begins with, as in "3rd", 0 for none.
func numeral(s string) int {
	n, _ := strconv.Atoi(strings.TrimRightFunc(s, unicode.IsLetter))
	return n
}

func isYear(n int) bool { return n >= 1000 && n < 3000 }

// wordsOf are the words and numbers of a text in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// parseDate reads the first date of a text. dayFirst settles 3/4/2030.
func parseDate(text string, dayFirst bool) (day, bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return valid(day{numeral(m[1]), numeral(m[2]), numeral(m[3])})
	}
	if m := slashed.FindStringSubmatch(spaced.ReplaceAllString(text, "$1/$2/$3")); m != nil {
		out := day{numeral(m[3]), numeral(m[1]), numeral(m[2])}
		if out.y < 100 {
			out.y += 2000
		}
		if out.m > 12 || dayFirst && out.d <= 12 {
			out.d, out.m = out.m, out.d
		}
		return valid(out)
	}
	words := wordsOf(text)
	for i, w := range words {
		out := day{m: months[w]}
		for _, at := range []int{i - 1, i + 1, i + 2, i - 2} {
			if at < 0 || at >= len(words) {
				continue
			}
			n := numeral(words[at])
			switch {
			case isYear(n) && out.y == 0:
				out.y = n
			case n >= 1 && n <= 31 && out.d == 0 && (at == i-1 || at == i+1):
				out.d = n
			}
		}
		if out.m > 0 && out.d > 0 {
			return valid(out)
		}
	}
	return day{}, false
}

func valid(d day) (day, bool) {
	return d, d.m >= 1 && d.m <= 12 && d.d >= 1 && d.d <= 31
}

func (d day) time() time.Time {
	return time.Date(d.y, time.Month(d.m), d.d, 0, 0, 0, 0, time.UTC)
}

// String is the day as machines write it.
func (d day) String() string { return d.time().Format(time.DateOnly) }

// dateShape is the layout of dates that a hint shows: "dd/mm/yyyy", "31.12.2030".
func dateShape(hint string) (string, bool) {
	low := strings.ToLower(hint)
	m := groups("date shape", low)
	if m == nil && letters != nil {
		m = groups("date shape", letters.Replace(low))
	}
	if m != nil && m[1][0] != m[3][0] && m[3][0] != m[5][0] && m[1][0] != m[5][0] {
		layout := map[string]string{"d": "2", "dd": "02", "m": "1", "mm": "01", "yy": "06", "yyyy": "2006"}
		return layout[m[1]] + m[2] + layout[m[3]] + m[4] + layout[m[5]], true
	}
	if isoDate.MatchString(hint) {
		return time.DateOnly, true
	}
	if m := slashed.FindStringSubmatch(hint); m != nil && len(m[0]) >= len("1/1/2030") {
		by := strings.Trim(m[0], "0123456789")[:1]
		if numeral(m[1]) > 12 {
			return "02" + by + "01" + by + "2006", true
		}
		return "01" + by + "02" + by + "2006", true
	}
	return "", false
}

// dateForms writes a day in the forms that a field may want, the likeliest first:
// its type's, the one that its hints show, as it was said, the country's.
func dateForms(f *field, d day, said string, l *look) []string {
	if d.y == 0 {
		d.y = someYear
	}
	t := d.time()
	clock, _ := parseClock(said + " " + people["time"][0])
	year, week := t.ISOWeek()
	if native := map[string]string{"date": d.String(), "month": t.Format("2006-01"), "week": strconv.Itoa(year) + "-W" + twoDigits(week), "datetime-local": d.String() + clock.Format("T15:04")}[strings.ToLower(f.e.InputType)]; native != "" {
		return []string{native}
	}
	var out []string
	for _, hint := range []string{f.e.Error, f.e.Placeholder, f.e.Help, f.label, f.e.Value} {
		if layout, ok := dateShape(hint); ok {
			out = append(out, t.Format(layout))
		}
	}
	if said != "" { // as the task writes it
		out = append(out, said)
	}
	if l.lang() != language.English {
		return append(out, t.Format("02.01.2006"), d.String(), t.Format("02/01/2006"))
	}
	if l.british() {
		return append(out, t.Format("02/01/2006"), d.String(), t.Format("2 January 2006"))
	}
	return append(out, t.Format("01/02/2006"), d.String(), t.Format("02/01/2006"))
}

// someYear is that of made-up dates: far enough ahead to be bookable on the
// machines of some years; an assumption.
const someYear = 2030

func twoDigits(n int) string { return strconv.Itoa(100 + n)[1:] }

// parseClock reads a time of day. A number alone is none.
func parseClock(text string) (time.Time, bool) {
	for _, m := range clocks(text) {
		h, minutes := numeral(m[1]), numeral(m[2])
		switch {
		case strings.EqualFold(m[3], "p") && h < 12:
			h += 12
		case strings.EqualFold(m[3], "a") && h == 12:
			h = 0
		}
		if (m[2] != "" || m[3] != "") && h < 24 && minutes < 60 {
			return time.Date(someYear, 1, 1, h, minutes, 0, 0, time.UTC), true
		}
	}
	return time.Time{}, false
}

// clocks are the times of day in a text as the groups of the rule have them, by the
// rules of one language after the other.
func clocks(text string) (all [][]string) {
	for _, re := range rules["clock"] {
		all = append(all, re.FindAllStringSubmatch(text, 8)...)
	}
	return all
}

// clockForms writes a time of day, the likeliest form first: its type's, the one
// that the field shows, as the task says it.
func clockForms(f *field, t time.Time, said string) []string {
	long, half := t.Format("15:04"), t.Format("3:04 PM")
	switch hint := f.e.Placeholder + " " + f.e.Help + " " + f.e.Error + " " + f.e.Value; {
	case strings.EqualFold(f.e.InputType, "time"):
		return []string{long}
	case says("half day", hint):
		return []string{half, long}
	case strings.Contains(hint, ":"):
		return []string{long, half}
	}
	return []string{said, long, half}
}

// partOf is the part of a value that a field of a kind asks for, in the forms that
// it may be written in; nil for a kind that is no part of it.
func partOf(kind, text string) []string {
	d, dated := parseDate(text, false)
	t, timed := parseClock(text)
	words := strings.Fields(text)
	switch {
	case kind == "day" && dated:
		return []string{strconv.Itoa(d.d), twoDigits(d.d)}
	case kind == "month" && dated:
		out := []string{strconv.Itoa(d.m), twoDigits(d.m)}
		for _, lang := range language.Installed() {
			if names := called[lang]; len(names) >= d.m {
				out = append(out, names[d.m-1], string([]rune(names[d.m-1])[:3]))
			}
		}
		return out
	case kind == "year" && dated && d.y > 0:
		return []string{strconv.Itoa(d.y), twoDigits(d.y % 100)}
	case kind == "hour" && timed && says("half day", text):
		return []string{t.Format("3"), t.Format("03"), t.Format("15")}
	case kind == "hour" && timed:
		return []string{strconv.Itoa(t.Hour()), t.Format("15")}
	case kind == "minute" && timed:
		return []string{t.Format("04"), strconv.Itoa(t.Minute())}
	case kind == "half" && timed:
		return []string{t.Format("PM"), t.Format("pm")}
	case kind == "given" && len(words) > 1:
		return words[:1]
	case kind == "family" && len(words) > 1:
		return words[len(words)-1:]
	}
	return nil
}
