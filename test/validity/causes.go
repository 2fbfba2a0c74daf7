package validity

import (
	"context"
	"net/http/httptest"

	"understudy/adapters/browser"
	"understudy/domain/replay"
	"understudy/domain/walk"
)

// explain replays a walk that fell short as the product does, each time on a
// fresh site.
func (w *Walker) explain(ctx context.Context, r *Result, e Errand, device walk.Device, plan walk.Plan) {
	again := replay.Again{Device: device, Plan: plan, Open: func(ctx context.Context, d walk.Device) (walk.Tab, error) {
		v, err := e.open()
		if err != nil {
			return nil, err
		}
		return w.stage(ctx, v, d)
	}}
	r.Causes = again.Causes(ctx, r.Session())
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
