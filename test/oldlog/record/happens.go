package main

import (
	"context"
	"net/http"
	"time"

	"understudy/test/sites"
)

type object = map[string]any

// happens makes a bit of everything happen, in both environments, and waits
// until nothing more will.
func happens(ctx context.Context, live, sandbox client) error {
	v, err := serve(ctx)
	if err != nil {
		return err
	}
	bad := sandbox.make("/webhooks", object{"url": v.address + "/hooks/bad?a=1&b=%3Cx%3E&c=%22%C3%BC%22"})
	first := sandbox.make("/tests", order(object{"sessions": 10, "name": "For an endpoint that refuses & refuses"}))
	sandbox.ended("/tests/", first)
	sandbox.send(http.MethodPatch, "/webhooks/"+bad, object{"events": []string{"test.failed"}}) // keeps the log small

	walked, err := walks(ctx, live, v)
	if err != nil {
		return err
	}
	simulated(sandbox)
	hooks(sandbox, v)
	compared(live, sandbox, v, first)
	live.ended("/tests/", walked...)
	live.make("/tests/"+walked[1]+"/reports", object{"criteria": []string{"trust", "navigation"}})

	// Ten deliveries in a row that were given up switch an endpoint off.
	sandbox.until("the endpoint that refuses is disabled", func() bool {
		return sandbox.send(http.MethodGet, "/webhooks/"+bad, nil)["status"] == "disabled"
	})
	sandbox.ended("/tests/", sandbox.make("/tests", order(object{"task": "fail", "name": "Skipped & not sent"})))
	sandbox.until("a delivery is skipped", func() bool { return len(sandbox.list("/webhooks/"+bad+"/deliveries?status=skipped")) > 0 })
	sandbox.send(http.MethodPatch, "/webhooks/"+bad, object{"url": v.address + "/hooks/good?mended=%3Cyes%3E&"})
	sandbox.send(http.MethodPost, "/webhooks/"+bad+"/enable", nil)
	sandbox.send(http.MethodPost, "/webhooks/"+bad+"/replay", object{"status": "skipped"})
	sandbox.quiet() // what is replayed has been scheduled
	for _, c := range []client{live, sandbox} {
		for _, kind := range []string{"/tests", "/comparisons"} {
			for _, item := range c.list(kind) {
				c.ended(kind+"/", item["id"].(string))
			}
		}
		for _, hook := range c.list("/webhooks") {
			c.until("all deliveries", func() bool { return len(c.list("/webhooks/"+hook["id"].(string)+"/deliveries?status=pending")) == 0 })
		}
	}
	live.quiet()
	return *live.err
}

// order is a sandbox test with some of its settings changed.
func order(changes object) object {
	test := object{"url": "https://shop.example.com/?a=1&b=%3Cx%3E", "task": `Sign up for the "news & views" <newsletter>`,
		"sessions": 3, "seed": 7, "viewport": []string{"desktop", "mobile"}}
	for name, value := range changes {
		test[name] = value
	}
	return test
}

