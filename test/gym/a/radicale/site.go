// Package radicale is a server of calendars and address books with pages to
// keep them in order.
package radicale

import (
	"encoding/json"
	"os"
	"path/filepath"

	"understudy/test/gym/ground"
)

// Site has two calendars and two address books of Alex.
var Site = ground.Site{
	Name: "radicale", Kind: "calendar", What: "Radicale 3.1.8, web interface (Debian)", Licence: "GPL-3.0-or-later",
	Debian: []string{"radicale"},
	Open: func(p *ground.Place) error {
		files := map[string]string{
			"config": "[server]\nhosts = " + p.Address + "\n[auth]\ntype = htpasswd\nhtpasswd_filename = " + p.Dir + "/users\nhtpasswd_encryption = plain\ndelay = 0\n" +
				"[storage]\nfilesystem_folder = " + p.Dir + "/store\n",
			"users": "alex:Sunrise-5\n",
		}
		for name, props := range map[string]string{
			"work":    `{"tag":"VCALENDAR","D:displayname":"Work","C:calendar-description":"Meetings and trips","ICAL:calendar-color":"#3a6ea5ff"}`,
			"family":  `{"tag":"VCALENDAR","D:displayname":"Family","C:calendar-description":"Birthdays and holidays","ICAL:calendar-color":"#b5483aff"}`,
			"friends": `{"tag":"VADDRESSBOOK","D:displayname":"Friends","CR:addressbook-description":"Everybody we write to"}`,
			"clients": `{"tag":"VADDRESSBOOK","D:displayname":"Old clients","CR:addressbook-description":"Until 2015"}`,
		} {
			files["store/collection-root/alex/"+name+"/.Radicale.props"] = props
		}
		if err := ground.Write(p.Dir, files); err != nil {
			return err
		}
		return p.Serve(nil, "radicale", "--config", p.Dir+"/config")
	},
	Tasks: []ground.Task{
		{
			Name: "create",
			Text: `Log in as alex with the password Sunrise-5 and create a new calendar with the title "Choir".`,
			Done: func(p *ground.Place) (bool, error) {
				all := collections(p)
				return all["Choir"] == "VCALENDAR" && len(all) == 5, nil
			},
		},
		{
			Name: "rename",
			Text: `Log in as alex with the password Sunrise-5 and change the title of the calendar "Work" to "Office".`,
			Done: func(p *ground.Place) (bool, error) {
				all := collections(p)
				return all["Office"] == "VCALENDAR" && all["Work"] == "" && len(all) == 4, nil
			},
		},
		{
			Name: "delete",
			Text: `Log in as alex with the password Sunrise-5 and delete the address book "Old clients".`,
			Done: func(p *ground.Place) (bool, error) {
				all := collections(p)
				return all["Old clients"] == "" && len(all) == 3, nil
			},
		},
	},
}

// collections are the kinds of Alex's, by title.
func collections(p *ground.Place) map[string]string {
	all := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(p.Dir, "store/collection-root/alex/*/.Radicale.props"))
	for _, path := range paths {
		var props struct {
			Tag  string `json:"tag"`
			Name string `json:"D:displayname"`
		}
		if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &props) == nil {
			all[props.Name] = props.Tag
		}
	}
	return all
}
