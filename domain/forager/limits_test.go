package forager

import (
	"strings"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/walk"
)

// limitsTold are the limits that the steps of a walk tell of.
func limitsTold(steps []walk.Decision) (told []string) {
	for i := range steps {
		for _, s := range steps[i].Signals {
			if s.Kind == walk.SigLimitPage {
				told = append(told, s.Detail)
			}
		}
	}
	return told
}

// TestLimitsEndTheWalk: what cannot be simulated is said where the task needs it.
func TestLimitsEndTheWalk(t *testing.T) {
	t.Parallel()
	const german = `# Willkommen bei uns
			Die Öffnungszeiten sind auf der Seite und nicht für alle Tage gleich, sie werden bei uns jede Woche mit den Mitgliedern neu geändert.
			link Startseite -> /
			link Anfahrt -> /weg
			link Impressum -> /impressum
			~
			Die Preise und der Beitrag für das Jahr werden auf der Versammlung mit allen Mitgliedern festgelegt.`
	for _, c := range []struct{ name, task, site, want, told string }{{
		name: "the cell of a sheet that is drawn", task: "Find out what stands in cell B2",
		site: `@ / | Budget
			button File
			button Insert
			limit canvas 1200x500
			- button Sheet1 | button Sheet2`,
		want: "blocked", told: "canvas",
	}, {
		name: "a chart behind the link that promises it", task: "Find out how many visitors came in March",
		site: `@ / | Museum
			# Museum
			link Visitors by month -> /visitors
			link News -> /news
			@ /visitors | Visitors
			# Visitors by month
			limit canvas 1200x500 Visitors by month
			link News -> /news
			@ /news | News
			# News
			We have a new roof.`,
		want: "click Visitors by month, blocked", told: "canvas: Visitors by month",
	}, {
		name: "a page in another language", task: "Find out what the annual membership costs",
		site: "@ / | Verein\n" + german, want: "blocked", told: "language: de",
	}, {
		name: "a page in another language that has one's own", task: "Find out what the annual membership costs",
		site: "@ / | Verein\nlink English -> /en\n" + german + `
			@ /en | Club
			# Our club
			The annual membership costs 40 pounds.`,
		want: "click English, done",
	}, {
		name: "a page that is a proof of being human", task: "Find out what the annual membership costs",
		site: `@ / | Just a moment (403)
			# Verify you are human
			limit captcha 300x70 Widget containing a challenge`,
		want: "wait, blocked", told: "captcha: Widget containing a challenge",
	}, {
		name: "a proof of being human in the form that was sent", task: "Sign up with the email ada@example.com",
		site: `@ / | Club
			# Sign up
			[form]
			field Email
			limit captcha 300x70 reCAPTCHA
			submit Sign up -> /~again
			@ /~again | Club
			# Sign up
			[form]
			field Email = ada@example.com
			limit captcha 300x70 reCAPTCHA
			submit Sign up -> /~again
			[]
			Please tick the box.`,
		want: "type Email=ada@example.com, click Sign up, blocked", told: "captcha: reCAPTCHA",
	}, {
		name: "a part of another site in the form that was filled in", task: "Sign up with the email ada@example.com",
		site: `@ / | Club
			# Sign up
			[form]
			field Email
			limit frame 400x60 pay.example
			submit Sign up -> /~again ; disabled`,
		want: "type Email=ada@example.com, blocked", told: "frame: pay.example",
	}, {
		name: "a film that tells it", task: "Find out who speaks in the video",
		site: `@ / | Talks
			# Talks
			limit media 640x360 Keynote`,
		want: "blocked", told: "media: Keynote",
	}, {
		name: "a closed part that is all of the page", task: "Find out what the annual membership costs",
		site: `@ / | Club
			# Club
			link Annual membership -> /membership
			@ /membership | Membership
			limit shadow 1200x500`,
		want: "click Annual membership, blocked", told: "shadow",
	}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			acts, steps := walkOn(c.site, c.task, persona.Facets{}, 7)
			told := strings.Join(limitsTold(steps), ", ")
			if got := strings.Join(acts, ", "); got != c.want || told != c.told {
				t.Errorf("%s: %s, told %q", c.task, got, told)
			}
			if last := &steps[len(steps)-1]; last.Thought == "" {
				t.Error("nothing is thought of it")
			}
		})
	}
}

