package oracle_test

import (
	"fmt"
	"strconv"
	"strings"

	"understudy/domain/oracle"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// A page is written down one line a thing:
//
//	@ /path | Title       address and title; the host is site.example
//	# Heading, ## Heading
//	! a message (status)
//	- text | button Delete | check Done      a row: a text, then controls
//	field Name = value, area, search, password, number; check, switch, radio Name on
//	select Theme = Light : Light, Dark
//	button Name, submit Name (in form 1), link Name
//	[Section]             what follows stands under that heading as its region
//	anything else         a paragraph
//
// and behind a semicolon: form 2, id x, group G, error text, off the screen (off),
// covered, current, dialog, of Head.
func look(spec string) walk.Page {
	p := walk.Page{URL: "https://site.example/", Title: "Site", Status: 200, Viewport: walk.Size{Width: 1280, Height: 800}}
	region, rows := -1, 0
	for n, line := range strings.Split(strings.TrimSpace(spec), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "@ "):
			address, title, ok := strings.Cut(line[2:], " | ")
			if rest, missing := strings.CutSuffix(title, " (404)"); missing {
				title, p.Status = rest, 404
			}
			p.URL = "https://site.example" + strings.TrimSpace(address)
			if ok {
				p.Title = title
			}
		case strings.HasPrefix(line, "["):
			p.Regions = append(p.Regions, walk.Region{Kind: "section", Heading: strings.Trim(line, "[]")})
			region = len(p.Regions) - 1
		case strings.HasPrefix(line, "- "):
			rows++
			for _, part := range strings.Split(line[2:], " | ") {
				put(&p, part, 0, n, rows, region)
			}
		default:
			for at, part := range strings.Split(line, " | ") { // on one line, from left to right
				put(&p, part, at, n, 0, region)
			}
		}
	}
	return p
}

var roles = map[string]string{"field": "textbox", "area": "textbox", "search": "searchbox", "password": "textbox", "number": "spinbutton", "check": "checkbox", "switch": "switch", "radio": "radio", "select": "combobox", "button": "button", "submit": "button", "link": "link", "tab": "tab", "option": "option"}

func put(p *walk.Page, line string, at, n, row, region int) {
	parts := strings.Split(line, " ; ")
	kind, name, _ := strings.Cut(parts[0], " ")
	box := walk.Box{X: float64(20 + 320*at), Y: float64(30 * n), W: 300, H: 20}
	flags := map[string]string{}
	for _, f := range parts[1:] {
		k, v, _ := strings.Cut(f, " ")
		flags[k] = v
		if v == "" {
			flags[k] = "yes"
		}
	}
	role, control := roles[kind]
	if !control {
		t := walk.Text{Text: parts[0], Kind: "paragraph", Box: box, InViewport: flags["off"] == "", Region: region, Row: row, Covered: flags["covered"] != "", Head: flags["of"], InDialog: flags["dialog"] != ""}
		switch kind {
		case "#", "##":
			t.Kind, t.Level, t.Text = "heading", len(kind), name
		case "!":
			t.Kind, t.Text = "status", name
		default:
			if row > 0 {
				t.Kind = "item"
			}
			if flags["of"] != "" {
				t.Kind = "cell"
			}
		}
		p.Texts = append(p.Texts, t)
		return
	}
	e := walk.Element{Role: role, Box: box, InViewport: true, Region: region, Row: row, Selector: flags["id"], Group: flags["group"], Error: flags["error"], InDialog: flags["dialog"] != "", Selected: flags["current"] != ""}
	e.Form, _ = strconv.Atoi(flags["form"])
	if kind == "select" {
		var options string
		name, options, _ = strings.Cut(name, " : ")
		e.Options = strings.Split(options, ", ")
	}
	name, e.Value, _ = strings.Cut(name, " =")
	e.Value = strings.TrimSpace(e.Value)
	switch kind {
	case "area":
		e.Multiline = true
	case "password":
		e.InputType, e.Value = "password", ""
	case "submit":
		e.Submit = true
		e.Form = max(1, e.Form)
	case "check", "switch", "radio", "option":
		name, e.Checked = strings.CutSuffix(name, " on")
	}
	e.Value = strings.ReplaceAll(e.Value, `\n`, "\n")
	most := 200
	if e.Multiline {
		most = 8000
	}
	e.Name, e.Value = name, e.Value[:min(len(e.Value), most)] // as the browser does
	e.Ref = fmt.Sprint("e", len(p.Elements))
	if role == "link" {
		e.Href = "https://site.example/" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
	}
	p.Elements = append(p.Elements, e)
}

