package dashboard

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"understudy/adapters/service"
	"understudy/domain/session"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

// sessionsPart is a part of a test's sessions.
type sessionsPart struct {
	Walks []walkCard
	// Choices narrow the list: by how sessions stand and by screen.
	Choices   []choiceOf
	Viewports []choiceOf
	// Persona is what a name contains, Outcome and Viewport what is chosen.
	Persona, Outcome, Viewport string
	// Next is the address of what goes on, "" at its end; First that of the first
	// page, "" on it.
	Next, First string
	Narrowed    bool
}

// choiceOf is one value to narrow a list by, with how many sessions have it.
type choiceOf struct {
	Name, Address string
	Sessions      int
	Chosen        bool
}

// walkCard is a session with where it has come to.
type walkCard struct {
	service.Walk
	// Words tell how it stands, Tone is the tag's class that goes with it.
	Words, Tone string
	// Picture is the address of its last one, "" for none.
	Picture string
	Upright bool
}

// cards is how many sessions a page shows.
const cards = 24

// standing is how sessions stand: what is chosen by, and in words.
type standing struct{ key, status, outcome, words, tone string }

// standings are all, in the order in which they are shown.
var standings = []standing{
	{"running", string(session.StatusRunning), "", "at it", "going"},
	{"queued", string(session.StatusQueued), "", "waiting", ""},
	{"succeeded", "", "succeeded", "succeeded", "passed"},
	{"gave_up", "", "gave_up", "gave up", "failed"},
	{"blocked", "", "blocked", "was blocked", "failed"},
	{"out_of_steps", "", "out_of_steps", "ran out of steps", "s2"},
	{"failed", string(session.StatusFailed), "", "could not be carried out", "failed"},
	{"cancelled", string(session.StatusCancelled), "", "cancelled", ""},
}

// standingOf is how a session with a status and an outcome stands.
func standingOf(status session.Status, outcome string) standing {
	for _, s := range standings {
		if s.outcome != "" && s.outcome == outcome || s.outcome == "" && s.status == string(status) {
			return s
		}
	}
	return standing{status: string(session.StatusCompleted), words: "took it for done", tone: "failed"}
}

func (d *Dashboard) sessionsPart(ctx context.Context, who service.Principal, test tests.Document, form url.Values) (part sessionsPart, err error) {
	part.Persona, part.Outcome, part.Viewport = form.Get("persona"), form.Get("outcome"), form.Get("viewport")
	part.Narrowed = part.Persona+part.Outcome+part.Viewport != ""
	q := service.Query{TestID: test.ID, Persona: part.Persona, Viewport: part.Viewport, After: form.Get("after"), Ascending: true, Limit: cards}
	for _, s := range standings {
		if s.key == part.Outcome {
			q.Status, q.Outcome = s.status, s.outcome
		}
	}
	walks, next, err := d.Results.Walks(ctx, who, q)
	if err != nil {
		return part, err
	}
	now := time.Now()
	for _, walk := range walks {
		stands := standingOf(walk.Status, deref(walk.Outcome))
		card := walkCard{Walk: walk, Words: stands.words, Tone: stands.tone}
		if shot := walk.Screenshot; shot != nil {
			card.Picture, card.Upright = d.Links.ArtifactURL(shot.ID, now), shot.Height > shot.Width
		}
		part.Walks = append(part.Walks, card)
	}
	to := func(name, value string) string { return narrowed("/tests/"+test.ID, form, name, value) }
	if next != "" {
		part.Next = to("after", next)
	}
	if q.After != "" {
		part.First = to("after", "")
	}
	counts, err := d.Results.Tally(ctx, who, test.ID)
	if err != nil {
		return part, err
	}
	part.choose(counts, test.SessionsTotal, to)
	return part, nil
}

// choose makes what the list can be narrowed by.
func (p *sessionsPart) choose(counts []sessions.Count, total int, to func(name, value string) string) {
	by, screens := map[string]int{}, map[string]int{}
	for _, c := range counts {
		by[standingOf(c.Status, c.Outcome).key] += c.Sessions
		screens[c.Viewport] += c.Sessions
	}
	p.Choices = append(p.Choices, choiceOf{"All", to("outcome", ""), total, p.Outcome == ""})
	for _, s := range standings {
		if by[s.key] > 0 || p.Outcome == s.key {
			p.Choices = append(p.Choices, choiceOf{capital(s.words), to("outcome", s.key), by[s.key], p.Outcome == s.key})
		}
	}
	if len(screens) < 2 {
		return
	}
	p.Viewports = append(p.Viewports, choiceOf{"Any screen", to("viewport", ""), total, p.Viewport == ""})
	for _, screen := range slices.Sorted(maps.Keys(screens)) {
		p.Viewports = append(p.Viewports, choiceOf{capital(screen), to("viewport", screen), screens[screen], p.Viewport == screen})
	}
}

// narrowed is the address of a list with one of its choices made otherwise; the list then
// begins anew.
func narrowed(path string, form url.Values, name, value string) string {
	query := url.Values{}
	for _, kept := range []string{"persona", "outcome", "viewport"} {
		if given := form.Get(kept); given != "" {
			query.Set(kept, given)
		}
	}
	if query.Set(name, value); value == "" {
		query.Del(name)
	}
	if len(query) == 0 {
		return path + "#sessions"
	}
	return path + "?" + query.Encode() + "#sessions"
}