// TestLimitsThatAreNotNeeded: what the task does not need is no reason to stop.
func TestLimitsThatAreNotNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, task, site, want string }{{
		name: "tabs beside a sheet that is drawn", task: "Rename the sheet \"Cell\" to \"March\"",
		site: `@ / | Budget
			limit canvas 1200x500
			button Cell -> /~menu ; popup menu
			@ /~menu | Budget
			limit canvas 1200x500
			button Cell ; open
			button Rename -> /~name
			@ /~name | Budget
			limit canvas 1200x500
			[dialog] Rename
			field Name = Cell
			submit OK -> /~done
			@ /~done | Budget
			limit canvas 1200x500
			button March`,
		want: "click Cell, click Rename, type Name=March, click OK, done",
	}, {
		name: "a film beside the answer", task: "Find out who the treasurer is",
		site: `@ / | Club
			# Our club
			limit media 900x200
			limit frame 900x300 ads.example
			link Committee -> /committee
			@ /committee | Committee
			# Committee
			The treasurer is Maria Gomez.`,
		want: "click Committee, done",
	}, {
		name: "a page in another language on a wrong way", task: "Find out what the annual membership costs",
		site: `@ / | Club
			# Our club
			link Verein -> /de
			link About us -> /about
			@ /de | Verein
			# Verein
			Die Öffnungszeiten sind auf der Seite und nicht für alle Tage gleich, sie werden bei uns jede Woche mit den Mitgliedern neu geändert.
			@ /about | About
			# About us
			The annual membership costs 40 pounds.`,
		want: "click Verein, back, click About us, done",
	}, {
		name: "a link that is named in a page in another language", task: "Open \"Anfahrt\"",
		site: `@ / | Verein
			Die Öffnungszeiten sind auf der Seite und nicht für alle Tage gleich, sie werden bei uns jede Woche mit den Mitgliedern neu geändert.
			link Anfahrt -> /weg
			@ /weg | Anfahrt
			# Anfahrt`,
		want: "click Anfahrt, done",
	}, {
		name: "a proof of being human in another form", task: "Subscribe with the email ada@example.com",
		site: `@ / | Club
			# Subscribe
			[form]
			field Email
			submit Subscribe -> /~thanks
			[form] Write to us
			area Message
			limit captcha 300x70 reCAPTCHA
			submit Send -> /sent
			@ /~thanks | Club
			# Subscribe
			[form]
			field Email
			submit Subscribe -> /~thanks
			Thank you, you are subscribed.
			[form] Write to us
			area Message
			limit captcha 300x70 reCAPTCHA
			submit Send -> /sent`,
		want: "type Email=ada@example.com, click Subscribe, done",
	}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			acts, steps := walkOn(c.site, c.task, persona.Facets{}, 7)
			if got := strings.Join(acts, ", "); got != c.want || len(limitsTold(steps)) > 0 {
				t.Errorf("%s: %s, told %q", c.task, got, limitsTold(steps))
			}
		})
	}
}

// TestOrnamentsAreNoLimits: somebody who finds nothing on a page gives up on the page
// where what cannot be simulated is only its picture.
func TestOrnamentsAreNoLimits(t *testing.T) {
	t.Parallel()
	for _, ornament := range []string{"", "backdrop canvas 1200x700", "limit frame 300x100 ads.example", "limit media 900x500", "limit captcha 300x70"} {
		acts, steps := walkOn(`@ / | Club
			`+ornament+`
			# Our club in the valley
			We meet every Tuesday in the hall by the river and walk in the hills on Sundays.
			field Search
			link Walks -> /walks
			@ /walks | Walks
			# Walks
			We walk ten miles.`, "Find out what the annual membership costs", persona.Facets{}, 7)
		if acts[len(acts)-1] != walk.EndGaveUp || len(limitsTold(steps)) > 0 {
			t.Errorf("%q: %q, told %q", ornament, acts, limitsTold(steps))
		}
	}
}