// step is what was done, and the page that it led to; the first does nothing. A deed
// is a verb, what it was done to, what was entered and what came of it:
//
//	click Save > POST /notes 200 2
//	type Name = Ada
//	click Delete @ Ann          the one in the row with that word
//	click Save > POST /x 200 0 background, missed dialog, download, dwell 100
type step struct{ deed, page string }

// walked is the verdict on a walk.
func walked(goal task.Goal, given walk.Conditions, steps []step, alter func(int, *walk.Deed)) walk.Completion {
	o := oracle.New(goal, given)
	var before walk.Page
	for i, s := range steps {
		page := look(s.page)
		did := walk.Deed{}
		if i > 0 {
			did = deed(&before, s.deed, &page)
		}
		if alter != nil {
			alter(i, &did)
		}
		o.Observe(page, did)
		before = page
	}
	end := walk.Deed{Action: walk.Action{Type: walk.Done}, DwellMS: 3000}
	if alter != nil {
		alter(len(steps), &end)
	}
	o.Observe(before, end)
	return o.Verdict()
}

func deed(before *walk.Page, spec string, after *walk.Page) walk.Deed {
	what, came, _ := strings.Cut(spec, " > ")
	verb, name, _ := strings.Cut(strings.TrimSpace(what), " ")
	name, text, _ := strings.Cut(name, " = ")
	name, row, _ := strings.Cut(name, " @ ")
	d := walk.Deed{Action: walk.Action{Type: walk.ActionType(verb), Text: text}, DwellMS: 3000}
	d.Effect.Arrived, d.Effect.URL, d.Effect.Mutated = true, after.URL, true
	d.Effect.Navigated = before.URL != after.URL
	if verb == "press" {
		name, d.Action.Text = text, name
	}
	if secret, ok := strings.CutPrefix(text, "{{"); ok {
		d.Action.Text, d.Action.Secret = "", strings.TrimSuffix(secret, "}}")
	}
	for i := range before.Elements {
		e := before.Elements[i]
		if (e.Name == name || e.Name == "" && e.Selector == name) && name != "" && (row == "" || in(before, e.Row, row)) {
			d.Target, d.Action.Ref = &e, e.Ref
			break
		}
	}
	if d.Target == nil && name != "" {
		panic("no " + name + " on " + before.URL)
	}
	for _, c := range strings.Split(came, ", ") {
		f := strings.Fields(c)
		switch {
		case len(f) == 0:
		case f[0] == "download":
			d.Effect.Download = true
		case f[0] == "missed":
			d.Effect.Missed, d.Effect.Arrived, d.Effect.Mutated = f[1], false, false
		case f[0] == "dwell":
			d.DwellMS, _ = strconv.Atoi(f[1])
		default:
			r := walk.Request{Method: f[0], URL: "https://site.example" + f[1], Kind: "fetch", Caused: len(f) < 5}
			if strings.HasPrefix(f[1], "http") {
				r.URL = f[1]
			}
			r.Status, _ = strconv.Atoi(f[2])
			r.Carries, _ = strconv.Atoi(f[3])
			d.Effect.Requests = append(d.Effect.Requests, r)
		}
	}
	return d
}

func in(p *walk.Page, row int, text string) bool {
	for i := range p.Texts {
		if p.Texts[i].Row == row && row > 0 && strings.Contains(p.Texts[i].Text, text) {
			return true
		}
	}
	return false
}
