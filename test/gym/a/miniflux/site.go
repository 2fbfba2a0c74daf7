// Package miniflux is a reader of feeds.
package miniflux

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"understudy/test/gym/ground"
)

var program = ground.Program{Name: "miniflux", Module: "miniflux.app/v2", Version: "v2.3.5"}

const (
	password = "Paper-lantern-6"
	login    = "Log in as petra with the password " + password
)

// Site has five feeds of Petra's in three categories.
var Site = ground.Site{
	Name: "miniflux", Kind: "feeds", What: "Miniflux 2.3.5 (Go), with PostgreSQL (Debian)", Licence: "Apache-2.0",
	Debian: []string{"postgresql"},
	Go:     []ground.Program{program},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("miniflux-2.3.5-1", prepare); err != nil {
			return err
		}
		if err := database(p); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "star",
			Text: login + ` and star the article "Why bread dough needs a night".`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, "SELECT string_agg(title, '|') FROM entries WHERE starred", "Why bread dough needs a night")
			},
		},
		{
			Name: "category",
			Text: login + ` and make a new category called "Cycling".`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, "SELECT count(*) FROM categories WHERE lower(title)='cycling'", "1")
			},
		},
		{
			Name: "move",
			Text: login + `. The feed "Harbour Town Gazette" should be in the category News. Move it there.`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, "SELECT c.title FROM feeds f JOIN categories c ON c.id=f.category_id WHERE f.title='Harbour Town Gazette'", "News")
			},
		},
		{
			Name: "unsubscribe",
			Text: login + `. You no longer want to read "Gadgets Daily". Remove this feed.`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, "SELECT count(*), count(*) FILTER (WHERE title='Gadgets Daily') FROM feeds", "4|0")
			},
		},
		{
			Name: "theme",
			Text: login + ` and change your settings so that the pages are dark.`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, "SELECT left(theme, 4) FROM users", "dark")
			},
		},
	},
}

// is tells whether the database answers so.
func is(p *ground.Place, question, answer string) (bool, error) {
	said, err := sql(p, "miniflux", question)
	return strings.TrimSpace(said) == answer, err
}

func sql(p *ground.Place, name, text string) (string, error) {
	return p.Run(nil, "psql", "-h", p.Dir+"/run", "-U", "postgres", "-d", name, "-v", "ON_ERROR_STOP=1", "-Atqc", text)
}

// asPostgres is how a program is run that refuses to be run by root; it ends
// with the gym.
var asPostgres = []string{"--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=INT"}

func postgres(program string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if err != nil || len(found) == 0 {
		return "", errors.Join(errors.New("there is no PostgreSQL"), err)
	}
	return found[len(found)-1], nil
}

// database starts the visitor's own from the files in its folder.
func database(p *ground.Place) error {
	program, err := postgres("postgres")
	if err != nil {
		return err
	}
	if _, err := p.Run(nil, "sh", "-c", "chmod 711 . && chown -R postgres data && chmod -R go= data && mkdir -p run && chmod 777 run"); err != nil {
		return err
	}
	settings := []string{"-D", p.Dir + "/data", "-k", p.Dir + "/run", "-h", "", "-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=20",
		"-c", "autovacuum=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0"}
	if _, err := p.Start(nil, "setpriv", slices.Concat(asPostgres, []string{program}, settings)...); err != nil {
		return err
	}
	_, err = p.Run(nil, "sh", "-c", `for i in $(seq 250); do pg_isready -q -h "$0" && exit; sleep 0.02; done; exit 1`, p.Dir+"/run")
	return err
}

func serve(p *ground.Place) error {
	return p.Serve(environment(p), program.Binary())
}

func environment(p *ground.Place) []string {
	return []string{"DATABASE_URL=host=" + p.Dir + "/run user=postgres dbname=miniflux sslmode=disable", "LISTEN_ADDR=" + p.Address, "BASE_URL=" + p.Origin,
		"DISABLE_SCHEDULER_SERVICE=1", "FETCHER_ALLOW_PRIVATE_NETWORKS=1", "WORKER_POOL_SIZE=1", "DATABASE_MAX_CONNS=5", "DATABASE_MIN_CONNS=1"}
}
