package forager

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/walk"
)

// A site is written down one line a thing, page after page; the first is the start:
//
//	@ /path | Title            address and title; "(404)" behind it is the status.
//	@ /path~menu | Title       another state of that address
//	# Heading, ## Heading
//	- text | link A | button B a row: its texts and controls
//	field, search, area, check Name = value
//	list Name = Value : A, B   of which one is chosen
//	link Name, button Name, submit Name, tab Name
//	thing Name                 something that reacts to a pointer
//	[navigation] Heading       what follows stands in a region; [] in none
//	[dialog] Heading           what follows lies over the page, which it covers
//	~                          a screenful of nothing
//	limit canvas 900x500 Name  a part that cannot be simulated, with a name or none;
//	backdrop canvas 900x500    one over which stands what follows
//	anything else              a paragraph
//
// A control leads to a page with " -> /path" behind it, with " -> #900" so many px down in its own, a field when Enter is
// pressed in it. Behind semicolons: closed, open, popup, submenu, current, mouse,
// icon, disabled, covered, faint, by hover (or another act that it reacts to alone), in (the paragraph before), error text, small (8 by 8 px), beside
// (right behind what stands before it, and as large).
const (
	width, height = 1280, 800
	host          = "https://site.example"
)

type pages struct {
	first string
	specs map[string]string
}

func siteOf(spec string) pages {
	s := pages{specs: map[string]string{}}
	key := ""
	for line := range strings.Lines(spec) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "@ ") {
			key, _, _ = strings.Cut(line[2:], " | ")
			if s.first == "" {
				s.first = key
			}
		}
		s.specs[key] += line + "\n"
	}
	return s
}

// browser is the fake that the walker looks at and acts in.
type browser struct {
	site    pages
	at      string
	behind  []string
	scrollY float64
	boxY    float64           // of what scrolls in the dialog
	boxEnd  float64           // where that ends
	values  map[string]string // what was entered, by path and name
	leads   map[string]string // by ref, of the last look
	takes   map[string]string // the act that a control reacts to, by ref
	page    walk.Page
}

func newBrowser(s pages) *browser {
	return &browser{site: s, at: s.first, values: map[string]string{}}
}

var controls = map[string]string{"list": "combobox", "field": "textbox", "area": "textbox", "search": "searchbox", "check": "checkbox", "button": "button", "submit": "button", "link": "link", "tab": "tab", "thing": "clickable"}

// look draws the page as it is now.
func (b *browser) look() walk.Page {
	path, _, _ := strings.Cut(b.at, "~")
	p := walk.Page{URL: host + path, Status: 200, Viewport: walk.Size{Width: width, Height: height}, ScrollY: b.scrollY}
	b.leads, b.takes = map[string]string{}, map[string]string{}
	region, row, y, dialog := -1, 0, 20.0, false
	for line := range strings.Lines(b.site.specs[b.at]) {
		line = strings.TrimSpace(line)
		y += 40
		switch {
		case line == "":
		case line == "~":
			y += height
		case strings.HasPrefix(line, "@ "):
			_, p.Title, _ = strings.Cut(line, " | ")
			if title, status, ok := strings.Cut(p.Title, " ("); ok {
				p.Title = title
				p.Status, _ = strconv.Atoi(strings.Trim(status, ")"))
			}
		case strings.HasPrefix(line, "limit "), strings.HasPrefix(line, "backdrop "):
			l := limitOf(line, y)
			p.Limits = append(p.Limits, l)
			if strings.HasPrefix(line, "limit ") {
				y += l.Box.H
			}
		case line == "[]":
			region, dialog = -1, false
		case strings.HasPrefix(line, "["):
			kind, head, _ := strings.Cut(line[1:], "]")
			region = len(p.Regions)
			p.Regions = append(p.Regions, walk.Region{Kind: kind, Heading: strings.TrimSpace(head)})
			if dialog = kind == "dialog"; dialog {
				y = 100
			}
		default:
			n := 0
			if rest, ok := strings.CutPrefix(line, "- "); ok {
				row++
				n, line = row, rest
			}
			for i, part := range strings.Split(line, " | ") {
				b.put(&p, part, walk.Box{X: 20 + 320*float64(i), Y: y, W: 300, H: 24}, n, region, dialog)
			}
		}
		if b.boxEnd = y + 60; !dialog {
			p.Height, b.boxEnd = max(p.Height, y+60), 0
		}
	}
	p.Height = max(p.Height, height)
	b.place(&p)
	b.page = p
	return p
}

