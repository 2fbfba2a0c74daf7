package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"understudy/adapters/browser"
	"understudy/test/harness"
	"understudy/test/sites"
)

//go:embed bare/walk.mjs
var bareScript []byte

const (
	// costSessions is the size of the test whose cost is an aim.
	costSessions = 20
	// bareAtOnce is how many walks the bare script does at a time: where it is
	// fastest on two cores, as it waits for nothing.
	bareAtOnce = 4
	// atOnce is how many the service does by default on two cores.
	atOnce = 6
)

// measureSessions holds a test of twenty sessions against a bare Playwright
// script that performs the very same actions with the same screenshots and
// recordings, in the same run, the service first.
func measureSessions(ctx context.Context, b *bench) error {
	return b.with(ctx, "sessions", func(s *service) error {
		const section = "sessions"
		address, stop, err := sites.Serve(ctx, sites.Shop, sites.Options{})
		if err != nil {
			return err
		}
		defer stop()
		watch := s.watchMemory(ctx)
		began := time.Now()
		t, _, err := s.Live().Create(ctx, map[string]any{
			"url": address + "/", "task": "Order a Tidepool Mug and have it sent to your home", "sessions": costSessions,
			"viewport": []string{"desktop"}, "seed": 20261121,
		})
		if err != nil {
			return err
		}
		if err := completed(ctx, s.Live(), t.ID, 500*time.Millisecond, liveLimit); err != nil {
			return err
		}
		took := time.Since(began)
		peak := watch()
		walks, steps, err := actions(ctx, s.Live(), t.ID)
		if err != nil {
			return err
		}
		bare, err := walkBare(ctx, b.dir, address+"/", walks)
		if err != nil {
			return err
		}
		b.table.add(section, "20 sessions of an order in the shop", short(took), "≤ 60 s on 2 cores",
			fmt.Sprintf("%d steps, screenshots and recordings included", steps))
		b.table.add(section, "  a bare Playwright script", short(bare.took()), "",
			fmt.Sprintf("the same actions, keys, screenshots and recordings; %d done, %d not found", bare.Actions, bare.Failed))
		b.table.add(section, "  sessions a minute, service ÷ script", fmt.Sprintf("%.2f", bare.took().Seconds()/took.Seconds()), "≥ 0.7",
			fmt.Sprintf("%.0f and %.0f a minute", costSessions/took.Minutes(), costSessions/bare.took().Minutes()))
		b.table.add(section, "  memory for each session at a time", fmt.Sprintf("%.0f MB", megabytes(peak)/atOnce), "",
			fmt.Sprintf("%.0f MB more (PSS, browser, driver and encoder included) at the peak of %d at a time than before", megabytes(peak), atOnce))
		return nil
	})
}

// watchMemory samples the memory of the service and all below it every three
// seconds, as weighing holds up what is weighed; the function that it returns
// ends that and tells the highest above what it was at first, in bytes.
func (s *service) watchMemory(ctx context.Context) func() int64 {
	ctx, cancel := context.WithCancel(ctx)
	highest := make(chan int64)
	go func() {
		var first, most int64
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		for {
			if bytes, _, err := s.memory(); err == nil { // a process that ends meanwhile is weighed next time
				if first == 0 {
					first = bytes
				}
				most = max(most, bytes-first)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				highest <- most
				return
			}
		}
	}()
	return func() int64 {
		cancel()
		return <-highest
	}
}

// action is one act of a session, as the trace tells it.
type action struct {
	Type     string `json:"type"`
	Selector string `json:"selector,omitempty"`
	Text     string `json:"text,omitempty"`
}

// actions reads what the sessions of a test did.
func actions(ctx context.Context, c harness.Client, test string) (walks [][]action, steps int, err error) {
	var list struct {
		Data []struct{ ID string }
	}
	if _, err := c.Call(ctx, http.MethodGet, "/tests/"+test+"/sessions?limit=100", nil, &list); err != nil {
		return nil, 0, err
	}
	for _, s := range list.Data {
		var trace struct {
			Steps []struct {
				Action struct {
					Type, Text string
					Target     *struct{ Selector string }
				}
			}
		}
		if _, err := c.Call(ctx, http.MethodGet, "/sessions/"+s.ID+"/trace", nil, &trace); err != nil {
			return nil, 0, err
		}
		var walk []action
		for _, step := range trace.Steps {
			a := action{Type: step.Action.Type, Text: step.Action.Text}
			if step.Action.Target != nil {
				a.Selector = step.Action.Target.Selector
			}
			walk = append(walk, a)
		}
		steps += len(walk)
		walks = append(walks, walk)
	}
	return walks, steps, nil
}

// bare is what the script did.
type bare struct {
	Sessions, Actions, Failed int
	Seconds                   float64
}

func (b bare) took() time.Duration { return time.Duration(b.Seconds * float64(time.Second)) }

// walkBare has the script perform walks.
func walkBare(ctx context.Context, dir, url string, walks [][]action) (bare, error) {
	var out bare
	cfg, err := browser.Locate(browser.Config{})
	if err != nil {
		return out, err
	}
	orders, err := json.Marshal(map[string]any{
		"driver": cfg.DriverDir, "chromium": cfg.ChromiumPath, "url": url, "width": 1280, "height": 800,
		"atOnce": bareAtOnce, "sessions": walks,
	})
	if err != nil {
		return out, err
	}
	script := filepath.Join(dir, "walk.mjs")
	if err := os.WriteFile(script, bareScript, 0o600); err != nil {
		return out, err
	}
	cmd := exec.CommandContext(ctx, cfg.NodePath, script)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(orders), os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("the bare script: %w", err)
	}
	return out, json.Unmarshal(answer, &out)
}
