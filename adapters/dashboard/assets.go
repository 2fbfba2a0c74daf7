package dashboard

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// assetFiles are the scripts, styleFiles the style in the order of their names.
var (
	//go:embed assets/*.js
	assetFiles embed.FS
	//go:embed style/*.css
	styleFiles embed.FS
	// icon is what browsers show beside the name of every page of this host.
	//go:embed assets/icon.svg
	icon []byte
)

// asset is a file that pages load, under an address that changes with it.
type asset struct {
	path, kind string
	body       []byte
}

// styleName is the style of the dashboard's pages, baseName that of what is around all,
// lookName that of all of the product.
const styleName, baseName, lookName = "style.css", "base.css", "look.css"

// assetsWith are all assets by their names, with the styles of other pages of the product.
func assetsWith(styles fs.FS) map[string]asset {
	all := map[string]asset{}
	add := func(kind string) func(string, []byte) {
		return func(name string, body []byte) { all[name] = newAsset(name, kind+"; charset=utf-8", body) }
	}
	css := add("text/css")
	walk(styles, css)
	style := slices.Clone(all[lookName].body)
	walk(styleFiles, func(name string, body []byte) {
		style = append(append(style, '\n'), body...)
		if name == baseName {
			css(name, body)
		}
	})
	css(styleName, style)
	walk(assetFiles, add("text/javascript"))
	return all
}

func newAsset(name, kind string, body []byte) asset {
	sum := sha256.Sum256(body)
	return asset{"/assets/" + hex.EncodeToString(sum[:8]) + "/" + name, kind, body}
}

func walk(files fs.FS, fn func(name string, body []byte)) {
	err := fs.WalkDir(files, ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, at)
		fn(path.Base(at), body)
		return err
	})
	if err != nil {
		panic("dashboard: an embedded file: " + err.Error())
	}
}

// compress is around all answers. Their length varies at random, so that it tells
// nobody what stands beside what they have a page repeat (BREACH).
var compress = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.RandomJitter(32, 0, false))
	if err != nil {
		panic("dashboard: " + err.Error())
	}
	return wrap
}()

// serveAssets lets a mux serve the assets, which browsers keep for good, and the icon.
func (d *Dashboard) serveAssets(mux *http.ServeMux) {
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Cache-Control", "public, max-age=86400")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(icon)
	})
	for _, a := range d.assets {
		mux.Handle("GET "+a.path, compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("Content-Type", a.kind)
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			h.Set("X-Content-Type-Options", "nosniff")
			_, _ = w.Write(a.body)
		})))
	}
}

// origins joins what a directive of a Content-Security-Policy allows beside this host.
func origins(of ...string) string { return strings.Join(append([]string{"'self'"}, of...), " ") }
