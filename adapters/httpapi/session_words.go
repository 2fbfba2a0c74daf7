package httpapi

import (
	"fmt"
	"strings"

	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/walk"
)

// phrase is a piece of a sentence. Quoted pieces come from the page under test,
// named ones are inputs, whose values nobody is told.
type phrase struct {
	Text          string
	Quoted, Named bool
}

func say(text string) phrase { return phrase{Text: text} }

// typedPhrase is what was typed: a text, or the name of an input.
func typedPhrase(text string) phrase {
	if strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}") {
		return phrase{Text: text, Named: true}
	}
	return phrase{Text: text, Quoted: true}
}

// targetPhrase is the element acted on, or what kind of thing it is when it has
// no name.
func targetPhrase(t session.Target) phrase {
	switch {
	case t.Name != "":
		return phrase{Text: t.Name, Quoted: true}
	case t.Role != "":
		return say("a " + t.Role + " without a name")
	}
	return say("something without a name")
}

// targetOf is the target of a step's action, empty without one.
func targetOf(s session.Step) session.Target {
	if s.Action.Target == nil {
		return session.Target{}
	}
	return *s.Action.Target
}

// actionPhrases tells an action as a person would of somebody they watch; click
// is the verb for what this somebody does to a control.
func actionPhrases(s session.Step, click string) []phrase {
	a, on := s.Action, targetOf(s)
	target, text := targetPhrase(on), typedPhrase(a.Text)
	onTarget := on.Selector != "" || on.Name != "" || on.Role != ""
	switch walk.ActionType(a.Type) {
	case walk.Click:
		return []phrase{say(click), target}
	case walk.DoubleClick:
		return []phrase{say("double-clicks "), target}
	case walk.RightClick:
		return []phrase{say("opens the menu of "), target}
	case walk.Type:
		if a.Text == "" {
			return []phrase{say("clears "), target}
		}
		return []phrase{say("types "), text, say(" in "), target}
	case walk.Append:
		return []phrase{say("adds "), text, say(" in "), target}
	case walk.Select:
		return []phrase{say("chooses "), text, say(" for "), target}
	case walk.Check:
		if on.Role == "radio" {
			return []phrase{say("chooses "), target}
		}
		return []phrase{say("ticks "), target}
	case walk.Press:
		if onTarget {
			return []phrase{say("presses " + a.Text + " in "), target}
		}
		return []phrase{say("presses " + a.Text)}
	case walk.Scroll:
		return []phrase{say("scrolls " + a.Text)}
	case walk.Back:
		return []phrase{say("goes back")}
	case walk.Wait:
		return []phrase{say("waits")}
	case walk.Hover:
		return []phrase{say("points at "), target}
	case walk.Upload:
		return []phrase{say("attaches the file "), text, say(" to "), target}
	case walk.Drag:
		return []phrase{say("drags "), target}
	case walk.GiveUp:
		return []phrase{say("gives up")}
	case walk.Done:
		return []phrase{say("takes it for done")}
	}
	if onTarget {
		return []phrase{say(plain(a.Type) + ": "), target}
	}
	return []phrase{say(plain(a.Type))}
}

// sign is a kind of signal in words. Trouble is what impeded the walk; the rest
// is only worth noticing. Limit is the simulation's own.
type sign struct {
	words          string
	trouble, limit bool
}

