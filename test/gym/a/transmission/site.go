// Package transmission is a list of downloads with a tool bar, a panel of details
// and preferences.
package transmission

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"understudy/test/gym/ground"
)

// Site is a download manager with five downloads that stand still.
var Site = ground.Site{
	Name: "transmission", Kind: "settings", What: "Transmission 3.00, web interface (Debian)", Licence: "GPL-2.0-or-later",
	Debian: []string{"transmission-daemon"},
	Open: func(p *ground.Place) error {
		port, err := p.FreePort()
		if err != nil {
			return err
		}
		settings := fmt.Sprintf(`{"rpc-enabled":true,"rpc-bind-address":"127.0.0.1","rpc-port":%s,"rpc-whitelist-enabled":false,"rpc-host-whitelist-enabled":false,
"download-dir":%q,"peer-port":%s,"dht-enabled":false,"lpd-enabled":false,"utp-enabled":false,"pex-enabled":false,"port-forwarding-enabled":false,
"speed-limit-down":100,"speed-limit-down-enabled":false,"bind-address-ipv4":"127.0.0.1"}`, p.Port(), p.Dir+"/files", port)
		if err := ground.Write(p.Dir, map[string]string{"settings.json": settings}); err != nil {
			return err
		}
		if err := p.Serve(nil, "transmission-daemon", "-f", "-g", p.Dir); err != nil {
			return err
		}
		for _, d := range downloads {
			if err := rpc(p, "torrent-add", map[string]any{"metainfo": base64.StdEncoding.EncodeToString(torrent(d)), "paused": true}, nil); err != nil {
				return err
			}
		}
		return nil
	},
	Tasks: []ground.Task{
		{
			Name: "limit", At: "transmission/web/",
			Text: "Downloads should be no faster than 500 kB/s. Set that in the preferences.",
			Done: func(p *ground.Place) (bool, error) {
				var s struct {
					Down    int  `json:"speed-limit-down"`
					Enabled bool `json:"speed-limit-down-enabled"`
				}
				err := rpc(p, "session-get", nil, &s)
				return s.Enabled && s.Down == 500, err
			},
		},
		{
			Name: "remove", At: "transmission/web/",
			Text: `Take the download "City maps" off the list.`,
			Done: func(p *ground.Place) (bool, error) {
				names, err := names(p)
				return err == nil && !strings.Contains(names, "City maps") && len(strings.Split(names, "\n")) == len(downloads)-1, err
			},
		},
		{
			Name: "rename", At: "transmission/web/",
			Text: `Rename the download "Holiday pictures" to "Norway 2024".`,
			Done: func(p *ground.Place) (bool, error) {
				names, err := names(p)
				return strings.Contains(names, "Norway 2024") && !strings.Contains(names, "Holiday pictures"), err
			},
		},
		{
			Name: "comment", At: "transmission/web/",
			Text: `Find out which comment its maker gave to the download "Choir recordings".`,
			Seen: &ground.Sight{Selector: "#inspector-info-comment", Text: "Concert in the town hall"},
		},
	},
}

type download struct{ name, comment string }

var downloads = []download{
	{"Astronomy lectures", "Autumn term"},
	{"Choir recordings", "Concert in the town hall"},
	{"City maps", "Scanned from paper"},
	{"Holiday pictures", "Two weeks by train"},
	{"Old newspapers", "1920 to 1939"},
}

// torrent is a file of that format with a single piece that nobody has.
func torrent(d download) []byte {
	piece := sha1.Sum([]byte(d.name))
	text := func(s string) string { return fmt.Sprintf("%d:%s", len(s), s) }
	info := "d" + text("length") + fmt.Sprintf("i%de", 1<<14+len(d.name)*300) + text("name") + text(d.name) +
		text("piece length") + "i32768e" + text("pieces") + text(string(piece[:])) + "e"
	return []byte("d" + text("comment") + text(d.comment) + text("created by") + text("mktorrent") + text("info") + info + "e")
}

func names(p *ground.Place) (string, error) {
	var all struct{ Torrents []struct{ Name string } }
	err := rpc(p, "torrent-get", map[string]any{"fields": []string{"name"}}, &all)
	var names []string
	for _, t := range all.Torrents {
		names = append(names, t.Name)
	}
	return strings.Join(names, "\n"), err
}

// rpc calls the daemon, which answers the first call of a client with the token
// that it wants to be sent.
func rpc(p *ground.Place, method string, arguments, into any) error {
	body, err := json.Marshal(map[string]any{"method": method, "arguments": arguments})
	if err != nil {
		return err
	}
	_, answer, err := p.Ask("POST", "/transmission/rpc", string(body))
	if _, rest, ok := strings.Cut(answer, "X-Transmission-Session-Id: "); ok {
		token, _, _ := strings.Cut(rest, "<")
		_, answer, err = p.Ask("POST", "/transmission/rpc", string(body), "X-Transmission-Session-Id", token)
	}
	if err != nil {
		return err
	}
	var said struct {
		Result    string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil || said.Result != "success" {
		return fmt.Errorf("%s: %w: %.300s", method, err, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(said.Arguments, into)
}
