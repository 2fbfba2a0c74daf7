package miniflux

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"understudy/test/gym/ground"
)

type feed struct {
	name, title, category string
	entries               []string
}

var feeds = []feed{
	{"crumb", "Crumb and Crust", "Food", []string{"A cake for forty guests", "Why bread dough needs a night", "Plums, three ways"}},
	{"gazette", "Harbour Town Gazette", "Leisure", []string{"Ferry runs every hour from May", "New benches along the quay", "Council votes on the old mill"}},
	{"gadgets", "Gadgets Daily", "News", []string{"Ten chargers compared", "A kettle that talks", "The thinnest phone so far"}},
	{"weather", "Weather Notes of the Coast", "News", []string{"How fog comes about", "Storms of the last winter"}},
	{"tracks", "Tracks and Trails", "Leisure", []string{"Over the ridge in two days", "Boots that last", "Huts that are open in April"}},
}

// prepare makes the database, and has the reader fetch what its user reads.
func prepare(p *ground.Place) error {
	initdb, err := postgres("initdb")
	if err != nil {
		return err
	}
	if _, err := p.Run(nil, "sh", "-c", "mkdir data && chown postgres data"); err != nil {
		return err
	}
	args := []string{initdb, "-D", p.Dir + "/data", "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1"}
	if _, err := p.Run(nil, "setpriv", slices.Concat(asPostgres, args)...); err != nil {
		return err
	}
	if err := database(p); err != nil {
		return err
	}
	if _, err := sql(p, "postgres", "CREATE DATABASE miniflux"); err != nil {
		return err
	}
	env := append(environment(p), "CREATE_ADMIN=1", "ADMIN_USERNAME=petra", "ADMIN_PASSWORD="+password, "RUN_MIGRATIONS=1")
	if err := p.Serve(env, program.Binary()); err != nil {
		return err
	}
	publisher := httptest.NewServer(http.HandlerFunc(publish))
	defer publisher.Close()
	if err := subscribe(p, publisher.URL); err != nil {
		return err
	}
	// From now on they are read from where nobody answers.
	_, err = sql(p, "miniflux", `UPDATE feeds SET feed_url = regexp_replace(feed_url, '^http://[^/]*/(.*)[.]xml', 'https://\1.example.org/feed.xml')`)
	return err
}

func publish(w http.ResponseWriter, r *http.Request) {
	for _, f := range feeds {
		if r.URL.Path != "/"+f.name+".xml" {
			continue
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = fmt.Fprintf(w, `<rss version="2.0"><channel><title>%s</title><link>https://%s.example.org/</link><description>%[1]s</description>`, f.title, f.name) // to the reader
		for i, title := range f.entries {
			date := time.Date(2026, 3, 2+3*i+len(f.name)%3, 8, 15, 0, 0, time.UTC).Format(time.RFC1123Z)
			_, _ = fmt.Fprintf(w, `<item><title>%s</title><link>https://%s.example.org/%d</link><guid>%[2]s-%[3]d</guid><pubDate>%[4]s</pubDate>`+
				`<description>%[1]s: the whole story, with what we learned on the way and what we would do otherwise next time.</description></item>`, title, f.name, i+1, date)
		}
		_, _ = fmt.Fprint(w, `</channel></rss>`)
		return
	}
	http.NotFound(w, r)
}

func subscribe(p *ground.Place, publisher string) error {
	p.Header.Set("Authorization", "Basic cGV0cmE6UGFwZXItbGFudGVybi02") // petra and her password
	categories := map[string]int{}
	for _, f := range feeds {
		if categories[f.category] == 0 {
			var made struct{ ID int }
			if err := ask(p, "/v1/categories", map[string]any{"title": f.category}, &made); err != nil {
				return err
			}
			categories[f.category] = made.ID
		}
		wanted := map[string]any{"feed_url": publisher + "/" + f.name + ".xml", "category_id": categories[f.category]}
		if err := ask(p, "/v1/feeds", wanted, nil); err != nil {
			return err
		}
	}
	return nil
}

func ask(p *ground.Place, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	status, answer, err := p.Ask("POST", path, string(raw), "Content-Type", "application/json")
	if err == nil && status >= 400 {
		err = fmt.Errorf("%s: %d %.300s", path, status, strings.TrimSpace(answer))
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal([]byte(answer), into)
}
