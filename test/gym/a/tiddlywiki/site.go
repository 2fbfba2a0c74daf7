// Package tiddlywiki is a notebook that keeps its notes as files of a server.
package tiddlywiki

import (
	"path/filepath"
	"strings"

	"understudy/test/gym/ground"
)

const spec = "tiddlywiki@5.4.1"

// Site is a hiker's notebook.
var Site = ground.Site{
	Name: "tiddlywiki", Kind: "notes", What: "TiddlyWiki 5.4.1, server edition (npm)", Licence: "BSD-3-Clause",
	NPM: []string{spec},
	Open: func(p *ground.Place) error {
		if err := ground.Write(p.Dir, files()); err != nil {
			return err
		}
		program := filepath.Join(ground.Package(spec), "tiddlywiki.js")
		return p.Serve(nil, "node", program, p.Dir, "--listen", "host=127.0.0.1", "port="+p.Port(), "username=robin")
	},
	Tasks: []ground.Task{
		{
			Name: "create",
			Text: `Write a new note with the title "Packing list" and the text "Tent, stove and rope", and keep it.`,
			Done: func(p *ground.Place) (bool, error) {
				note := p.File("tiddlers/Packing list.tid")
				return strings.Contains(note, "Tent, stove and rope") && !strings.Contains(note, "draft.of"), nil
			},
		},
		{
			Name: "delete",
			Text: `The note "Winter tyres" is no longer needed. Delete it.`,
			Done: func(p *ground.Place) (bool, error) { return p.File("tiddlers/Winter tyres.tid") == "", nil },
		},
		{
			Name: "find",
			Text: "Find out who keeps the key of the mountain hut.",
			Seen: &ground.Sight{Selector: ".tc-tiddler-body p", Text: "Lena Moser keeps the key"},
		},
		{
			Name: "change",
			Text: `In the note "Train times" change the departure from 7:12 to 7:40.`,
			Done: func(p *ground.Place) (bool, error) {
				note := p.File("tiddlers/Train times.tid")
				return strings.Contains(note, "7:40") && !strings.Contains(note, "7:12"), nil
			},
		},
	},
}

func files() map[string]string {
	out := map[string]string{
		"tiddlywiki.info": `{"description":"Notes","plugins":["tiddlywiki/tiddlyweb","tiddlywiki/filesystem"],"themes":["tiddlywiki/vanilla","tiddlywiki/snowwhite"]}`,
	}
	for title, text := range map[string]string{
		"$__SiteTitle":       "Robin's notebook",
		"$__SiteSubtitle":    "hikes, huts and everything else",
		"$__DefaultTiddlers": "Welcome",
		"Welcome":            "These are my notes on hiking. Newest on the right under //Recent//.",
		"Mountain hut":       "The hut lies at 2,140 m, two hours above the village. It has sixteen beds.\n\nLena Moser keeps the key; she lives beside the church. Please give her a call on the day before.",
		"Train times":        "The first train leaves at 7:12 from platform 3. The way back: every hour until 21:04.",
		"Winter tyres":       "Change them at the end of October. The old ones are in the cellar.",
		"Maps":               "Sheet 1251 covers the valley and both passes.",
		"First aid":          "Plasters, bandage, blanket. Replace what was used.",
		"Bread recipe":       "500 g flour, 350 g water, 10 g salt, some yeast. Bake at 230 degrees.",
	} {
		name := strings.Replace(title, "$__", "$:/", 1)
		out["tiddlers/"+title+".tid"] = "created: 20240301080000000\nmodified: 20240301080000000\ntitle: " + name + "\ntype: text/vnd.tiddlywiki\n\n" + text
	}
	return out
}
