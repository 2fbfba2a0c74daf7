package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"understudy/test/gym/ground"
	"understudy/test/harness"
)

const (
	// spare is how many copies of a site wait before anybody comes: with them
	// nobody waits long, and none is started for nobody.
	spare = 3
	// lateBeacons is how long what a page told last may be on its way.
	lateBeacons = time.Second
	every       = 2 * time.Second
	// early is by how much clocks and roundings let a visitor come before its session.
	early = 2 * time.Second
)

// session is a walk as Understudy tells of it.
type session struct {
	ID, Status, Outcome string
	Viewport            string
	Completion          *struct{ Status, Evidence string }
	Started             time.Time  `json:"started_at"`
	Finished            *time.Time `json:"finished_at"`
	Steps               int
}

func (s session) claimed() bool { return s.Outcome == "succeeded" }

// walk is a session with what its visitor really did.
type walk struct {
	session
	// Came is when the visitor's browser came; zero when none did.
	Came  time.Time `json:"came,omitzero"`
	Done  bool      `json:"done"`
	Pages []string  `json:"pages"`
	// Apart is how far the session's acts and the visitor's lie from each other, in
	// seconds; Sure is false when another visitor fits nearly as well.
	Apart float64 `json:"apart"`
	Sure  bool    `json:"sure"`
}

// result is a task, measured.
type result struct {
	Name    string `json:"name"`
	Half    string `json:"half"`
	Kind    string `json:"kind"`
	Task    string `json:"task"`
	Limit   string `json:"limit,omitempty"`
	Test    string `json:"test"`
	Error   string `json:"error,omitempty"`
	Seconds int    `json:"seconds"`
	// Visitors are all that came, those of walks repeated later among them.
	Visitors int    `json:"visitors"`
	Walks    []walk `json:"walks"`
}

