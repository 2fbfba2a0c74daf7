// Package syncthing keeps folders the same on several machines: panels that
// open, dialogs with tabs.
package syncthing

import (
	"encoding/json"
	"fmt"
	"strings"

	"understudy/test/gym/ground"
)

const key = "gym-gym-gym-gym-gym-gym-gym-gym"

// Site is a machine with four folders that nobody else shares yet.
var Site = ground.Site{
	Name: "syncthing", Kind: "settings", What: "Syncthing 1.19.2 (Debian)", Licence: "MPL-2.0",
	Debian: []string{"syncthing"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("syncthing-1", prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "rename",
			Text: `Change the label of the folder "Photos" to "Family photos".`,
			Done: func(p *ground.Place) (bool, error) {
				f, err := folders(p)
				return f["photos"].Label == "Family photos", err
			},
		},
		{
			Name: "pause",
			Text: `The folder "Music" should not be kept in step for now. Pause it.`,
			Done: func(p *ground.Place) (bool, error) {
				f, err := folders(p)
				return f["music"].Paused && !f["photos"].Paused && !f["taxes"].Paused, err
			},
		},
		{
			Name: "remove",
			Text: `Remove the folder "Old scans" from this machine's list.`,
			Done: func(p *ground.Place) (bool, error) {
				f, err := folders(p)
				_, there := f["scans"]
				return err == nil && !there && len(f) == 3, err
			},
		},
		{
			Name: "limit",
			Text: "This machine should send no more than 200 KiB per second. Change that in the settings.",
			Done: func(p *ground.Place) (bool, error) {
				var o struct{ MaxSendKbps int }
				err := ask(p, "GET", "/rest/config/options", nil, &o)
				return o.MaxSendKbps == 200, err
			},
		},
	},
}

type folder struct {
	ID, Label, Path string
	Paused          bool
}

func folders(p *ground.Place) (map[string]folder, error) {
	var all []folder
	err := ask(p, "GET", "/rest/config/folders", nil, &all)
	by := map[string]folder{}
	for _, f := range all {
		by[f.ID] = f
	}
	return by, err
}

func serve(p *ground.Place) error {
	return p.Serve([]string{"STNODEFAULTFOLDER=1"}, "syncthing", "serve", "--home="+p.Dir+"/home", "--no-browser", "--no-restart", "--no-upgrade",
		"--gui-address="+p.Address, "--gui-apikey="+key)
}

func prepare(p *ground.Place) error {
	if err := serve(p); err != nil {
		return err
	}
	options := map[string]any{"globalAnnounceEnabled": false, "localAnnounceEnabled": false, "relaysEnabled": false, "natEnabled": false, "urAccepted": -1, "urSeen": 3,
		"crashReportingEnabled": false, "startBrowser": false, "autoUpgradeIntervalH": 0, "listenAddresses": []string{"tcp://127.0.0.1:0"}, "unackedNotificationIDs": []string{}}
	if err := ask(p, "PATCH", "/rest/config/options", options, nil); err != nil {
		return err
	}
	for id, label := range map[string]string{"photos": "Photos", "music": "Music", "taxes": "Taxes", "scans": "Old scans"} {
		if err := ask(p, "POST", "/rest/config/folders", map[string]any{"id": id, "label": label, "path": "~/" + id, "fsWatcherEnabled": false}, nil); err != nil {
			return err
		}
	}
	// Somebody who has not set a password is asked to at every visit.
	return ask(p, "PATCH", "/rest/config/gui", map[string]any{"insecureAdminAccess": true, "theme": "light"}, nil)
}

func ask(p *ground.Place, method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	status, answer, err := p.Ask(method, path, strings.TrimPrefix(string(raw), "null"), "X-API-Key", key)
	if err == nil && status >= 400 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, answer)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal([]byte(answer), into)
}
