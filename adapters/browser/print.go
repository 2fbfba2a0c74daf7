package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/playwright-community/playwright-go"
)

// pageFooter stands below every page of a PDF. Chromium gives it no style of
// its own.
const pageFooter = `<div style="width:100%;font:8px sans-serif;color:#555;text-align:center"><span class="pageNumber"></span> / <span class="totalPages"></span></div>`

// PDF prints an HTML document on A4. The document has everything in it: nothing
// in it is run, and it reaches no network. One is printed at a time, and whoever
// comes meanwhile waits until ctx ends. The pages of a browser that prints may
// wait for seconds: sessions are better opened on another one.
func (b *Browser) PDF(ctx context.Context, html []byte) (pdf []byte, err error) {
	select {
	case b.press <- struct{}{}:
		defer func() { <-b.press }()
	case <-ctx.Done():
		return nil, fmt.Errorf("print a page: %w", ctx.Err())
	}
	err = ErrBrowserLost
	for attempt := 0; attempt < 2 && errors.Is(err, ErrBrowserLost); attempt++ {
		var e *engine
		if e, err = b.acquire(ctx); err == nil {
			pdf, err = b.print(ctx, e, string(html))
			b.release(e)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("print a page: %w", err)
	}
	return pdf, nil
}

// print prints in a context of its own.
func (b *Browser) print(ctx context.Context, e *engine, html string) ([]byte, error) {
	type printed struct {
		pdf []byte
		err error
	}
	done := make(chan printed, 1)
	opened := make(chan playwright.BrowserContext, 1)
	shut := func(c playwright.BrowserContext) {
		if !e.isLost() && errors.Is(within(stopLimit, func() error { return c.Close() }), context.DeadlineExceeded) {
			e.sick.Store(true)
			b.cfg.Logger.Warn("a browser context did not close; its browser takes no new sessions")
		}
	}
	go func() {
		c, err := e.chromium.NewContext(playwright.BrowserNewContextOptions{
			JavaScriptEnabled: playwright.Bool(false), Offline: playwright.Bool(true), AcceptDownloads: playwright.Bool(false),
			ServiceWorkers: playwright.ServiceWorkerPolicyBlock, ColorScheme: playwright.ColorSchemeLight,
		})
		if err != nil {
			done <- printed{err: err}
			return
		}
		opened <- c
		var p printed
		if p.err = ctx.Err(); p.err == nil {
			p.pdf, p.err = printIn(c, html)
		}
		shut(c)
		done <- p
	}()
	var p printed
	select {
	case p = <-done:
	case <-ctx.Done():
		p.err = ctx.Err()
		select {
		case c := <-opened:
			shut(c) // which ends the printing
		default: // it sees for itself that nobody waits
		}
	case <-e.lost:
		p.err = ErrBrowserLost
	}
	if p.err != nil && ctx.Err() == nil && (gone(p.err) || crashed(p.err)) && !e.alive(&b.pace) {
		p.err = ErrBrowserLost
	}
	return p.pdf, p.err
}

func printIn(c playwright.BrowserContext, html string) ([]byte, error) {
	// Offline keeps requests from leaving; this keeps them from being made.
	if err := c.Route("**/*", func(r playwright.Route) { _ = r.Abort() }); err != nil {
		return nil, err
	}
	page, err := c.NewPage()
	if err != nil {
		return nil, err
	}
	if err := page.SetContent(html, playwright.PageSetContentOptions{WaitUntil: playwright.WaitUntilStateLoad}); err != nil {
		return nil, err
	}
	return page.PDF(playwright.PagePdfOptions{
		Format: playwright.String("A4"), PrintBackground: playwright.Bool(true), Tagged: playwright.Bool(true), Outline: playwright.Bool(true),
		DisplayHeaderFooter: playwright.Bool(true), HeaderTemplate: playwright.String("<span></span>"), FooterTemplate: playwright.String(pageFooter),
		Margin: &playwright.Margin{Top: playwright.String("14mm"), Bottom: playwright.String("16mm"), Left: playwright.String("14mm"), Right: playwright.String("14mm")},
	})
}
