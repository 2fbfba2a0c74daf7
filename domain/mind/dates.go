package mind

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// testDate is entered where any day will do: a Friday, far enough ahead to be
// bookable.
var testDate = time.Date(2030, time.June, 14, 0, 0, 0, 0, time.UTC)

// bornBefore is the year that ages are counted back from: an assumption; a few
// years more or less put nobody into another age band's middle.
const bornBefore = 2026

// ages are the middles of persona.AgeBands in years.
var ages = [...]int{21, 30, 40, 50, 60, 70, 79}

var (
	isoDate  = regexp.MustCompile(`\b(\d{4})-(\d{1,2})-(\d{1,2})\b`)
	slashed  = regexp.MustCompile(`\b(\d{1,2})[/. -](\d{1,2})[/. -](\d{4})\b`)
	dayMonth = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+(\d{4}))?`)
	monthDay = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4}))?`)
	months   = map[string]time.Month{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12}
	weekdayN = map[string]time.Weekday{"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6}
)

// parseDate reads a date as a task or a label says it. from is the day that
// "tomorrow" and weekdays are counted from and before which no year-less date
// lies; zero when no page has told it, and then only whole dates are read.
func parseDate(text string, from time.Time) (time.Time, bool) {
	text = strings.ToLower(text)
	if at := isoDate.FindStringSubmatch(text); at != nil {
		return ymd(at[1], at[2], at[3])
	}
	if at := slashed.FindStringSubmatch(text); at != nil {
		if n, _ := strconv.Atoi(at[2]); n > 12 {
			return ymd(at[3], at[1], at[2])
		}
		return ymd(at[3], at[2], at[1])
	}
	day, month, year := "", "", ""
	if at := dayMonth.FindStringSubmatch(text); at != nil {
		day, month, year = at[1], at[2], at[3]
	} else if at := monthDay.FindStringSubmatch(text); at != nil {
		month, day, year = at[1], at[2], at[3]
	}
	if day != "" {
		m := strconv.Itoa(int(months[strings.ToLower(month)]))
		if year != "" {
			return ymd(year, m, day)
		}
		base := from
		if base.IsZero() {
			base = testDate.AddDate(0, 0, 1-testDate.YearDay())
		}
		d, ok := ymd(strconv.Itoa(base.Year()), m, day)
		if ok && d.Before(base) {
			d = d.AddDate(1, 0, 0)
		}
		return d, ok
	}
	if from.IsZero() {
		return time.Time{}, false
	}
	switch {
	case strings.Contains(text, "tomorrow"):
		return from.AddDate(0, 0, 1), true
	case strings.Contains(text, "today") || strings.Contains(text, "tonight"):
		return from, true
	case strings.Contains(text, "next week"):
		return from.AddDate(0, 0, 7), true
	}
	for _, w := range tokens(text) {
		if n, ok := weekdayN[w]; ok {
			ahead := (int(n) - int(from.Weekday()) + 7) % 7
			if ahead == 0 {
				ahead = 7
			}
			return from.AddDate(0, 0, ahead), true
		}
	}
	return time.Time{}, false
}

func ymd(year, month, day string) (time.Time, bool) {
	y, errY := strconv.Atoi(year)
	m, errM := strconv.Atoi(month)
	d, errD := strconv.Atoi(day)
	if errY != nil || errM != nil || errD != nil || m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC), true
}

// dayWanted is the day that a date field is to hold: what the task says, or any
// that the field's bounds allow.
func (m *Mind) dayWanted(e *Element) time.Time {
	low, _ := parseDate(e.Min, time.Time{})
	high, capped := parseDate(e.Max, time.Time{})
	day := testDate
	for _, v := range m.goal.Values {
		if v.Kind == ValueDate {
			if d, ok := parseDate(v.Text, low); ok {
				day = d
				break
			}
		}
	}
	if day.Before(low) {
		day = low
	}
	if capped && day.After(high) {
		day = high
	}
	return day
}

// birthday is the persona's: within its age band, on a day of the month that is
// no month, so that a mistaken order of the two shows.
func (m *Mind) birthday() time.Time {
	h := hash(m.seed, "birthday")
	return time.Date(bornBefore-1-m.age, time.Month(1+h%12), int(13+h/12%15), 0, 0, 0, 0, time.UTC)
}

