package sandbox

import (
	"strconv"

	"understudy/domain/walk"
)

// layout is a page laid out at the top of the document.
type layout struct {
	page     walk.Page
	controls []control
	height   float64
}

// control is what an element does.
type control struct {
	to     string
	link   bool
	menu   bool
	cookie bool
	block  *block
	form   *block
	field  *field
}

const (
	charWidth = 8.0
	lineWidth = 720.0
	margin    = 20.0
)

// compile lays the current page out.
func (s *Site) compile() layout {
	pg := s.plan.pages[s.at]
	l := layout{page: walk.Page{URL: s.url(s.at), Title: pg.title, Lang: "en", Viewport: s.size, Status: 200,
		Vitals: walk.Vitals{LCPMS: 900, INPMS: 40, CLS: 0.01}}}
	if s.magic == MagicSlow {
		l.page.Vitals.LCPMS = slowSettleMS
	}
	const usual = 24 // elements
	l.controls, l.page.Elements = make([]control, 0, usual), make([]walk.Element, 0, usual)
	l.page.Regions = []walk.Region{{Kind: "banner"}, {Kind: "navigation"}, {Kind: "main"}}
	y := s.header(&l)
	region := 2
	for i := range pg.blocks {
		b := &pg.blocks[i]
		if b.kind == "heading" && b.level > 1 {
			l.page.Regions = append(l.page.Regions, walk.Region{Kind: "heading", Heading: b.text})
			region = len(l.page.Regions) - 1
		} else if b.kind == "heading" {
			l.page.Regions[2].Heading = b.text
		}
		y = s.block(&l, b, i, region, y)
	}
	if s.message != "" {
		kind := "status"
		if s.current.refused(s.message) {
			kind = "alert"
		}
		l.text(s.message, kind, 0, 2, y, 16)
		y += 40
	}
	y = max(y+40, float64(s.size.Height)-80)
	l.page.Regions = append(l.page.Regions, walk.Region{Kind: "contentinfo"})
	footer := len(l.page.Regions) - 1
	for i, n := range []string{"Terms of service", "Investors"} {
		l.control(control{link: true, to: []string{"terms", "investors"}[i]}, walk.Element{Role: "link", Name: n, Href: s.url([]string{"terms", "investors"}[i]),
			Selector: "footer a:nth-child(" + strconv.Itoa(i+1) + ")", Box: walk.Box{X: margin + 200*float64(i), Y: y, W: charWidth * float64(len(n)), H: 18},
			Contrast: 4.1, FontSize: 12, Region: footer})
	}
	l.height = y + 60
	l.page.Height = l.height
	if s.cookies {
		s.banner(&l)
	}
	return l
}

func (layout) refused(message string) bool { return len(message) > 6 && message[:6] == "Error:" }

// header lays out the logo and the navigation, which hides behind a menu
// button on a phone.
func (s *Site) header(l *layout) float64 {
	l.control(control{link: true, to: ""}, walk.Element{Role: "link", Name: "Home", Href: s.url(""), Selector: "header a.logo", Box: walk.Box{X: margin, Y: 16, W: 80, H: 32}, Contrast: 12, FontSize: 18, Region: 0})
	x, y := 160.0, 16.0
	if s.mobile {
		expanded := "false"
		if s.menu {
			expanded = "true"
		}
		l.control(control{menu: true}, walk.Element{Role: "button", Name: "Menu", NameSource: "aria", Icon: true, Expanded: expanded, Selector: "header button",
			Box: walk.Box{X: float64(s.size.Width) - 64, Y: 10, W: 44, H: 44}, Contrast: 12, FontSize: 16, Region: 0})
		if !s.menu {
			return 72
		}
		x, y = margin, 72
	}
	for i, n := range s.plan.nav {
		w := charWidth*float64(len(n.text)) + 16
		l.control(control{link: true, to: n.to}, walk.Element{Role: "link", Name: n.text, Href: s.url(n.to), Selector: "nav a:nth-child(" + strconv.Itoa(i+1) + ")",
			Box: walk.Box{X: x, Y: y, W: w, H: 36}, Contrast: 9, FontSize: 16, Region: 1})
		if s.mobile {
			y += 44
		} else {
			x += w + 16
		}
	}
	return max(72, y+24)
}

