package validity

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"understudy/domain/walk"
	"understudy/test/sites"
)

// Errand is a task on a site together with how to know that it is done.
type Errand struct {
	// Name is the site's and the task's, with a slash between them.
	Name string
	// Site is the name of the site, Task the sentence given to the simulated
	// user, Start the path to start from.
	Site, Task, Start string
	// Doable: people as different as the personas can do it, so that falling
	// short is the model's fault.
	Doable bool
	// others are the tasks of the same site that nobody was sent to do.
	others []sites.Task
	// open makes the site ready for one visitor.
	open func() (*visit, error)
}

// visit is a site as one visitor has it.
type visit struct {
	site http.Handler
	// reached tells whether the goal is reached, given every look of the walk.
	reached func(ctx context.Context, looks []walk.Page) (bool, error)
	// done tells the same of any task of the site; nil where there are no others.
	done func(ctx context.Context, task sites.Task, looks []walk.Page) (bool, error)
}

// now is the day on which the sites live: what they show must not change with
// the day on which they are walked.
func now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// SiteErrands are all tasks of all sites of our own, without faults.
func SiteErrands() []Errand {
	var out []Errand
	for _, site := range sites.Names() {
		for _, task := range sites.Tasks[site] {
			out = append(out, own(site, task, sites.Options{}))
		}
	}
	return out
}

// CaseErrand is the errand of a case on its site with some of the case's
// faults, all of them (c.Options()) or as repaired as c.RepairedOptions().
func CaseErrand(c sites.Case, o sites.Options) (Errand, error) {
	i := slices.IndexFunc(sites.Tasks[c.Site], func(t sites.Task) bool { return t.Name == c.Task })
	if i < 0 {
		return Errand{}, fmt.Errorf("case %s: site %q has no task %q", c.Name, c.Site, c.Task)
	}
	return own(c.Site, sites.Tasks[c.Site][i], o), nil
}

// own is an errand on a site of our own, which knows what its only visitor did.
func own(site string, task sites.Task, o sites.Options, around ...func(http.Handler) http.Handler) Errand {
	o.Now = now
	e := Errand{Name: site + "/" + task.Name, Site: site, Task: task.Task, Start: task.Start, Doable: true}
	e.others = slices.DeleteFunc(slices.Clone(sites.Tasks[site]), func(t sites.Task) bool { return t.Name == task.Name })
	e.open = func() (*visit, error) {
		h, err := sites.New(site, o)
		if err != nil {
			return nil, err
		}
		v := &visit{site: h, done: func(ctx context.Context, task sites.Task, looks []walk.Page) (bool, error) {
			// Some answers stand on several pages: who has had one on the screen
			// knows it, whichever page it was.
			if task.Answer != "" {
				return shown(looks, task.Answer), nil
			}
			return truth(ctx, h, task.Truth)
		}}
		v.reached = func(ctx context.Context, looks []walk.Page) (bool, error) { return v.done(ctx, task, looks) }
		for _, f := range around {
			v.site = f(v.site)
		}
		return v, nil
	}
	return e
}

// truth asks a site whether a visitor has reached a goal.
func truth(ctx context.Context, site http.Handler, goal string) (bool, error) {
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/_truth", nil))
	var visitors map[string]map[string]bool
	if err := json.Unmarshal(w.Body.Bytes(), &visitors); err != nil {
		return false, fmt.Errorf("read /_truth: %w", err)
	}
	for _, goals := range visitors {
		if goals[goal] {
			return true, nil
		}
	}
	return false, nil
}

// shown: a text stood on the screen at some look.
func shown(looks []walk.Page, text string) bool {
	return slices.ContainsFunc(looks, func(p walk.Page) bool { return onScreen(&p, text) })
}

func onScreen(p *walk.Page, text string) bool {
	for i := range p.Texts {
		if p.Texts[i].InViewport && strings.Contains(strings.ToLower(p.Texts[i].Text), strings.ToLower(text)) {
			return true
		}
	}
	return slices.ContainsFunc(p.Elements, func(e walk.Element) bool {
		return e.InViewport && strings.Contains(strings.ToLower(e.Name), strings.ToLower(text))
	})
}
