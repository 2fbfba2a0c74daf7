package validity

import (
	"context"
	"net/http/httptest"

	"understudy/adapters/browser"
	"understudy/domain/findings"
	"understudy/domain/replay"
	"understudy/domain/walk"
)

// explain finds out why walks of a test fell short, as the product does, each replay on
// a fresh site, and tells all of them.
func (w *Walker) explain(ctx context.Context, e Errand, results []Result) error {
	sessions := make([]findings.Session, len(results))
	for i := range results {
		sessions[i] = results[i].Session()
	}
	var tried, causes []findings.Cause
	var sent []findings.Sent
	for {
		trial, more := replay.Next(sessions, tried)
		if !more {
			break
		}
		r := &results[trial.Session]
		again := replay.Again{Open: func(ctx context.Context, d walk.Device) (walk.Tab, error) {
			v, err := e.open()
			if err != nil {
				return nil, err
			}
			return w.stage(ctx, v, d)
		}}
		again.Device, again.Plan = errandOf(e, r.Who, r.View, r.Seed)
		outcome := again.Without(ctx, trial.Cause, findings.Added(sessions[trial.Session].Sent, sent))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		trial.Cause.Proven = outcome.Result == replay.Proven
		tried, sent = append(tried, trial.Cause), findings.Added(sent, outcome.Sent)
		if outcome.Result == replay.Proven || outcome.Result == replay.Unchanged {
			causes = append(causes, trial.Cause)
		}
		if outcome.Result == replay.CutShort {
			break
		}
	}
	for i := range results {
		results[i].Causes = sessions[i].Explained(causes).Causes
	}
	return nil
}

// stage opens a page on a site that only this page reaches.
func (w *Walker) stage(ctx context.Context, v *visit, d walk.Device) (walk.Tab, error) {
	server := serve(v.site)
	page, err := browser.Pages{Browser: w.browser, ProxyURL: server.URL}.Open(ctx, d)
	if err != nil {
		server.Close()
		return nil, err
	}
	return staged{page, server}, nil
}

// staged is a page on a stage, which goes with it.
type staged struct {
	walk.Tab

	server *httptest.Server
}

func (p staged) Close() error {
	err := p.Tab.Close()
	p.server.CloseClientConnections()
	p.server.Close()
	return err
}
