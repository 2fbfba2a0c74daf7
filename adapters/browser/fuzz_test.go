package browser

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"understudy/domain/walk"
)

// FuzzLook reads any text as the answer that a page's observer gives; a secret is in
// nothing that is told of it.
func FuzzLook(f *testing.F) {
	const secret = "hunterpass"
	for _, seed := range []string{
		`{"url":"https://e.x/hunterpass","title":"t","elements":[{"ref":1,"name":"n","value":"hunterpass","options":["a","HUNTERPASS"],"holds":[{"name":"x"}],"pattern":"hunterpass","min":"hunterpass","max":"hunterpass","accept":"hunterpass","autocomplete":"hunterpass"}],"lang":"hunterpass","missing":["hunterpass.e.x"]}`,
		`{"texts":[{"text":"a hunterpass b","head":""}],"regions":[{"heading":"h"}],"limits":[{"name":"l"}]}`, `{"elements":null}`, `{"elements":[null,{}]}`,
		`{"width":1e400}`, `[]`, `{"elements":[{"box":{"x":-1}}]}`, `{"a":`, "{\"title\":\"\xff\"}",
	} {
		f.Add(seed)
	}
	s := &Session{}
	s.keep(secret)
	f.Fuzz(func(t *testing.T, text string) {
		var page walk.Page
		if json.Unmarshal([]byte(text), &page) != nil {
			return
		}
		s.strikePage(&page)
		// These are our own words, whatever a page says, or the test's.
		page.SelectorsVisible, page.Violations = nil, nil
		for i := range page.Elements {
			e := &page.Elements[i]
			e.Ref, e.Role, e.NameSource, e.InputType, e.Expanded, e.Popup, e.Colours = "", "", "", "", "", "", ""
		}
		for i := range page.Texts {
			page.Texts[i].Kind = ""
		}
		for i := range page.Regions {
			page.Regions[i].Kind = ""
		}
		for i := range page.Limits {
			page.Limits[i].Kind = ""
		}
		told, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(told), secret) {
			t.Errorf("%s tells %s", text, told)
		}
	})
}

// FuzzValues reads any request that a page sends.
func FuzzValues(f *testing.F) {
	f.Add("https://e.x/a/b?c=d&e=%zz", "application/json", []byte(`{"a":[1e999,"b",{"c":null}]}`))
	f.Add("::", "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=a\r\n\r\nv\r\n--x--"))
	f.Add("", "application/x-www-form-urlencoded", []byte("a=b&c=%&&=;"))
	f.Add("/", "text/plain; a=\"", []byte("[[[[\xff"))
	f.Add("/", "multipart/form-data", []byte("--\r\n\r\n"))
	f.Fuzz(func(t *testing.T, address, kind string, body []byte) {
		all := values(address, kind, body)
		if len(all) > maxValues {
			t.Errorf("%d values", len(all))
		}
		for _, v := range all {
			if v == "" || len(v) > len(address)+3*min(len(body), maxBody)+utf8.UTFMax {
				t.Errorf("%d bytes of %d and %d", len(v), len(address), len(body))
			}
		}
	})
}