// walks begins the tests in a real browser.
func walks(ctx context.Context, live client, v *visited) (ids []string, err error) {
	live.send(http.MethodPatch, "/organization", object{"quality_gate": object{"threshold": 0.9, "criteria": object{"trust": 0.5}}})
	faint := sites.Fault{Kind: "low_contrast", Path: "/p/tidepool-mug", Selector: "form.buy button", Dose: 2}
	shop, _, err := sites.Serve(ctx, sites.Shop, sites.Options{Faults: []sites.Fault{faint}})
	if err != nil {
		return nil, err
	}
	closed := "http://127.0.0.1:444/?a=1&b=%3Cx%3E"
	both := []string{"desktop", "mobile"}
	all := []string{"task_completion", "cta_findability", "navigation", "efficiency", "readability", "accessibility", "error_recovery", "trust", "speed"}
	live.make("/webhooks", object{"url": v.address + "/hooks/good?live&<", "events": []string{"test.completed", "test.failed", "quality_gate.failed"}})
	for _, test := range []object{
		{"url": v.address + "/?a=1&b=%3Cx%3E", "task": `Order "tea & scones" <today> 🫖`, "name": `Tea & <scones> "now" 🫖`, "sessions": 2, "viewport": both,
			"criteria": all, "success": object{"text_visible": "Thank you & enjoy"}, "quality_gate": object{"threshold": 0.6, "criteria": object{"speed": 0.1}},
			"metadata": object{"commit": "<9f&ce>", "größe": "ü 😀", "q\"": "'"}, "locale": "en-GB", "max_steps": 14, "seed": 11},
		{"url": v.address + "/newsletter?a=1&b=%3Cx%3E", "task": "Subscribe to the newsletter & get the <weekly> one", "sessions": 3, "viewport": both,
			"name": "Nobody can & will", "max_steps": 10, "seed": 12},
		{"url": shop + "/", "task": "Order a Tidepool Mug and have it sent to your home", "sessions": 2, "viewport": both, "seed": 20261121,
			"success": object{"text_visible": "Thank you for your order"}, "criteria": []string{"task_completion", "cta_findability", "accessibility"}},
		{"url": v.address + "/log-in", "task": "Log in as {{email}} with the password {{password}}", "sessions": 2,
			"inputs": object{"email": "demo@fish.example", "password": "chips & <peas>"}, "success": object{"text_visible": "Welcome back"}, "max_steps": 10, "seed": 13},
		{"url": closed, "task": "Find the price & pay", "sessions": 2, "seed": 14},
	} {
		ids = append(ids, live.make("/tests", test))
	}
	return ids, *live.err
}

// simulated is what the sandbox has: magic tasks, personas, packs, another
// report, a test that is cancelled.
func simulated(c client) {
	for _, task := range []string{"fail", "give up", "slow", "gate fails"} {
		c.ended("/tests/", c.make("/tests", order(object{"task": task, "sessions": 2, "name": "Magic & <" + task + ">"})))
	}
	cancelled := c.make("/tests", order(object{"task": "slow", "sessions": 4, "metadata": object{"a&b": "<c>"}}))
	c.until("a session has begun", func() bool { return len(c.list("/tests/"+cancelled+"/sessions?status=running")) > 0 })
	c.send(http.MethodDelete, "/tests/"+cancelled, nil)

	kept := c.make("/personas", object{"name": "Ada & <Bob>", "zoom": 2, "age_band": "75+", "summary": `Reads "everything" & twice 😀`})
	gone := c.make("/personas", object{"name": "Éva > all", "reading_wpm": 450, "patience": 0.4})
	custom := object{"source": "custom", "persona_ids": []string{kept, gone}}
	own := c.make("/tests", order(object{"personas": custom, "name": "Own people"}))
	c.send(http.MethodPatch, "/personas/"+kept, object{"zoom": nil, "name": "Ada L. & co", "summary": nil})
	c.send(http.MethodDelete, "/personas/"+gone, nil)
	c.make("/tests", order(object{"personas": object{"source": "pack", "pack_id": "older-adults"}, "model": "forager-2", "max_steps": 5}))
	c.ended("/tests/", own)
	c.make("/tests/"+own+"/reports", object{"criteria": []string{"navigation", "efficiency"}})
	c.send(http.MethodPatch, "/organization", object{"quality_gate": object{"threshold": 0.5, "criteria": object{"trust": nil, "navigation": 0.4}}})
	c.make("/tests", order(object{"criteria": []string{"task_completion", "navigation"}, "quality_gate": object{"criteria": object{"task_completion": 0.9}}}))
}

// deletedWebhook is the metadata in which a test names an endpoint that no list
// has any more.
const deletedWebhook = "deleted_webhook"

