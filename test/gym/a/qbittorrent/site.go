// Package qbittorrent is a client for downloads with a table, a menu bar and
// windows within the page.
package qbittorrent

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"time"

	"understudy/test/gym/ground"
)

// Site has five downloads that nobody gives anything for.
var Site = ground.Site{
	Name: "qbittorrent", Kind: "downloads", What: "qBittorrent 4.5.2, web interface (Debian)", Licence: "GPL-2.0-or-later",
	Debian: []string{"qbittorrent-nox"},
	Open:   open,
	Tasks: []ground.Task{
		{
			Name: "pause",
			Text: `"Lectures on geology" can wait: pause this one download.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := downloads(p)
				for name, paused := range all {
					if paused != (name == "Lectures on geology") {
						return false, err
					}
				}
				return len(all) == len(names), err
			},
		},
		{
			Name: "delete",
			Text: `Nobody wants "Screensavers 1998" any more. Take it out of the list of downloads.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := downloads(p)
				_, there := all["Screensavers 1998"]
				return err == nil && !there && len(all) == len(names)-1, err
			},
		},
		{
			Name: "limit",
			Text: "Downloading must not use up the whole line: set the global limit for downloading to 750 KiB/s.",
			Done: func(p *ground.Place) (bool, error) {
				set, err := preferences(p)
				return set.Down == 750*1024 && set.Up == 0, err
			},
		},
		{
			Name: "start",
			Text: "Change the options so that a download which is added does not start automatically.",
			Done: func(p *ground.Place) (bool, error) {
				set, err := preferences(p)
				return set.Paused, err
			},
		},
	},
}

var names = []string{"Folk songs of the coast", "Lectures on geology", "Maps of the old town", "Screensavers 1998", "Sewing patterns"}

func open(p *ground.Place) error {
	port, err := p.FreePort()
	if err != nil {
		return err
	}
	err = ground.Write(p.Dir, map[string]string{"qBittorrent/config/qBittorrent.conf": `[LegalNotice]
Accepted=true
[BitTorrent]
Session\QueueingSystemEnabled=false
Session\DHTEnabled=false
Session\LSDEnabled=false
Session\PeXEnabled=false
Session\Port=` + port + `
Session\DefaultSavePath=` + p.Dir + `/files
[Network]
PortForwardingEnabled=false
[Preferences]
General\Locale=en
WebUI\Address=127.0.0.1
WebUI\UseUPnP=false
WebUI\LocalHostAuth=false
WebUI\CSRFProtection=false
WebUI\ClickjackingProtection=false
WebUI\HostHeaderValidation=false
`})
	if err != nil {
		return err
	}
	if err := p.Serve(nil, "qbittorrent-nox", "--profile="+p.Dir, "--webui-port="+p.Port()); err != nil {
		return err
	}
	for _, name := range names {
		if err := add(p, name); err != nil {
			return err
		}
	}
	for range 100 {
		if all, err := downloads(p); err != nil || len(all) == len(names) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the downloads are not there")
}

// add puts in a file of a single piece that nobody has.
func add(p *ground.Place, name string) error {
	piece := sha1.Sum([]byte(name))
	text := func(s string) string { return fmt.Sprintf("%d:%s", len(s), s) }
	torrent := "d" + text("info") + "d" + text("length") + fmt.Sprintf("i%de", 20000+len(name)*211) + text("name") + text(name) +
		text("piece length") + "i32768e" + text("pieces") + text(string(piece[:])) + "ee"
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("torrents", "one.torrent")
	if err != nil {
		return err
	}
	if _, err := file.Write([]byte(torrent)); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	status, answer, err := p.Ask("POST", "/api/v2/torrents/add", body.String(), "Content-Type", form.FormDataContentType())
	if err == nil && status >= 400 {
		err = fmt.Errorf("%s: %d %.300s", name, status, answer)
	}
	return err
}

// downloads are those in the list, and whether each is paused.
func downloads(p *ground.Place) (map[string]bool, error) {
	_, answer, err := p.Ask("GET", "/api/v2/torrents/info", "")
	if err != nil {
		return nil, err
	}
	var list []struct{ Name, State string }
	all := map[string]bool{}
	err = json.Unmarshal([]byte(answer), &list)
	for _, one := range list {
		all[one.Name] = one.State == "pausedDL"
	}
	return all, err
}

type settings struct {
	Down   int  `json:"dl_limit"`
	Up     int  `json:"up_limit"`
	Paused bool `json:"start_paused_enabled"`
}

func preferences(p *ground.Place) (set settings, err error) {
	_, answer, err := p.Ask("GET", "/api/v2/app/preferences", "")
	if err != nil {
		return set, err
	}
	return set, json.Unmarshal([]byte(answer), &set)
}