// measure has Understudy test every task and tells what it said beside what was so.
func measure(ctx context.Context, o options) error {
	all, err := o.chosen()
	if err != nil {
		return err
	}
	client, err := o.client()
	if err != nil {
		return err
	}
	dir := ground.Cache("results", o.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	results := make([]result, len(all))
	queue := make(chan int)
	var workers sync.WaitGroup
	for range max(o.parallel, 1) {
		workers.Go(func() {
			for i := range queue {
				results[i] = measured(ctx, all[i], o, client)
				if raw, err := json.MarshalIndent(results[i], "", " "); err == nil {
					file := filepath.Join(dir, all[i].half+"-"+all[i].site.Name+"-"+all[i].task.Name+".json")
					if err := os.WriteFile(file, raw, 0o644); err != nil {
						fmt.Fprintln(os.Stderr, "gym:", err)
					}
				}
				fmt.Println(results[i].line())
			}
		})
	}
	for i := range all {
		if ctx.Err() == nil {
			queue <- i
		}
	}
	close(queue)
	workers.Wait()
	results = slices.DeleteFunc(results, func(r result) bool { return r.Name == "" })
	text := table(results)
	fmt.Printf("\n%s\nraw results: %s\n", text, dir)
	return errors.Join(os.WriteFile(filepath.Join(dir, "table.txt"), []byte(text), 0o644), context.Cause(ctx))
}

func measured(ctx context.Context, e errand, o options, client harness.Client) (r result) {
	began := time.Now()
	r = result{Name: e.name(), Half: e.half, Kind: e.site.Kind, Task: e.task.Text, Limit: e.task.Limit}
	defer func() { r.Seconds = int(time.Since(began).Seconds()) }()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	// The sites outlive a test that takes too long: what was done by then counts.
	g, err := ground.Prepare(context.WithoutCancel(ctx), e.site, e.task, min(o.sessions, spare))
	if err != nil {
		r.Error = err.Error()
		return r
	}
	sessions, err := walked(ctx, client, map[string]any{"url": g.URL, "task": e.task.Text, "sessions": o.sessions, "viewport": []string{o.viewport}}, &r)
	time.Sleep(lateBeacons)
	truths, wrong := g.Truths()
	if err = errors.Join(err, wrong, g.Close()); err != nil {
		r.Error = err.Error()
	}
	r.Visitors = len(truths)
	acts := map[string][]time.Time{}
	for _, s := range sessions {
		if acts[s.ID], err = acted(ctx, client, s.ID); err != nil && r.Error == "" {
			r.Error = err.Error()
		}
	}
	r.Walks = paired(sessions, acts, truths)
	return r
}

// walked has a test run and returns its sessions.
func walked(ctx context.Context, client harness.Client, body map[string]any, r *result) ([]session, error) {
	t, _, err := client.Create(ctx, body)
	if err != nil {
		return nil, err
	}
	r.Test = t.ID
	t, err = client.Await(ctx, t.ID, every, harness.Test.Ended)
	if err != nil {
		return nil, err
	}
	if t.Failure != nil {
		err = fmt.Errorf("%s: %s", t.Failure.Code, t.Failure.Message)
	}
	sessions, wrong := harness.All[session](ctx, client, "/tests/"+t.ID+"/sessions?order=asc")
	return sessions, errors.Join(err, wrong)
}

// paired tells whose visitor is whose. Sessions of a test begin at once, so that
// the time of coming does not tell; when each acted does. Visitors of walks that
// are repeated later, to find a cause, belong to none.
func paired(sessions []session, acts map[string][]time.Time, truths []ground.Truth) []walk {
	slices.SortFunc(sessions, func(a, b session) int { return a.Started.Compare(b.Started) })
	walks := make([]walk, len(sessions))
	type pair struct {
		session, visitor int
		apart            float64
	}
	var pairs []pair
	for i, s := range sessions {
		walks[i] = walk{session: s, Sure: true}
		for j, t := range truths {
			if t.First.After(s.Started.Add(-early)) && (s.Finished == nil || t.First.Before(*s.Finished)) {
				pairs = append(pairs, pair{i, j, (apart(acts[s.ID], t.Acts) + apart(t.Acts, acts[s.ID])) / 2})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.apart, b.apart) })
	taken := make([]bool, len(truths))
	for _, p := range pairs {
		w, t := &walks[p.session], truths[p.visitor]
		if taken[p.visitor] || !w.Came.IsZero() {
			continue
		}
		taken[p.visitor] = true
		w.Came, w.Done, w.Pages, w.Apart = t.First, t.Done, t.Pages, p.apart
	}
	// Another visitor who acted at nearly the same times, and came to another end,
	// leaves a doubt.
	for _, p := range pairs {
		w := &walks[p.session]
		if truths[p.visitor].Done != w.Done && p.apart < 1.5*w.Apart {
			w.Sure = false
		}
	}
	return walks
}

// apart is how many seconds, in the mean, times lie from the nearest of others.
func apart(times, others []time.Time) float64 {
	const far = 5.0
	if len(times) == 0 || len(others) == 0 {
		return far
	}
	sum := 0.0
	for _, t := range times {
		nearest := far
		for _, o := range others {
			nearest = min(nearest, t.Sub(o).Abs().Seconds())
		}
		sum += nearest
	}
	return sum / float64(len(times))
}

// acted is when a session did something, as its trace has it.
func acted(ctx context.Context, client harness.Client, id string) (acts []time.Time, err error) {
	var trace struct {
		Steps []struct {
			At     time.Time
			Action struct{ Type string }
		}
	}
	_, err = client.Call(ctx, "GET", "/sessions/"+id+"/trace", nil, &trace)
	for _, s := range trace.Steps {
		acts = append(acts, s.At)
	}
	return acts, err
}

// client is one of the service that is to be measured; without a key it is
// whoever started the service here.
func (o options) client() (harness.Client, error) {
	c := harness.Client{Addr: strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(o.base, "/"), "http://"), "/v1"), Key: o.key}
	if c.Key != "" {
		return c, nil
	}
	raw, err := os.ReadFile(o.keys)
	if err != nil {
		return c, fmt.Errorf("no key: say -key svc_live_… or where they are with -keys: %w", err)
	}
	var keys struct{ Live string }
	err = json.Unmarshal(raw, &keys)
	c.Key = keys.Live
	return c, err
}

// sums count walks by what was said and what was so.
type sums struct{ walks, truly, claimed, verified, agree, untrue, missed, lost, unsure int }

