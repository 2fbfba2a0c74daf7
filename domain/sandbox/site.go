// Package sandbox is a fake website for sandbox keys: pages as a browser would
// perceive them, shaped after the task so that it can be done, without any
// browser. It is deterministic and cheap.
//
// Four magic tasks force outcomes: fail, give up, slow and gate fails.
package sandbox

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// ErrForced is the failure of the magic task "fail".
var ErrForced = errors.New("sandbox: the task asks for a failure")

// Site is one visit to the fake site. Not safe for concurrent use.
type Site struct {
	plan   *plan
	origin string
	start  string
	magic  string
	size   walk.Size
	mobile bool

	at       string
	trail    []string
	scroll   float64
	menu     bool
	cookies  bool              // the banner is still there
	values   map[string]string // by slug and field
	errors   map[string]string
	message  string // what a posted button told
	current  layout
	compiled bool
}

// New opens the fake site behind an address. viewport is desktop, tablet or
// mobile; anything else is desktop. The seed is the test's: sessions of one
// test with the same viewport meet the same site.
func New(url, what, viewport string, seed uint64) *Site {
	origin, host := originOf(url)
	s := &Site{origin: origin, start: url, magic: Magic(what), values: map[string]string{}, errors: map[string]string{}}
	s.plan = newPlan(host, task.Parse(what, nil), s.magic, seed)
	s.size = walk.Size{Width: 1280, Height: 800}
	switch viewport {
	case "mobile":
		s.size, s.mobile = walk.Size{Width: 390, Height: 844}, true
	case "tablet":
		s.size = walk.Size{Width: 820, Height: 1180}
	}
	s.cookies = variant(seed, host, "cookies")%2 == 0
	return s
}

func originOf(url string) (origin, host string) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "https", url
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if rest == "" {
		rest = "sandbox.example"
	}
	return scheme + "://" + rest, rest
}

// Failure is not nil when the session is to fail (magic task "fail").
func (s *Site) Failure() error {
	if s.magic == MagicFail {
		return ErrForced
	}
	return nil
}

// StepDelayMS is how long a runner should really take for a step, 0 but for
// the magic task "slow".
func (s *Site) StepDelayMS() int {
	if s.magic == MagicSlow {
		return slowStepMS
	}
	return 0
}

// Page is what is to be seen now.
func (s *Site) Page() walk.Page {
	if !s.compiled {
		s.current = s.compile()
		s.compiled = true
	}
	return s.current.view(s)
}

func (s *Site) url(slug string) string {
	if slug == "" {
		return s.start
	}
	return s.origin + "/" + slug
}

// Act does what the simulated user decided and tells what came of it.
func (s *Site) Act(a walk.Action) walk.Effect {
	if !s.compiled {
		s.Page()
	}
	eff := s.act(a)
	if s.magic == MagicSlow && (eff.Navigated || eff.Mutated) {
		eff.SettleMS = slowSettleMS
	}
	if !eff.Scrolled {
		s.compiled = false
	}
	return eff
}

func (s *Site) act(a walk.Action) walk.Effect {
	switch a.Type {
	case walk.Scroll:
		return s.scrollTo(a)
	case walk.Back:
		if len(s.trail) == 0 {
			return walk.Effect{}
		}
		to := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		return s.open(to)
	case walk.Press:
		if a.Text == "Enter" {
			if c := s.control(a.Ref); c != nil && c.form != nil {
				return s.submit(c.form)
			}
		}
		return walk.Effect{}
	case walk.Click, walk.Type, walk.Select, walk.Check:
	default:
		return walk.Effect{}
	}
	c := s.control(a.Ref)
	if c == nil {
		return walk.Effect{Failed: "there is no such element"}
	}
	switch {
	case a.Type == walk.Type:
		v := a.Text
		if a.Secret != "" {
			v = "••••••••"
		}
		return s.set(c, v)
	case a.Type == walk.Select:
		return s.set(c, a.Text)
	case a.Type == walk.Check || c.field != nil && c.field.kind == "checkbox":
		return s.set(c, "on")
	}
	e := s.press(c)
	e.Arrived = true
	return e
}

func (s *Site) control(ref string) *control {
	if i := s.index(ref); i >= 0 {
		return &s.current.controls[i]
	}
	return nil
}

// index is that of a control, -1 for none.
func (s *Site) index(ref string) int {
	i, err := strconv.Atoi(strings.TrimPrefix(ref, "e"))
	if err != nil || i < 0 || i >= len(s.current.controls) {
		return -1
	}
	return i
}

