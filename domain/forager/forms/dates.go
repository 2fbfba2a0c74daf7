package forms

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// day is a date; year 0 is one that nobody said.
type day struct{ y, m, d int }

var (
	isoDate = regexp.MustCompile(`\b(\d{4})-(\d{1,2})-(\d{1,2})\b`)
	slashed = regexp.MustCompile(`\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\b`)
)

// parseDate reads the first date of a text. year is taken where none is said;
// dayFirst settles 3/4/2030.
func parseDate(text string, year int, dayFirst bool) (day, bool) {
	n := func(s string) int { v, _ := strconv.Atoi(s); return v }
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return valid(day{n(m[1]), n(m[2]), n(m[3])})
	}
	if m := slashed.FindStringSubmatch(text); m != nil {
		d, mo, y := n(m[2]), n(m[1]), n(m[3])
		if y < 100 {
			y += 2000
		}
		if mo > 12 || dayFirst && d <= 12 {
			d, mo = mo, d
		}
		return valid(day{y, mo, d})
	}
	out := day{y: year}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		month := months[w]
		if month == 0 {
			continue
		}
		out.m = month
		for _, at := range []int{i - 1, i + 1, i + 2, i - 2} {
			if at < 0 || at >= len(words) {
				continue
			}
			v := n(strings.TrimRightFunc(words[at], unicode.IsLetter))
			switch {
			case v >= 1000 && v < 3000 && out.y == year:
				out.y = v
			case v >= 1 && v <= 31 && out.d == 0 && (at == i-1 || at == i+1):
				out.d = v
			}
		}
		if out.d > 0 {
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
	if m := rules["date shape"].FindStringSubmatch(strings.ToLower(hint)); m != nil && m[1][0] != m[3][0] && m[3][0] != m[5][0] && m[1][0] != m[5][0] {
		layout := map[string]string{"d": "2", "dd": "02", "m": "1", "mm": "01", "yy": "06", "yyyy": "2006"}
		return layout[m[1]] + m[2] + layout[m[3]] + m[4] + layout[m[5]], true
	}
	if isoDate.MatchString(hint) {
		return time.DateOnly, true
	}
	if m := slashed.FindString(hint); m != "" && len(m) >= 8 {
		sep := strings.Trim(m, "0123456789")[:1]
		if first, _ := strconv.Atoi(strings.SplitN(m, sep, 2)[0]); first > 12 {
			return "02" + sep + "01" + sep + "2006", true
		}
		return "01" + sep + "02" + sep + "2006", true
	}
	return "", false
}

// dateForms writes a day in the forms that a field may want, the likeliest first:
// its type's, the one that its hints show, as it was said, the country's.
func dateForms(f *field, d day, said string, british bool) []string {
	if d.y == 0 {
		d.y = someYear
	}
	t := d.time()
	switch strings.ToLower(f.e.InputType) {
	case "date":
		return []string{t.Format(time.DateOnly)}
	case "datetime-local":
		minutes, ok := parseClock(said)
		if !ok {
			minutes, _ = parseClock(people["time"][0])
		}
		return []string{t.Add(time.Duration(minutes) * time.Minute).Format("2006-01-02T15:04")}
	case "month":
		return []string{t.Format("2006-01")}
	case "week":
		y, w := t.ISOWeek()
		return []string{strconv.Itoa(y) + "-W" + twoDigits(w)}
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
	if british {
		return append(out, t.Format("02/01/2006"), t.Format(time.DateOnly), t.Format("2 January 2006"))
	}
	return append(out, t.Format("01/02/2006"), t.Format(time.DateOnly), t.Format("02/01/2006"))
}

// someYear is that of made-up dates: far enough ahead to be bookable on the
// machines of some years; an assumption.
const someYear = 2030

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// parseClock reads a time of day as minutes from midnight. A number alone is none.
func parseClock(text string) (int, bool) {
	for _, m := range rules["clock"].FindAllStringSubmatch(text, 8) {
		if m[2] == "" && m[3] == "" {
			continue
		}
		h, _ := strconv.Atoi(m[1])
		minutes, _ := strconv.Atoi(m[2])
		switch {
		case strings.EqualFold(m[3], "p") && h < 12:
			h += 12
		case strings.EqualFold(m[3], "a") && h == 12:
			h = 0
		}
		if h < 24 && minutes < 60 {
			return 60*h + minutes, true
		}
	}
	return 0, false
}

// clockForms writes a time of day, the likeliest form first: its type's, the one
// that the field shows, as the task says it.
func clockForms(f *field, minutes int, said string) []string {
	t := time.Date(someYear, 1, 1, 0, minutes, 0, 0, time.UTC)
	long, half := t.Format("15:04"), t.Format("3:04 PM")
	switch hint := f.e.Placeholder + " " + f.e.Help + " " + f.e.Error + " " + f.e.Value; {
	case strings.EqualFold(f.e.InputType, "time"):
		return []string{long}
	case says("half day", hint):
		return []string{half, long}
	case strings.Contains(hint, ":"):
		return []string{long, half}
	case said == "":
		return []string{long, half}
	}
	return []string{said, long, half}
}

// partOf is the part of a value that a field of a kind asks for, in the forms that
// it may be written in; nil for a kind that is no part of it.
func partOf(kind, text string) []string {
	switch kind {
	case "day", "month", "year":
		d, ok := parseDate(text, 0, false)
		if !ok {
			return nil
		}
		switch kind {
		case "day":
			return []string{strconv.Itoa(d.d), twoDigits(d.d)}
		case "month":
			name := called[d.m-1]
			return []string{strconv.Itoa(d.m), twoDigits(d.m), name, name[:3]}
		}
		if d.y > 0 {
			return []string{strconv.Itoa(d.y), twoDigits(d.y % 100)}
		}
	case "hour", "minute", "half":
		m, ok := parseClock(text)
		if !ok {
			return nil
		}
		t := time.Date(someYear, 1, 1, 0, m, 0, 0, time.UTC)
		switch kind {
		case "hour":
			if says("half day", text) {
				return []string{t.Format("3"), t.Format("03"), t.Format("15")}
			}
			return []string{strconv.Itoa(m / 60), twoDigits(m / 60)}
		case "minute":
			return []string{twoDigits(m % 60), strconv.Itoa(m % 60)}
		}
		return []string{t.Format("PM"), t.Format("pm")}
	case "given", "family":
		if words := strings.Fields(text); len(words) > 1 && kind == "given" {
			return []string{words[0]}
		} else if len(words) > 1 {
			return []string{words[len(words)-1]}
		}
	}
	return nil
}
