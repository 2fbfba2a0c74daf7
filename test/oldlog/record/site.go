package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%s</title><style>body{font:18px sans-serif;margin:2em;max-width:40em}.faint{color:#ddd;background:#fff;border:0}</style></head>
<body><nav><a href="/?a=1&amp;b=%%3Cx%%3E">Fish &amp; Chips</a> <a href="/menu?a=1&amp;b=%%3Cx%%3E">Menu &amp; prices 🍟</a> <a href="/log-in">Log in</a></nav>%s</body></html>`

// Titles, texts and addresses have what has to be escaped somewhere.
var pages = map[string][2]string{
	"GET /": {`Fish &amp; Chips &lt;"fresh"&gt; · Café ☕`,
		`<h1>Fish &amp; Chips &lt;"fresh" &amp; 'hot'&gt;</h1><p>Grüße from the café 😀. See <a href="/menu?a=1&amp;b=%3Cx%3E">our menu &amp; prices</a>.</p>`},
	"GET /menu": {`Menu &amp; "prices" &lt;2026&gt;`,
		`<h1>Menu &amp; "prices"</h1><p>Tea &amp; scones: £4 &lt;incl. VAT&gt; 🫖</p><p><a href="/order?what=tea+%26+scones&amp;n=%3C2%3E">Order tea &amp; scones</a></p>`},
	"GET /order": {`Order &lt;tea &amp; scones&gt;`,
		`<h1>Order tea &amp; scones</h1><form method="post" action="/order"><label>Name <input name="name" required></label> <button>Send order</button></form>`},
	"POST /order": {`Thank you &amp; enjoy`, `<h1>Thank you &amp; enjoy &lt;3</h1>`},
	"GET /log-in": {`Log in`,
		`<h1>Log in</h1><form method="post" action="/log-in"><label>E-mail <input name="email" type="email" required></label>
		<label>Password <input name="password" type="password" required></label> <button>Log in</button></form>`},
	"POST /log-in": {`You &amp; yours`, `<h1>Welcome back, you &amp; yours</h1>`},
	// Where nothing leads to the newsletter.
	"GET /newsletter": {`News &amp; "views" <b>`,
		`<h1>News &amp; "views"</h1><p>Our newsletter &lt;weekly&gt; 📰</p><form onsubmit="return false"><label>E-mail <input name="email"></label>
		<button type="button">Subscribe to the newsletter</button></form><button class="faint" type="button">Subscribe &amp; save</button>`},
}

// visited is the website that live tests walk, and the receivers of webhooks.
type visited struct {
	address string
	// refusing: /hooks/wavers answers with 500.
	refusing atomic.Bool
}

func serve(ctx context.Context) (*visited, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &visited{address: "http://" + l.Addr().String()}
	mux := http.NewServeMux()
	for route, p := range pages {
		if route == "GET /" {
			route = "GET /{$}"
		}
		mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, page, p[0], p[1])
		})
	}
	mux.HandleFunc("POST /hooks/good", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /hooks/bad", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `<b>no & "never" 😀</b>`, http.StatusInternalServerError)
	})
	mux.HandleFunc("POST /hooks/wavers", func(w http.ResponseWriter, _ *http.Request) {
		if v.refusing.Swap(false) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // always ends with ErrServerClosed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return v, nil
}
