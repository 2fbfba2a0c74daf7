package dashboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"understudy/domain/persona"
)

// facet is a facet of personas in words. Changes says what it changes in how somebody
// walks: the parameters of the forager, told.
type facet struct {
	persona.Kind
	Label, Changes, Unit string
	// Step is that of the number's control.
	Step string
}

// facetWords are the words of each kind of facet.
var facetWords = map[string]facet{
	"age_band": {Label: "Age", Unit: "years",
		Changes: "Slows looking, pointing and deciding: by 3 % from 35, 8 % from 45, 15 % from 55, 27 % from 65, 38 % from 75 years. Forms that ask for an age get one of these."},
	"motivation": {Label: "Motivation",
		Changes: "Who is exploratory looks through one more screenful of a page that promises little, and settles for a little less."},
	"information_processing": {Label: "How they read",
		Changes: "Comprehensive readers read 28 % of the words of a page instead of 20 %, look through five screenfuls instead of three, and act only on what fits the task better."},
	"self_efficacy": {Label: "Confidence with computers",
		Changes: "Setbacks frustrate who has little of it a third more, and who has much of it a fifth less. Confident people who read selectively go for the search box early."},
	"risk_attitude": {Label: "Attitude to risk",
		Changes: "Averse people follow only what fits well, refuse what asks for consent, and mind late costs and needless questions more. Tolerant people take a chance."},
	"learning_style": {Label: "How they learn",
		Changes: "Who tinkers tries controls without a name, and tries a second time what did nothing."},
	"domain_knowledge": {Label: "Knows the subject",
		Changes: "Who knows little of it misjudges links a third more often and reads hard texts with effort. Who knows much misjudges less, and searches early."},
	"language_level": {Label: "Language of the page",
		Changes: "The less of it, the more often links are misjudged: 2.2 times as much at basic, 1.6 times at intermediate. Texts are easy up to school grade 5, 7, 9 or 10."},
	"reading_wpm":            {Label: "Reading speed", Unit: "words a minute", Step: "1", Changes: "How long each text takes. The time counts against patience where it leads nowhere."},
	"patience":               {Label: "Patience", Unit: "times the usual", Step: "0.05", Changes: "Multiplies the 2 minutes without getting anywhere after which most give up. Below 1, fewer places are looked into on the off chance."},
	"motor_precision":        {Label: "Steadiness of hand", Unit: "of 1", Step: "0.05", Changes: "Clicks scatter by 2 pixels divided by it. Below 1, small targets are missed now and then."},
	"vision.contrast_factor": {Label: "Contrast needed", Unit: "times the usual", Step: "0.1", Changes: "Multiplies the contrast that a text needs to be noticed."},
	"vision.min_font":        {Label: "Smallest legible text", Unit: "pixels", Step: "0.5", Changes: "Smaller text is overlooked, or read with effort. Zooming makes up for it."},
	"zoom":                   {Label: "Zoom of the browser", Unit: "times", Step: "0.05", Changes: "Lays pages out for a narrower window, as far as 320 pixels. From 2 on, half as much patience again: they know that everything takes longer."},
	"typing_wpm":             {Label: "Typing speed", Unit: "words a minute", Step: "1", Changes: "How long each field takes to fill in."},
	"keyboard_only":          {Label: "Uses only the keyboard", Changes: "Gets to everything by Tab, one stop after the other. What only a mouse can reach, they cannot."},
	"screen_reader":          {Label: "Uses a screen reader", Changes: "Hears the page in its order instead of seeing it, uses only the keyboard, and has half as much patience again. What has no name says nothing."},
}

// facets are all, in the order in which they are shown.
var facets = func() (all []facet) {
	for _, kind := range persona.Kinds {
		f := facetWords[kind.Name]
		f.Kind = kind
		all = append(all, f)
	}
	return all
}()

// YesNo: the facet is one that somebody has or has not.
func (f facet) YesNo() bool { return f.Words == nil && f.High == 0 }

