package sites

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// views are a page with a fault beside the page without it, and the fault's
// elements on it.
type views struct {
	f             Fault
	clean, faulty *goquery.Document
	el            *goquery.Selection
	source        string
}

func parse(t *testing.T, page string) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// words is the text of a selection with single spaces.
func words(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

var inkOf = regexp.MustCompile(`(?:^|;)color:(#[0-9a-f]{6})`)

// shows tells what is missing of a kind on its page, "" when all is there. Kinds
// that only show when something is sent are in other tests.
var shows = map[string]func(v views) string{
	"low_contrast": func(v views) string {
		m := inkOf.FindStringSubmatch(v.el.AttrOr("style", ""))
		if m == nil {
			return "no colour"
		}
		ink, _ := parseColour(m[1])
		back := white
		if v.f.Background != "" {
			back, _ = parseColour(v.f.Background)
		}
		if ratio := contrast(ink, back); math.Abs(ratio-1.6) > 0.05 {
			return fmt.Sprintf("contrast %.2f", ratio)
		}
		return ""
	},
	"small_target": func(v views) string {
		if !strings.Contains(v.el.AttrOr("style", ""), "width:12px") || v.el.AttrOr("aria-label", "") == "" {
			return v.el.AttrOr("style", "no style")
		}
		return ""
	},
	"vague_label": func(v views) string {
		if text := words(v.el.First()); text == "" || strings.Contains(words(v.clean.Find(v.f.Selector)), text) || v.el.AttrOr("aria-label", "") != "" {
			return "called " + text
		}
		return ""
	},
	"icon_only": func(v views) string {
		if words(v.el)+v.el.AttrOr("aria-label", "")+v.el.AttrOr("title", "") != "" || v.el.Find("svg").Length() == 0 {
			return "it has a name"
		}
		return ""
	},
	"competing_labels": func(v views) string {
		places := map[string]map[string]bool{}
		most := 0
		v.el.Each(func(_ int, e *goquery.Selection) {
			if places[words(e)] == nil {
				places[words(e)] = map[string]bool{}
			}
			places[words(e)][e.AttrOr("href", "")] = true
			most = max(most, len(places[words(e)]))
		})
		if most != 3 {
			return fmt.Sprintf("%d places by one name", most)
		}
		return ""
	},
	"below_the_fold": func(v views) string {
		if v.el.Length() != 1 || !strings.Contains(v.source[:strings.Index(v.source, v.f.mark())], "height:200vh") {
			return "no filler before it"
		}
		return ""
	},
	"hidden_in_menu": func(v views) string {
		if d := v.el.Closest("details"); v.el.Length() != 1 || d.Length() != 1 || d.Find("summary").Find(v.f.marked()).Length() > 0 || words(d.Find("summary")) != "More" {
			return "not in a menu"
		}
		return ""
	},
	"covered": func(v views) string {
		if v.faulty.Find(v.f.marked()+`[style*="position:absolute"]`).Length() == 0 {
			return "nothing over it"
		}
		return ""
	},
	"interruption": func(v views) string {
		if v.faulty.Find("#join [role=dialog] button").Length() != 2 {
			return "no dialog"
		}
		return ""
	},
	"dead_control": func(v views) string {
		if v.el.AttrOr("href", "")+v.el.AttrOr("type", "") != map[bool]string{true: "javascript:void(0)", false: "button"}[v.el.Is("a")] || words(v.el) != words(v.clean.Find(v.f.Selector)) {
			return "it still does something, or looks different"
		}
		return ""
	},
	"script_error": func(v views) string {
		if !strings.Contains(v.source, "window.app.") || v.el.AttrOr("type", "button") != "button" {
			return "no failing script"
		}
		return ""
	},
	"broken_link": func(v views) string {
		if !strings.HasPrefix(v.el.AttrOr("href", ""), "/pages/") {
			return v.el.AttrOr("href", "no link")
		}
		return ""
	},
	"unlabelled_field": func(v views) string {
		id := v.el.AttrOr("id", "")
		if v.faulty.Find(`label[for="`+id+`"]`).Length()+v.el.Closest("label").Length() > 0 || v.el.AttrOr("placeholder", "")+v.el.AttrOr("aria-label", "")+v.el.AttrOr("autocomplete", "") != "" {
			return "it is labelled"
		}
		return ""
	},
	"disabled_submit": func(v views) string {
		if _, ok := v.el.Attr("disabled"); !ok {
			return "it can be pressed"
		}
		return ""
	},
	"wall_of_text": func(v views) string {
		long := 0
		v.faulty.Find("main p").Each(func(_ int, p *goquery.Selection) { long = max(long, len(strings.Fields(p.Text()))) })
		if told := spoken(v.clean.Find(v.f.Selector)); long < 450 || !strings.Contains(words(v.faulty.Find("main p")), told) {
			return fmt.Sprintf("%d words, or what is looked for is gone", long)
		}
		return ""
	},
	"jargon": func(v views) string {
		if v.f.Selector != "" && words(v.clean.Find(v.f.Selector)) != words(v.faulty.Find(v.f.Selector)) {
			return "it touches what is looked for"
		}
		if n := strings.Count(v.source, "asynchronous") + strings.Count(v.source, "subrogation") + strings.Count(v.source, "heterogeneous"); n < 2 {
			return "plain words"
		}
		return ""
	},
	"dead_end": func(v views) string {
		to := v.clean.Find(v.f.Selector).AttrOr("href", "")
		if v.faulty.Find(v.f.Selector).Length() > 0 || v.faulty.Find(`a[href="`+to+`"]`).Length() > 0 {
			return "the way on is there"
		}
		return ""
	},
	"mouse_only": func(v views) string {
		if !v.el.Is("span[onclick]") || v.el.AttrOr("role", "")+v.el.AttrOr("tabindex", "") != "" || words(v.el) != words(v.clean.Find(v.f.Selector)) {
			return "keys reach it, or its words have changed"
		}
		return ""
	},
	"layout_shift": func(v views) string {
		if !strings.Contains(v.source, "0.35 * Math.max(innerWidth, innerHeight)") {
			return "no shift"
		}
		return ""
	},
	"late_cost": func(v views) string {
		if !strings.Contains(words(v.el), "£7.95") {
			return "no fee"
		}
		return ""
	},
	"needless_field": func(v views) string {
		if _, ok := v.el.Attr("required"); !ok || v.clean.Find(v.f.Selector).Length() > 0 {
			return "no such field, or an old one"
		}
		return ""
	},
	// The page stays as it is; what happens is seen on the way.
	"server_error": unchanged, "slow_page": unchanged, "format_rejected": unchanged, "unspecific_error": unchanged,
	"input_lost": unchanged, "redirect_loop": unchanged, "forced_account": unchanged,
}

func unchanged(v views) string {
	if a, b := words(v.clean.Find("main")), words(v.faulty.Find("main")); a != b {
		return "the page has changed"
	}
	return ""
}

func TestEveryFaultShowsOnItsPage(t *testing.T) {
	t.Parallel()
	clean := map[string]map[string]string{} // pages by way and path
	for name, way := range ways {
		site, _, _ := strings.Cut(name, "/")
		w := newWalker(t, site, Options{})
		_ = w.walk(way) // that it succeeds is another test's
		clean[name] = w.pages
	}
	for _, c := range Cases() {
		if len(c.Faults) > 1 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			way, f := ways[c.Site+"/"+c.Task], c.Faults[0]
			faulty := newWalker(t, c.Site, Options{Faults: quick(c.Faults)})
			_ = faulty.walk(way) // how far it leads is another test's
			without, with := clean[c.Site+"/"+c.Task][f.Path], faulty.pages[f.Path]
			if without == "" || with == "" {
				t.Fatalf("%s is not on the way", f.Path)
			}
			v := views{f, parse(t, without), parse(t, with), nil, with}
			v.el = v.faulty.Find(f.marked())
			if f.Selector != "" && f.Kind != "needless_field" && v.clean.Find(f.Selector).Length() == 0 {
				t.Fatalf("%q is not on the clean page", f.Selector)
			}
			if missing := shows[f.Kind](v); missing != "" {
				t.Errorf("%s on %s %s: %s", f.Kind, f.Path, f.Selector, missing)
			}
			said := strings.ToLower(words(v.faulty.Find("body").Not("script")) + v.faulty.Find("[aria-label]").AttrOr("aria-label", ""))
			if strings.Contains(said, strings.ReplaceAll(f.Kind, "_", " ")) || strings.Contains(said, f.Kind) {
				t.Error("the page says what is wrong with it")
			}
			if v.el.Length() > 0 && (!f.Same([]byte(with), f.marked()) || f.Same([]byte(with), "body") || f.Same([]byte(with), "head")) {
				t.Error("Same does not know the element on the page")
			}
		})
	}
}