// hooks is what becomes of endpoints and deliveries, beside the one that
// refuses everything.
func hooks(c client, v *visited) {
	good := c.make("/webhooks", object{"url": v.address + "/hooks/good?a=1&b=%3Cx%3E", "events": []string{"test.started", "test.completed", "test.failed"}})
	v.refusing.Store(true)
	wavers := c.make("/webhooks", object{"url": v.address + "/hooks/wavers", "events": []string{"quality_gate.passed", "quality_gate.failed"}, "secret": "a secret & <another> one"})
	deleted := c.make("/webhooks", object{"url": v.address + "/hooks/bad?deleted", "events": []string{"test.completed"}})
	done := c.make("/tests", order(object{"sessions": 2, "name": "Told & retold"}))
	c.ended("/tests/", done)
	c.until("a first attempt was refused", func() bool {
		pending := c.list("/webhooks/" + deleted + "/deliveries?status=pending")
		attempts := []any{}
		if len(pending) > 0 {
			attempts, _ = c.send(http.MethodGet, "/deliveries/"+pending[0]["id"].(string), nil)["attempts"].([]any)
		}
		return len(attempts) > 0
	})
	c.send(http.MethodDelete, "/webhooks/"+deleted, nil)
	c.make("/tests", order(object{"sessions": 1, "metadata": object{deletedWebhook: deleted}}))
	c.until("deliveries have arrived", func() bool { return len(c.list("/webhooks/"+good+"/deliveries?status=delivered")) > 1 })
	sent := c.list("/webhooks/" + good + "/deliveries?status=delivered&event=test.completed")
	if len(sent) > 0 {
		c.make("/deliveries/"+sent[0]["id"].(string)+"/replay", nil)
	}
	c.send(http.MethodPost, "/webhooks/"+good+"/replay", object{"status": "all", "from": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)})
	c.make("/webhooks/"+good+"/test", nil)
	unheard := c.make("/webhooks", object{"url": v.address + "/hooks/bad?pinged", "events": []string{"test.failed"}})
	c.make("/webhooks/"+unheard+"/test", nil)
	c.send(http.MethodPatch, "/webhooks/"+unheard, object{"url": v.address + "/hooks/good?moved=%3Cyes%3E&", "events": nil})
	c.send(http.MethodPatch, "/webhooks/"+unheard, object{"events": []string{"test.failed"}})
	c.send(http.MethodPost, "/webhooks/"+wavers+"/rotate_secret", object{"secret": "the next & <last> secret"})
	c.send(http.MethodPost, "/webhooks/"+wavers+"/promote_secret", nil)
}

// compared is variants and tests held against each other.
func compared(live, sandbox client, v *visited, first string) {
	live.make("/comparisons", object{"name": "Old & <new> 😀", "a": object{"url": v.address + "/newsletter?v=a&"}, "b": object{"url": v.address + "/menu?v=%3Cb%3E&", "name": "B & co"},
		"task": "Find out what tea & scones cost", "sessions": 2, "max_steps": 6, "seed": 15, "viewport": []string{"desktop"}})
	c := sandbox
	variants := object{"a": object{"url": "https://a.example/?a&b=%3C"}, "b": object{"url": "https://b.example/"}, "sessions": 6, "seed": 16}
	with := func(name, task string) object {
		out := object{"name": name, "task": task}
		for k, value := range variants {
			out[k] = value
		}
		return out
	}
	second := c.make("/tests", order(object{"sessions": 4, "seed": 99}))
	c.ended("/tests/", second)
	ids := []string{
		c.make("/comparisons", with(`Pairs & "variants" <1>`, "Buy a <vase> & pay")),
		c.make("/comparisons", object{"name": "Two tests & no pairs", "a": object{"test_id": first}, "b": object{"test_id": second}}),
		c.make("/comparisons", object{"a": object{"test_id": second}, "b": object{"url": "https://variant.example/?<", "metadata": object{"k": "&"}}}),
		c.make("/comparisons", with("Fails & <fails>", "fail")),
	}
	cancelled := c.send(http.MethodPost, "/comparisons", with("Cancelled & done", "slow"))
	if side, ok := cancelled["b"].(object); ok {
		c.send(http.MethodDelete, "/tests/"+side["test_id"].(string), nil)
	}
	c.ended("/comparisons/", ids...)
}