// dateForms writes a day in the forms that a field may want, the likeliest
// first: its type's, the one its hint or its complaint shows, the country's.
func dateForms(e *Element, day time.Time, british bool) []string {
	switch strings.ToLower(e.InputType) {
	case "date":
		return []string{day.Format(time.DateOnly)}
	case "datetime-local":
		return []string{day.Format(time.DateOnly) + "T19:00"}
	case "month":
		return []string{day.Format("2006-01")}
	case "week":
		y, w := day.ISOWeek()
		return []string{strconv.Itoa(y) + "-W" + twoDigits(w)}
	}
	out := []string{}
	hint := strings.ToLower(e.Placeholder + " " + e.Help + " " + e.Error + " " + e.Name)
	for _, f := range writtenForms {
		if strings.Contains(strings.ReplaceAll(hint, " ", ""), strings.ReplaceAll(f.shown, " ", "")) {
			out = append(out, day.Format(f.layout))
		}
	}
	switch at := slashed.FindString(hint); {
	case at != "":
		sep := strings.Trim(at, "0123456789")[:1]
		first, _ := strconv.Atoi(strings.SplitN(at, sep, 2)[0])
		if first > 12 || british {
			out = append(out, day.Format("02"+sep+"01"+sep+"2006"))
		} else {
			out = append(out, day.Format("01"+sep+"02"+sep+"2006"))
		}
	case isoDate.MatchString(hint):
		out = append(out, day.Format(time.DateOnly))
	case dayMonth.MatchString(hint):
		out = append(out, day.Format("2 January 2006"))
	}
	if british {
		return append(out, day.Format("02/01/2006"), day.Format(time.DateOnly), day.Format("2 January 2006"))
	}
	return append(out, day.Format(time.DateOnly), day.Format("01/02/2006"), day.Format("02/01/2006"))
}

// writtenForms are the ways in which hints spell the form of a date.
var writtenForms = []struct{ shown, layout string }{
	{"dd/mm/yyyy", "02/01/2006"}, {"mm/dd/yyyy", "01/02/2006"}, {"yyyy-mm-dd", "2006-01-02"}, {"dd.mm.yyyy", "02.01.2006"}, {"dd-mm-yyyy", "02-01-2006"},
	{"tt.mm.jjjj", "02.01.2006"}, {"yyyy/mm/dd", "2006/01/02"}, {"dd/mm/yy", "02/01/06"}, {"mm/dd/yy", "01/02/06"}, {"ddmmyyyy", "02012006"}, {"dd mm yyyy", "02 01 2006"},
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// clockWanted is the time of day that the task asks for as an hour from 0 to 24,
// first and last, and whether it asks for any.
func (g *Goal) clockWanted() (first, last float64, any bool) {
	for _, v := range g.Values {
		if v.Kind != ValueTime && v.Kind != ValueDate {
			continue
		}
		text := strings.ToLower(v.Text)
		switch {
		case strings.Contains(text, "morning"):
			return 0, 12, true
		case strings.Contains(text, "afternoon"):
			return 12, 17.5, true
		case strings.Contains(text, "evening") || strings.Contains(text, "tonight") || strings.Contains(text, "night"):
			return 17, 24, true
		}
		if v.Kind == ValueTime {
			if h, ok := parseClock(text); ok {
				return h, h, true
			}
		}
	}
	return 0, 0, false
}

var clockText = regexp.MustCompile(`(?i)\b(\d{1,2})(?:[:.](\d{2}))?\s*([ap]m)?\b`)

// parseClock reads a time of day as hours from midnight.
func parseClock(text string) (float64, bool) {
	if strings.Contains(text, "noon") || strings.Contains(text, "midday") {
		return 12, !strings.Contains(text, "after")
	}
	for _, at := range clockText.FindAllStringSubmatch(text, 8) {
		if at[2] == "" && at[3] == "" {
			continue
		}
		h, _ := strconv.ParseFloat(at[1], 64)
		minutes, _ := strconv.ParseFloat(at[2], 64)
		switch {
		case strings.EqualFold(at[3], "pm") && h < 12:
			h += 12
		case strings.EqualFold(at[3], "am") && h == 12:
			h = 0
		}
		if h <= 24 && minutes < 60 {
			return h + minutes/60, true
		}
	}
	return 0, false
}