func (s *Site) block(l *layout, b *block, i, region int, y float64) float64 {
	selector := "main > :nth-child(" + strconv.Itoa(i+1) + ")"
	width := min(lineWidth, float64(s.size.Width)-2*margin)
	switch b.kind {
	case "heading":
		l.text(b.text, "heading", b.level, region, y, []float64{0, 40, 28, 20}[min(3, b.level)])
		return y + 64
	case "text":
		lines := float64(len(b.text))*charWidth/width + 1
		l.text(b.text, "paragraph", 0, region, y, 16)
		return y + 26*lines + 16
	case "status":
		l.text(b.text, "status", 0, region, y, 16)
		return y + 40
	case "link":
		l.control(control{link: true, to: b.to, block: b}, walk.Element{Role: "link", Name: b.text, NameSource: "text", Href: s.url(b.to), Selector: selector,
			Box: walk.Box{X: margin, Y: y, W: charWidth * float64(len(b.text)), H: 22}, Contrast: 7, FontSize: 16, Region: region})
		return y + 38
	case "button":
		l.control(control{link: b.to != "" && !b.post, to: b.to, block: b}, walk.Element{Role: "button", Name: b.text, NameSource: "text", Selector: selector,
			Box: walk.Box{X: margin, Y: y, W: charWidth*float64(len(b.text)) + 48, H: 48}, Contrast: 6, FontSize: 18, Bold: true, Region: region})
		return y + 72
	case "search":
		f := &field{label: "Search", kind: "search"}
		return s.field(l, b, f, selector, region, y)
	case "form":
		for j := range b.fields {
			y = s.field(l, b, &b.fields[j], selector+" > :nth-child("+strconv.Itoa(j+1)+")", region, y)
		}
		l.control(control{form: b}, walk.Element{Role: "button", Name: b.submit, NameSource: "text", Submit: true, Form: 1, Selector: selector + " > button",
			Box: walk.Box{X: margin, Y: y, W: charWidth*float64(len(b.submit)) + 48, H: 48}, Contrast: 6, FontSize: 18, Bold: true, Region: region})
		return y + 80
	}
	return y
}

func (s *Site) field(l *layout, b *block, f *field, selector string, region int, y float64) float64 {
	key := s.at + "/" + f.label
	e := walk.Element{Role: "textbox", Name: f.label, NameSource: "label", InputType: f.kind, Autocomplete: f.autocomplete, Required: f.required, Form: 1,
		Value: s.values[key], Error: s.errors[key], Selector: selector, Box: walk.Box{X: margin, Y: y + 22, W: 320, H: 40}, Contrast: 12, FontSize: 16, Region: region}
	switch f.kind {
	case "checkbox":
		e.Role, e.Checked, e.Value, e.Box.W, e.Box.H = "checkbox", e.Value != "", "", 20, 20
	case "select":
		e.Role, e.Options, e.InputType = "combobox", f.options, ""
	case "search":
		e.Role = "searchbox"
	}
	l.control(control{form: b, field: f}, e)
	return y + 80
}

// banner is the cookie banner at the bottom of the window.
func (s *Site) banner(l *layout) {
	l.page.Regions = append(l.page.Regions, walk.Region{Kind: "section", Heading: "Cookies"})
	r := len(l.page.Regions) - 1
	y := float64(s.size.Height) - 90
	l.page.Texts = append(l.page.Texts, walk.Text{Text: "We use cookies to remember what you do here.", Kind: "paragraph", Box: walk.Box{X: margin, Y: y, W: 360, H: 20}, Contrast: 12, FontSize: 14, Region: r})
	for i, n := range []string{"Accept all", "Necessary only"} {
		l.control(control{cookie: true}, walk.Element{Role: "button", Name: n, NameSource: "text", Selector: "#cookies button:nth-child(" + strconv.Itoa(i+1) + ")",
			Box: walk.Box{X: margin + 160*float64(i), Y: y + 30, W: 140, H: 40}, Contrast: 8, FontSize: 14, Region: r})
	}
}

func (l *layout) text(t, kind string, level, region int, y, font float64) {
	l.page.Texts = append(l.page.Texts, walk.Text{Text: t, Kind: kind, Level: level, Box: walk.Box{X: margin, Y: y, W: min(lineWidth, charWidth*float64(len(t))), H: font * 1.4},
		Contrast: 12, FontSize: font, Region: region})
}

func (l *layout) control(c control, e walk.Element) {
	e.Ref = "e" + strconv.Itoa(len(l.controls))
	if e.NameSource == "" {
		e.NameSource = "text"
	}
	l.controls = append(l.controls, c)
	l.page.Elements = append(l.page.Elements, e)
}

// view is the layout as seen from the current scroll position. What belongs to
// the cookie banner stays where it is and covers what lies below it.
func (l *layout) view(s *Site) walk.Page {
	p := l.page
	p.ScrollY = s.scroll
	p.Elements = append([]walk.Element(nil), p.Elements...)
	p.Texts = append([]walk.Text(nil), p.Texts...)
	p.Regions = append([]walk.Region(nil), p.Regions...)
	bottom := float64(s.size.Height)
	top := bottom
	if s.cookies {
		top -= 100
	}
	banner := -1
	if s.cookies {
		banner = len(p.Regions) - 1
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		if e.Region == banner {
			e.InViewport = true
			continue
		}
		e.Box.Y -= s.scroll
		middle := e.Box.Y + e.Box.H/2
		e.InViewport = middle >= 0 && middle <= bottom
		if e.InViewport && middle > top {
			e.CoveredBy = "banner 'Cookies'"
		}
	}
	for i := range p.Texts {
		t := &p.Texts[i]
		if t.Region == banner {
			t.InViewport = true
			continue
		}
		t.Box.Y -= s.scroll
		middle := t.Box.Y + t.Box.H/2
		t.InViewport = middle >= 0 && middle <= top
	}
	return p
}