var signs = map[string]sign{
	walk.SigMissedTarget:   {words: "the hand slipped beside it", trouble: true},
	walk.SigRivals:         {words: "several things promise the same"},
	walk.SigUnclear:        {words: "had to guess what it does", trouble: true},
	walk.SigHardToSee:      {words: "overlooked, hard to see", trouble: true},
	walk.SigCovered:        {words: "covered by something", trouble: true},
	walk.SigDisabled:       {words: "cannot be used", trouble: true},
	walk.SigInterrupted:    {words: "something got in the way", trouble: true},
	walk.SigFieldError:     {words: "the field refused it", trouble: true},
	walk.SigUnlabelled:     {words: "the field does not say what it wants", trouble: true},
	walk.SigForcedAccount:  {words: "an account is demanded", trouble: true},
	walk.SigBelowFold:      {words: "only found by scrolling"},
	walk.SigHiddenMenu:     {words: "only found in a menu"},
	walk.SigUnfamiliar:     {words: "hard words"},
	walk.SigLongText:       {words: "a wall of text"},
	walk.SigLostScent:      {words: "nothing here promises the goal", trouble: true},
	walk.SigHesitation:     {words: "unsure"},
	walk.SigDeadClick:      {words: "nothing happened", trouble: true},
	walk.SigRageClick:      {words: "clicked again and again", trouble: true},
	walk.SigErrorClick:     {words: "it caused an error", trouble: true},
	walk.SigQuickBack:      {words: "left at first sight", trouble: true},
	walk.SigBrokenPage:     {words: "an error page", trouble: true},
	walk.SigFailedRequest:  {words: "a request failed", trouble: true},
	walk.SigScriptError:    {words: "a script failed", trouble: true},
	walk.SigSlow:           {words: "slow", trouble: true},
	walk.SigActionFailed:   {words: "it could not be done", trouble: true},
	walk.SigMouseOnly:      {words: "no key reaches it", trouble: true},
	walk.SigLimitPage:      {words: "limit of the simulation: a part of the page that cannot be simulated", limit: true},
	walk.SigUnknownGoal:    {words: "limit of the simulation: the task was not understood", limit: true},
	walk.SigLimitExhausted: {words: "limit of the simulation: no steps left", limit: true},
	walk.SigLimitInputs:    {words: "an input is not typed at another site", limit: true},
	walk.SigLimitPrivate:   {words: "a private address that the test does not name is not reached", limit: true},
	walk.SigLimitModel:     {words: "limit of the simulation: the language model", limit: true},
}

// signOf is a kind of signal in words, its own ones if it is a new one.
func signOf(kind string) sign {
	if s, known := signs[kind]; known {
		return s
	}
	return sign{words: plain(kind)}
}

// trait is a facet of a persona in words.
type trait struct{ About, Words string }

// traitWords are the facets that are words, in the order to tell them.
var traitWords = map[string]string{
	persona.TaskFocused: "to get it done", persona.Exploratory: "to look around",
	persona.Comprehensive: "much before acting", persona.Selective: "little, takes the first promising thing",
	persona.Averse: "avoided", persona.Neutral: "taken as they come", persona.Tolerant: "taken gladly",
	persona.Process: "step by step", persona.Tinkering: "by trying",
	persona.Low: "little", persona.Medium: "some", persona.High: "much",
	persona.Basic: "basic", persona.Intermediate: "a second language", persona.Fluent: "fluent", persona.Native: "native",
}

// traits tells the facets that a persona was given, those that change nothing
// left out.
func traits(f persona.Facets) []trait {
	var all []trait
	add := func(when bool, about, words string) {
		if when {
			all = append(all, trait{about, words})
		}
	}
	word := func(about, value string) { add(value != "", about, orItself(traitWords, value)) }
	add(f.AgeBand != "", "Age", strings.ReplaceAll(f.AgeBand, "-", "–"))
	word("Comes", f.Motivation)
	word("Reads", f.InformationProcessing)
	word("Confidence with computers", f.SelfEfficacy)
	word("Risks", f.RiskAttitude)
	word("Learns", f.LearningStyle)
	word("Knows of the subject", f.DomainKnowledge)
	word("Language of the page", f.LanguageLevel)
	add(f.ReadingWPM > 0, "Reading speed", fmt.Sprintf("%d words a minute", f.ReadingWPM))
	add(f.TypingWPM > 0, "Typing speed", fmt.Sprintf("%d words a minute", f.TypingWPM))
	add(f.Patience > 0, "Patience", fmt.Sprintf("%.2g × the usual", f.Patience))
	add(f.MotorPrecision > 0 && f.MotorPrecision < 1, "Hand", fmt.Sprintf("unsteady, lands up to %.2g × as far off", 1/f.MotorPrecision))
	add(f.Vision.ContrastFactor > 1, "Sight", fmt.Sprintf("needs %.2g × the contrast", f.Vision.ContrastFactor))
	add(f.Vision.MinFont > 0, "Smallest comfortable text", fmt.Sprintf("%.2g px", f.Vision.MinFont))
	add(f.Zoom > 1, "Browser zoom", fmt.Sprintf("%.0f %%", 100*f.Zoom))
	add(f.KeyboardOnly, "Uses", "only the keyboard")
	add(f.ScreenReader, "Hears the page", "through a screen reader")
	return all
}

func orItself(words map[string]string, value string) string {
	if w, known := words[value]; known {
		return w
	}
	return plain(value)
}

// clock is a time since the start as people write it: 0:07, 12:30, 1:02:03.
func clock(ms int) string {
	s := max(ms, 0) / 1000
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// span is a duration in words.
func span(seconds float64) string {
	switch s := int(seconds + 0.5); {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	}
}