func (s *Site) set(c *control, v string) walk.Effect {
	if c.field == nil {
		return walk.Effect{Failed: "this takes no value"}
	}
	key := s.at + "/" + c.field.label
	s.values[key] = v
	delete(s.errors, key)
	return walk.Effect{Mutated: true, URL: s.url(s.at)}
}

func (s *Site) press(c *control) walk.Effect {
	switch {
	case c.cookie:
		s.cookies = false
		return walk.Effect{Mutated: true, URL: s.url(s.at)}
	case c.menu:
		s.menu = !s.menu
		return walk.Effect{Mutated: true, URL: s.url(s.at)}
	case c.form != nil && c.field == nil:
		return s.submit(c.form)
	case c.block != nil && c.block.post && c.block.to != "":
		s.trail = append(s.trail, s.at)
		return s.posted(c.block.to, 0)
	case c.block != nil && c.block.post:
		s.message = c.block.done
		return walk.Effect{Mutated: true, URL: s.url(s.at), Requests: []walk.Request{{Method: "POST", URL: s.origin + "/api", Status: 200, Kind: "fetch", Caused: true}}}
	case c.block != nil && c.block.to == "download:":
		return walk.Effect{Download: true, URL: s.url(s.at)}
	case c.link && c.to != s.at:
		s.trail = append(s.trail, s.at)
		return s.open(c.to)
	}
	return walk.Effect{URL: s.url(s.at)}
}

func (s *Site) open(slug string) walk.Effect {
	s.at, s.scroll, s.menu, s.message = slug, 0, false, ""
	clear(s.errors)
	return walk.Effect{Navigated: true, Mutated: true, URL: s.url(slug), Status: 200, SettleMS: 120,
		Requests: []walk.Request{{Method: "GET", URL: s.url(slug), Status: 200, Kind: "document", Caused: true}}}
}

// submit checks a form and answers as servers do: with errors on the same
// page, or with the page after it.
func (s *Site) submit(b *block) walk.Effect {
	if b.kind == "search" {
		s.trail = append(s.trail, s.at)
		return s.open(b.done)
	}
	clear(s.errors)
	for i := range b.fields {
		f := &b.fields[i]
		key := s.at + "/" + f.label
		v := s.values[key]
		switch {
		case f.required && v == "":
			s.errors[key] = "Please fill in this field."
		case f.kind == "email" && v != "" && !strings.Contains(v, "@") && !strings.HasPrefix(v, "•"):
			s.errors[key] = "Please enter a valid email address."
		case f.strictPhone && v != "" && !tenDigits(v):
			s.errors[key] = "Please enter ten digits without any other sign."
		}
	}
	if b.refuses {
		s.message = "Error: something went wrong. Please try again."
		return walk.Effect{Mutated: true, URL: s.url(s.at), Requests: []walk.Request{{Method: "POST", URL: s.url(s.at), Status: 500, Kind: "fetch", Caused: true}}}
	}
	if len(s.errors) > 0 {
		return walk.Effect{Mutated: true, URL: s.url(s.at)}
	}
	s.trail = append(s.trail, s.at)
	return s.posted(b.done, s.carried(b))
}

// posted opens the page that answers what was sent.
func (s *Site) posted(slug string, carries int) walk.Effect {
	eff := s.open(slug)
	eff.Requests = append([]walk.Request{{Method: "POST", URL: s.url(slug), Status: 303, Kind: "document", Caused: true, Carries: carries}}, eff.Requests...)
	return eff
}

func tenDigits(v string) bool {
	for _, r := range v {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return len(v) == 10
}

// carried is how many different texts of its fields a form sends.
func (s *Site) carried(b *block) int {
	texts := map[string]bool{}
	for i := range b.fields {
		if v := s.values[s.at+"/"+b.fields[i].label]; v != "" && b.fields[i].kind != "checkbox" {
			texts[v] = true
		}
	}
	return len(texts)
}

// scrollTo scrolls by most of a screen, or until a control is in the middle.
func (s *Site) scrollTo(a walk.Action) walk.Effect {
	height := float64(s.size.Height)
	to := s.scroll + 0.9*height
	i := s.index(a.Ref)
	switch {
	case i >= 0:
		to = s.current.page.Elements[i].Box.Y - height/2
	case a.Text == "up":
		to = s.scroll - 0.9*height
	}
	to = min(max(0, s.current.height-height), max(0, to))
	moved := to != s.scroll
	s.scroll = to
	return walk.Effect{Scrolled: moved, URL: s.url(s.at)}
}