func limitOf(line string, y float64) walk.Limit {
	f := strings.Fields(line)
	l := walk.Limit{Kind: f[1], Name: strings.Join(f[3:], " "), Box: walk.Box{X: 20, Y: y}}
	if _, err := fmt.Sscanf(f[2], "%fx%f", &l.Box.W, &l.Box.H); err != nil {
		panic(err)
	}
	return l
}

func (b *browser) put(p *walk.Page, part string, box walk.Box, row, region int, dialog bool) {
	parts := strings.Split(part, " ; ")
	flags := map[string]string{}
	for _, f := range parts[1:] {
		k, v, _ := strings.Cut(f, " ")
		flags[k] = k + v
	}
	said, to, _ := strings.Cut(parts[0], " -> ")
	kind, name, _ := strings.Cut(said, " ")
	role, control := controls[kind]
	if !control {
		t := walk.Text{Text: said, Kind: "paragraph", Box: box, Contrast: 12, FontSize: 16, Region: region, Row: row, InDialog: dialog, Covered: flags["covered"] != ""}
		switch {
		case kind == "#" || kind == "##":
			t.Kind, t.Level, t.Text = "heading", len(kind), name
		case row > 0:
			t.Kind = "item"
		}
		t.Box.W = 900
		p.Texts = append(p.Texts, t)
		return
	}
	e := walk.Element{Role: role, Box: box, Contrast: 12, FontSize: 16, Region: region, Row: row, InDialog: dialog,
		Popup: flags["popup"], Icon: flags["icon"] != "", Submenu: flags["submenu"] != "", Selected: flags["current"] != "",
		MouseOnly: flags["mouse"] != "", Disabled: flags["disabled"] != "", CoveredBy: flags["covered"],
		Error: strings.TrimPrefix(flags["error"], "error"), Multiline: kind == "area"}
	e.Name, e.Value, _ = strings.Cut(name, " =")
	if value, options, ok := strings.Cut(e.Value, " : "); ok {
		e.Value, e.Options = value, strings.Split(options, ", ")
	}
	e.Name, e.Value = strings.TrimSpace(e.Name), strings.TrimSpace(e.Value)
	e.Expanded = map[string]string{"closedopen": "", "closed": "false", "open": "true"}[flags["closed"]+flags["open"]]
	if v, ok := b.values[walk.Path(p.URL)+"|"+e.Name]; ok {
		e.Value = v
		e.Checked = role == "checkbox" && v == "on"
	}
	e.Ref = "e" + strconv.Itoa(len(p.Elements))
	e.Selector = fmt.Sprintf("%s:nth(%d)", role, len(p.Elements))
	switch {
	case walk.IsField(&e) || kind == "submit":
		e.Form, e.Submit = region+2, kind == "submit"
	case role == "link" && to != "":
		address, _, _ := strings.Cut(to, "~")
		e.Href = address
		if !strings.Contains(address, "://") {
			e.Href = host + address
		}
	}
	if flags["faint"] != "" {
		e.Contrast = 2.5
	}
	if flags["small"] != "" {
		e.Box.W, e.Box.H = 8, 8
	}
	if flags["beside"] != "" { // close to what stands before it
		e.Box = p.Elements[len(p.Elements)-1].Box
		e.Box.X += e.Box.W
	}
	if flags["in"] != "" && len(p.Texts) > 0 {
		e.Box = p.Texts[len(p.Texts)-1].Box
		e.Box.X, e.Box.W = e.Box.X+60, 80
	}
	b.leads[e.Ref], b.takes[e.Ref] = to, strings.TrimPrefix(flags["by"], "by")
	p.Elements = append(p.Elements, e)
}

// place moves what was drawn to where it stands in the window.
func (b *browser) place(p *walk.Page) {
	over := slices.ContainsFunc(p.Regions, func(r walk.Region) bool { return r.Kind == "dialog" })
	at := func(box *walk.Box, dialog bool) bool {
		if dialog {
			box.Y -= b.boxY
			return box.Y >= 60 && box.Y+box.H/2 < 700
		}
		box.Y -= b.scrollY
		return box.Y+box.H/2 >= 0 && box.Y+box.H/2 < height
	}
	for i := range p.Limits {
		p.Limits[i].Box.Y -= b.scrollY
	}
	for i := range p.Texts {
		t := &p.Texts[i]
		t.InViewport = at(&t.Box, t.InDialog)
		t.Covered = t.Covered || over && !t.InDialog
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		e.InViewport = at(&e.Box, e.InDialog)
		if over && !e.InDialog {
			e.CoveredBy = "dialog"
		}
	}
}