func (s *sums) add(r result) {
	for _, w := range r.Walks {
		s.walks++
		count := func(n *int, is bool) {
			if is {
				*n++
			}
		}
		count(&s.truly, w.Done)
		count(&s.claimed, w.claimed())
		count(&s.verified, w.Completion != nil && w.Completion.Status == "verified")
		count(&s.agree, w.Done == w.claimed())
		count(&s.untrue, w.claimed() && !w.Done)
		count(&s.missed, w.Done && !w.claimed())
		count(&s.lost, w.Came.IsZero())
		count(&s.unsure, !w.Sure)
	}
}

// wilson is a share with its 95 % interval.
func wilson(k, n int) string {
	if n == 0 {
		return "-"
	}
	const z = 1.959964
	p, all := float64(k)/float64(n), float64(n)
	middle := p + z*z/(2*all)
	wide := z * math.Sqrt(p*(1-p)/all+z*z/(4*all*all))
	under := 1 + z*z/all
	return fmt.Sprintf("%d/%d = %.0f %% [%.0f, %.0f]", k, n, 100*p, 100*max(0, (middle-wide)/under), 100*min(1, (middle+wide)/under))
}

func (r result) line() string {
	var s sums
	s.add(r)
	line := fmt.Sprintf("%-28s true %d/%d  claimed %d  false %d  missed %d  %d s  %s", r.Name, s.truly, s.walks, s.claimed, s.untrue, s.missed, r.Seconds, r.Test)
	if r.Error != "" {
		line += fmt.Sprintf("  %.300s", r.Error)
	}
	return line
}

// table tells all that was measured: each task, each half, both.
func table(results []result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "half\ttask\tkind\twalks\ttrue\tclaimed\tverified\tagree\tfalse\tmissed\tended")
	for _, r := range results {
		var s sums
		s.add(r)
		name := r.Name
		if r.Limit != "" {
			name += " (" + r.Limit + ")"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", r.Half, name, r.Kind, s.walks, s.truly, s.claimed, s.verified, s.agree, s.untrue, s.missed, r.ends())
	}
	_ = w.Flush() // into memory
	for _, half := range []string{"a", "b"} {
		var can, limits sums
		tasks, broken, never := 0, 0, 0
		for _, r := range results {
			if r.Half != half {
				continue
			}
			tasks++
			if r.Error != "" {
				broken++
			}
			if r.Limit != "" {
				limits.add(r)
				continue
			}
			before := can.truly
			can.add(r)
			if can.truly == before {
				never++
			}
		}
		if tasks == 0 {
			continue
		}
		fmt.Fprintf(&b, "\nhalf %s: %d tasks, %d with an error, %d that nobody did; 95 %% intervals (Wilson)\n", half, tasks, broken, never)
		fmt.Fprintf(&b, "  true completion     %s\n", wilson(can.truly, can.walks))
		fmt.Fprintf(&b, "  claimed completion  %s, of them verified %d\n", wilson(can.claimed, can.walks), can.verified)
		fmt.Fprintf(&b, "  agreement           %s\n", wilson(can.agree, can.walks))
		fmt.Fprintf(&b, "  false success       %s of walks, %s of claims\n", wilson(can.untrue, can.walks), wilson(can.untrue, can.claimed))
		fmt.Fprintf(&b, "  missed success      %s of walks\n", wilson(can.missed, can.walks))
		if limits.walks > 0 {
			fmt.Fprintf(&b, "  what cannot be read: claimed all the same %s\n", wilson(limits.claimed, limits.walks))
		}
		if lost := can.lost + limits.lost; lost > 0 {
			fmt.Fprintf(&b, "  walks without a visitor: %d\n", lost)
		}
		if can.unsure > 0 {
			fmt.Fprintf(&b, "  walks of which it is not sure whose they are: %d (true and claimed completion do not depend on it, agreement does)\n", can.unsure)
		}
	}
	return b.String()
}

// ends are the outcomes of the walks, with how often each came.
func (r result) ends() string {
	counts := map[string]int{}
	for _, w := range r.Walks {
		counts[cmp.Or(w.Outcome, w.Status)]++
	}
	var all []string
	for outcome, n := range counts {
		all = append(all, fmt.Sprintf("%d %s", n, outcome))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
