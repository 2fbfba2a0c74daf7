// Package nzbget fetches files from newsgroups: a queue, menus that drop down and
// dialogs with many buttons.
package nzbget

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"

	"understudy/test/gym/ground"
)

const web = "/usr/share/nzbget/webui"

// Site has four downloads that wait for a server that is switched off.
var Site = ground.Site{
	Name: "nzbget", Kind: "queue", What: "NZBGet 21.0, web interface (Debian)", Licence: "GPL-2.0-or-later",
	Debian: []string{"nzbget"},
	Open:   open,
	Tasks: []ground.Task{
		{
			Name: "rename",
			Text: `There is a spelling mistake in the name of the download "Gardn films". It ought to be "Garden films".`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := queue(p)
				_, right := all["Garden films"]
				_, wrong := all["Gardn films"]
				return right && !wrong && len(all) == len(names), err
			},
		},
		{
			Name: "category",
			Text: `Put the download "Piano evenings" into the category Music.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := queue(p)
				return all["Piano evenings"] == "Music" && all["Old radio plays"] == "" && len(all) == len(names), err
			},
		},
		{
			Name: "delete",
			Text: `Remove "Wallpapers" from the queue; the other downloads stay.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := queue(p)
				_, there := all["Wallpapers"]
				return err == nil && !there && len(all) == len(names)-1, err
			},
		},
		{
			Name: "speed",
			Text: "Limit the download speed to 500 KB/s for the time being.",
			Done: func(p *ground.Place) (bool, error) {
				var now struct{ DownloadLimit int }
				err := rpc(p, &now, "status")
				return now.DownloadLimit == 500*1024 || now.DownloadLimit == 500*1000, err
			},
		},
	},
}

var names = []string{"Gardn films", "Old radio plays", "Piano evenings", "Wallpapers"}

func open(p *ground.Place) error {
	settings, err := os.ReadFile(web + "/nzbget.conf")
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"MainDir": p.Dir, "ControlIP": "127.0.0.1", "ControlPort": p.Port(), "ControlPassword": "", "Server1.Active": "no",
		"DiskSpace": "0", "UpdateCheck": "none", "OutputMode": "log"} {
		settings = regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+`=.*$`).ReplaceAllLiteral(settings, []byte(name+"="+value))
	}
	if err := ground.Write(p.Dir, map[string]string{"nzbget.conf": string(settings)}); err != nil {
		return err
	}
	if err := p.Serve(nil, "nzbget", "-c", p.Dir+"/nzbget.conf", "-s"); err != nil {
		return err
	}
	for i, name := range names {
		list := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><nzb xmlns="http://www.newzbin.com/DTD/2003/nzb">
<file poster="a@example.org" date="1706954400" subject="&quot;%s.bin&quot; yEnc (1/1)"><groups><group>alt.test</group></groups>
<segments><segment bytes="%d" number="1">part%d@example.org</segment></segments></file></nzb>`, name, 700_000+i*310_000, i)
		var id int
		err := rpc(p, &id, "append", name+".nzb", base64.StdEncoding.EncodeToString([]byte(list)), "", 0, false, false, "", 0, "SCORE")
		if err == nil && id <= 0 {
			err = fmt.Errorf("%s is not put into the queue", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// queue is what waits, with the category of each.
func queue(p *ground.Place) (map[string]string, error) {
	var list []struct{ NZBName, Category string }
	err := rpc(p, &list, "listgroups", 0)
	all := map[string]string{}
	for _, one := range list {
		all[one.NZBName] = one.Category
	}
	return all, err
}

func rpc(p *ground.Place, into any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return err
	}
	_, answer, err := p.Ask("POST", "/jsonrpc", string(body))
	if err != nil {
		return err
	}
	var said struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(answer), &said); err != nil {
		return fmt.Errorf("%s: %w: %.300s", method, err, answer)
	}
	return json.Unmarshal(said.Result, into)
}