func TestAnotherSelectorIsTheSameElement(t *testing.T) {
	t.Parallel()
	f := Fault{Kind: "dead_control", Path: "/p/tidepool-mug", Selector: "form.buy button"}
	w := newWalker(t, Shop, Options{Faults: []Fault{f}})
	if err := w.ask("GET", f.Path, "", nil); err != nil {
		t.Fatal(err)
	}
	page := []byte(w.pages[f.Path])
	for selector, want := range map[string]bool{
		"main button": true, ".buy > .button": true, "form.buy": false, "main": false, "#quantity": false, "button[": false, "h1": false,
	} {
		if f.Same(page, selector) != want {
			t.Errorf("Same(%q) is not %v", selector, want)
		}
	}
}

func TestSlowPagesAreSlowByTheirDose(t *testing.T) {
	t.Parallel()
	const dose = 250
	w := newWalker(t, SaaS, Options{Faults: []Fault{{Kind: "slow_page", Path: "/pricing", Dose: dose}}})
	began := time.Now()
	if err := w.ask("GET", "/pricing", "", nil); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < dose*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
}

func TestContrastFollowsItsDose(t *testing.T) {
	t.Parallel()
	if c := contrast(white, colour{}); math.Abs(c-21) > 0.01 {
		t.Errorf("black on white has a contrast of %.2f, WCAG says 21", c)
	}
	if c := contrast(white, colour{118, 118, 118}); math.Abs(c-4.54) > 0.01 { // #767676, WCAG's well-known limit
		t.Errorf("#767676 on white has a contrast of %.2f", c)
	}
	for _, back := range []string{"#ffffff", "#fbf8f3", "#17203f", "#f2f4f9"} {
		b, err := parseColour(back)
		if err != nil {
			t.Fatal(err)
		}
		for _, dose := range []float64{1.5, 2, 3, 4.5, 7} {
			ink, err := parseColour(inkOn(b, dose).String())
			if err != nil {
				t.Fatal(err)
			}
			if c := contrast(ink, b); math.Abs(c-dose) > 0.08 {
				t.Errorf("%v on %s has %.2f, want %.1f", ink, back, c, dose)
			}
		}
	}
}

func TestSitesWithoutFaultsAreServedAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, site := range Names() {
		h, err := New(site, Options{Now: may})
		if err != nil {
			t.Fatal(err)
		}
		if _, wrapped := h.(*injector); wrapped {
			t.Errorf("%s is served through the injector without a fault", site)
		}
	}
	f := Fault{Kind: "dead_control", Path: "/pricing", Selector: ".plans a"}
	clean, faulty := newWalker(t, SaaS, Options{}), newWalker(t, SaaS, Options{Faults: []Fault{f}})
	for _, path := range []string{"/", "/features", "/docs/import"} {
		_, _ = clean.ask("GET", path, "", nil), faulty.ask("GET", path, "", nil)
		if clean.pages[path] == "" || clean.pages[path] != faulty.pages[path] {
			t.Errorf("a fault of another page changes %s", path)
		}
	}
}

// The halves were fixed before anything was tuned: these numbers change only
// with the table, never with the hash.
func TestHalvesAreFixed(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for _, c := range Cases() {
		got[c.Half()]++
	}
	if s := strconv.Itoa(got[TuningHalf]) + " and " + strconv.Itoa(got[TestHalf]); s != "140 and 126" {
		t.Errorf("%s cases to tune on and to test with", s)
	}
	for kind, half := range map[string]string{"covered": TuningHalf, "low_contrast": TestHalf, "dead_control": TestHalf, "slow_page": TuningHalf} {
		if h := (Case{Site: Shop, Faults: []Fault{{Kind: kind}}}).Half(); h != half {
			t.Errorf("%s on the shop is in the %s half", kind, h)
		}
	}
}
