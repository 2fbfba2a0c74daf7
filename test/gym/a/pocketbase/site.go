// Package pocketbase is the back office of a database: tables, panels with a
// record, dialogs.
package pocketbase

import (
	"encoding/json"
	"fmt"

	"understudy/test/gym/ground"
)

var program = ground.Program{
	Name: "pocketbase", Module: "github.com/pocketbase/pocketbase", Version: "v0.36.8",
	Main: `package main

import (
	"log"

	"github.com/pocketbase/pocketbase"
)

func main() {
	if err := pocketbase.New().Start(); err != nil {
		log.Fatal(err)
	}
}
`,
}

const mail, password = "owner@example.com", "Copper-kettle-7"

const login = "Log in as " + mail + " with the password " + password

// Site is the back office of a small school of music.
var Site = ground.Site{
	Name: "pocketbase", Kind: "admin", What: "PocketBase 0.36.8, its dashboard (Go)", Licence: "MIT",
	Go: []ground.Program{program},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("pocketbase-0.36.8-1", prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "create", At: "_/",
			Text: login + ` and add a pupil named Ines Calder from Hull to the collection "pupils".`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := pupils(p)
				return all["Ines Calder"] == "Hull" && len(all) == len(seed)+1, err
			},
		},
		{
			Name: "change", At: "_/",
			Text: login + `. The pupil Rosa Lind has moved to Whitby: change her city.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := pupils(p)
				return all["Rosa Lind"] == "Whitby" && len(all) == len(seed), err
			},
		},
		{
			Name: "delete", At: "_/",
			Text: login + ` and delete the pupil named Test Person.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := pupils(p)
				return all["Test Person"] == "" && len(all) == len(seed)-1, err
			},
		},
	},
}

var seed = map[string]string{"Rosa Lind": "Leeds", "Karim Aziz": "York", "Test Person": "Nowhere", "Olga Petri": "Hull", "Ben Marsh": "Ripon", "Sue Fenn": "Selby"}

func serve(p *ground.Place) error {
	return p.Serve(nil, program.Binary(), "serve", "--http="+p.Address, "--dir="+p.Dir+"/data")
}

func prepare(p *ground.Place) error {
	if _, err := p.Run(nil, program.Binary(), "superuser", "upsert", mail, password, "--dir="+p.Dir+"/data"); err != nil {
		return err
	}
	if err := serve(p); err != nil {
		return err
	}
	text := func(name string) map[string]any { return map[string]any{"name": name, "type": "text"} }
	open := ""
	for name, fields := range map[string][]string{"pupils": {"name", "city"}, "rooms": {"name", "floor"}, "lessons": {"title", "day"}} {
		collection := map[string]any{"name": name, "type": "base", "listRule": open, "fields": []any{text(fields[0]), text(fields[1])}}
		if err := ask(p, "POST", "/api/collections", collection, nil); err != nil {
			return err
		}
	}
	for name, city := range seed {
		if err := ask(p, "POST", "/api/collections/pupils/records", map[string]any{"name": name, "city": city}, nil); err != nil {
			return err
		}
	}
	return nil
}

func pupils(p *ground.Place) (map[string]string, error) {
	var found struct{ Items []struct{ Name, City string } }
	err := ask(p, "GET", "/api/collections/pupils/records?perPage=200", nil, &found)
	all := map[string]string{}
	for _, r := range found.Items {
		all[r.Name] = r.City
	}
	return all, err
}

// ask calls the interface as the owner.
func ask(p *ground.Place, method, path string, body, into any) error {
	call := func(method, path, token string, body, into any) error {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		status, answer, err := p.Ask(method, path, string(raw), "Content-Type", "application/json", "Authorization", token)
		if err == nil && status >= 400 {
			err = fmt.Errorf("%s %s: %d %.500s", method, path, status, answer)
		}
		if err != nil || into == nil {
			return err
		}
		return json.Unmarshal([]byte(answer), into)
	}
	var owner struct{ Token string }
	if err := call("POST", "/api/collections/_superusers/auth-with-password", "", map[string]string{"identity": mail, "password": password}, &owner); err != nil {
		return err
	}
	return call(method, path, owner.Token, body, into)
}
