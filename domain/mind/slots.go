package mind

import (
	"regexp"
	"strings"
	"time"
)

// slotLike: the label is a day or a time to choose.
func (m *Mind) slotLike(label string) bool {
	if len(tokens(label)) > 8 {
		return false
	}
	if _, ok := parseClock(label); ok {
		return true
	}
	if dayMonth.MatchString(label) || monthDay.MatchString(label) || isoDate.MatchString(label) {
		return true
	}
	for _, t := range tokens(label) {
		if _, day := weekdayN[t]; day || t == "tomorrow" || t == "today" || t == "morning" || t == "afternoon" {
			return true
		}
	}
	return false
}

var taken = regexp.MustCompile(`(?i)\b(?:full|taken|unavailable|not available|booked|sold out|closed|none left)\b`)

// slotFit is how well a day or time suits: 0.9 where the task asks for it, 0.62
// where it asks for none, low where it asks for another.
func (m *Mind) slotFit(label string, v *view) float64 {
	if taken.MatchString(label) {
		return 0
	}
	fit := 0.62
	for _, value := range m.goal.Values {
		if value.Kind != ValueDate {
			continue
		}
		text := strings.ToLower(value.Text)
		wanted, dated := parseDate(text, m.today(v))
		offered, known := parseDate(label, m.today(v))
		switch {
		case strings.Contains(text, "tomorrow") && strings.Contains(label, "tomorrow"), strings.Contains(text, "today") && strings.Contains(label, "today"), sharesDay(text, label):
			fit = 0.9
		case dated && known && wanted.YearDay() == offered.YearDay():
			fit = 0.9
		case known && dated:
			fit = 0.3
		}
	}
	if first, last, asked := m.goal.clockWanted(); asked {
		if h, ok := parseClock(label); ok {
			if h >= first && (h < last || first == last && h == last) {
				fit = max(fit, 0.85)
			} else {
				fit = min(fit, 0.35)
			}
		} else if first == 0 && strings.Contains(label, "morning") || first == 12 && strings.Contains(label, "afternoon") {
			fit = max(fit, 0.85)
		}
	}
	return fit
}

// sharesDay: both name the same day of the week.
func sharesDay(a, b string) bool {
	for _, t := range tokens(a) {
		if _, ok := weekdayN[t]; ok && has(tokens(b), t) {
			return true
		}
	}
	return false
}

// today is the day that the page itself calls today or counts from: the first
// that a date field allows; zero when it tells none.
func (m *Mind) today(v *view) time.Time {
	if v == nil {
		return time.Time{}
	}
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; e.InputType == "date" && e.Min != "" {
			if d, ok := parseDate(e.Min, time.Time{}); ok {
				return d
			}
		}
	}
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; len(t.Text) < 60 && strings.Contains(strings.ToLower(t.Text), "today") {
			if d, ok := parseDate(t.Text, time.Time{}); ok {
				return d
			}
		}
	}
	return time.Time{}
}

// slotScent is the promise of a button or link that is a day or a time to be
// booked, where no other of its kind is chosen yet.
func (m *Mind) slotScent(v *view, s *Subgoal, p *percept) float64 {
	if s.Verb != "book" && s.Verb != "demo" && s.Verb != "edit" || p.e.Role == "heading" || p.e.Checked || isField(p.e) || !m.slotLike(strings.ToLower(p.label)) {
		return 0
	}
	_, clock := parseClock(strings.ToLower(p.label))
	for i := range v.page.Elements {
		o := &v.page.Elements[i]
		if _, other := parseClock(strings.ToLower(o.Name)); o.Checked && other == clock && m.slotLike(strings.ToLower(o.Name)) {
			return 0
		}
	}
	return m.slotFit(strings.ToLower(p.label), v)
}