// Average is the facet of an average person, as a form has it.
func (f facet) Average() string { return f.Of(persona.Facets{}) }

// Of is the facet of somebody as a form has it.
func (f facet) Of(who persona.Facets) string {
	text, number := f.Kind.Of(who.WithDefaults())
	if f.High > 0 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return text
}

// Says is a value of the facet as people read it.
func (f facet) Says(value string) string {
	switch {
	case f.YesNo() && value == "":
		return "no"
	case f.YesNo():
		return "yes"
	case f.Words != nil:
		return spaced(value)
	}
	return value
}

// difference is how somebody is not like most.
type difference struct{ Label, Value, Average, Means string }

// differences tell how somebody differs from an average person, and what that does.
func differences(who persona.Facets) (out []difference) {
	who = who.WithDefaults()
	for _, f := range facets {
		value, average := f.Of(who), f.Average()
		if value == average {
			continue
		}
		d := difference{Label: f.Label, Value: f.Says(value), Average: f.Says(average), Means: effect(f.Name, who)}
		if f.High > 0 {
			d.Value += " " + f.Unit
		}
		out = append(out, d)
	}
	return out
}

// slower is by how much the operators of each age band take longer, in percent.
var slower = [...]int{0, 0, 3, 8, 15, 27, 38}

// effect says what one facet does to how somebody walks, who is not average in it.
func effect(name string, who persona.Facets) string {
	average := persona.Facets{}.WithDefaults()
	switch name {
	case "age_band":
		if by := slower[who.AgeIndex()]; by > 0 {
			return fmt.Sprintf("looks, points and decides %d %% slower than the young", by)
		}
		return "looks, points and decides as quickly as anybody"
	case "motivation":
		return "looks around more before they settle"
	case "information_processing":
		return "reads 28 % of a page’s words instead of 20 %, and looks through five screenfuls"
	case "self_efficacy":
		return choose(who.SelfEfficacy == persona.Low, "is frustrated a third more by setbacks", "is frustrated a fifth less by setbacks")
	case "risk_attitude":
		return choose(who.RiskAttitude == persona.Averse, "follows only what fits well, and minds what looks like a risk", "takes a chance on what fits less well")
	case "learning_style":
		return "tries what has no name, and twice what did nothing"
	case "domain_knowledge":
		return choose(who.DomainKnowledge == persona.Low, "misjudges links a third more often", "misjudges links less often, and searches early")
	case "language_level":
		return map[string]string{persona.Basic: "misjudges links more than twice as often", persona.Intermediate: "misjudges links more often by more than half",
			persona.Fluent: "misjudges links a fifth more often"}[who.LanguageLevel]
	case "reading_wpm":
		return takes("a text", float64(average.ReadingWPM)/float64(who.ReadingWPM))
	case "typing_wpm":
		return takes("a field", float64(average.TypingWPM)/float64(who.TypingWPM))
	case "patience":
		return fmt.Sprintf("gives up after about %.0f seconds without getting anywhere instead of 120", 120*who.Patience)
	case "motor_precision":
		return fmt.Sprintf("clicks scatter by %.1f pixels instead of 2", 2/who.MotorPrecision)
	case "vision.contrast_factor":
		return fmt.Sprintf("needs %s times the contrast to notice a text", short(who.Vision.ContrastFactor))
	case "vision.min_font":
		return fmt.Sprintf("text under %s pixels is hard to read", short(math.Round(10*who.Vision.MinFont/who.Zoom)/10))
	case "zoom":
		return "sees a page that is laid out for a narrower window, and knows that it takes longer"
	case "keyboard_only":
		return "reaches everything by the Tab key, or not at all"
	case "screen_reader":
		return "hears the page in its order; what has no name says nothing"
	}
	return ""
}

func takes(what string, factor float64) string {
	if factor >= 1 {
		return fmt.Sprintf("%s takes %.0f %% longer", what, 100*(factor-1))
	}
	return fmt.Sprintf("%s takes %.0f %% less time", what, 100*(1-factor))
}

// spaced is a word of the interface as people write it.
func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
