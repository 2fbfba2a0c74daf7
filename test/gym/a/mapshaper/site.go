// Package mapshaper edits maps in the browser: what is drawn cannot be read, the
// panels around it can.
package mapshaper

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path/filepath"

	"understudy/test/gym/ground"
)

const spec = "mapshaper@0.7.70"

// Site has a map of five valleys with a hut in each.
var Site = ground.Site{
	Name: "mapshaper", Kind: "map", What: "Mapshaper 0.7.70 (npm)", Licence: "MPL-2.0", Static: true,
	NPM: []string{spec},
	Open: func(p *ground.Place) error {
		files := http.FileServer(http.Dir(filepath.Join(ground.Package(spec), "www")))
		mux := http.NewServeMux()
		mux.Handle("/", files)
		give := func(path, kind, text string) {
			mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				_, _ = w.Write([]byte(text)) // to a proxy beside it
			})
		}
		give("/manifest.js", "text/javascript", `mapshaper.manifest = {"files":["valleys.geojson","huts.geojson"],"quick_view":true};`)
		for _, name := range []string{"valleys", "huts"} {
			drawn, err := layer(name)
			if err != nil {
				return err
			}
			give("/data/"+name+".geojson", "application/json", drawn)
		}
		p.Handler = mux
		return nil
	},
	Tasks: []ground.Task{
		{
			Name: "rename",
			Text: `Rename the layer "huts" to "shelters".`,
			Seen: layersAre("shelters", "valleys"),
		},
		{
			Name: "delete",
			Text: `Delete the layer "valleys" from the map.`,
			Seen: layersAre("huts"),
		},
		{
			Name:  "north",
			Text:  "Look at the map and find out which hut lies furthest to the north.",
			Limit: "map",
		},
	},
}

// layersAre is met when the list has these layers, none of them still being typed.
func layersAre(names ...string) *ground.Sight {
	wanted, _ := json.Marshal(names) // texts
	return &ground.Sight{Script: fmt.Sprintf(`(() => {
		const wanted = %s, all = [...document.querySelectorAll('.layer-list .layer-name')];
		return all.length == wanted.length && !all.includes(document.activeElement) && wanted.every(n => all.some(e => e.textContent.trim().toLowerCase() == n));
	})()`, wanted)}
}

var spots = []struct {
	valley, hut  string
	x, y, dx, dy float64
}{
	{"Green valley", "Alder hut", 7.1, 46.2, .1, .05},
	{"Long valley", "Birch hut", 7.6, 46.5, .02, -.02},
	{"Mill valley", "Cedar hut", 8.1, 46.3, .02, .03},
	{"Stone valley", "Dogwood hut", 7.4, 46.9, .01, .05},
	{"Lake valley", "Elm hut", 8.0, 46.8, .02, -.05},
}

func layer(name string) (string, error) {
	var features []any
	for _, s := range spots {
		shape, title := map[string]any{"type": "Point", "coordinates": []float64{s.x + s.dx, s.y + s.dy}}, s.hut
		if name == "valleys" {
			var ring [][]float64
			for i := range 13 {
				at := 2 * math.Pi * float64(i%12) / 12
				ring = append(ring, []float64{s.x + .2*math.Cos(at), s.y + .2*math.Sin(at)})
			}
			shape, title = map[string]any{"type": "Polygon", "coordinates": [][][]float64{ring}}, s.valley
		}
		features = append(features, map[string]any{"type": "Feature", "properties": map[string]string{"name": title}, "geometry": shape})
	}
	text, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
	return string(text), err
}
