package sandbox

import (
	"hash/fnv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
)

// page is one page of the fake site before it is laid out.
type page struct {
	slug, title string
	blocks      []block
}

// block is one row of a page.
type block struct {
	kind    string // heading, text, link, button, form, search, list, status
	level   int
	text    string
	to      string // slug that a link or button leads to
	fields  []field
	submit  string
	done    string // slug after the form was accepted
	post    bool   // a button that sends a request and shows the text of done, or the page that it leads to
	refuses bool   // a form that never accepts
}

type field struct {
	label, kind, autocomplete string
	required                  bool
	options                   []string
	strictPhone               bool // takes ten digits only
}

// plan is the whole site.
type plan struct {
	pages map[string]*page
	nav   []block // links of the header
}

// variant is the flavour of a site, a pure function of its address and seed.
func variant(seed uint64, parts ...string) uint64 {
	h := fnv.New64a()
	for i := range 8 {
		_, _ = h.Write([]byte{byte(seed >> (8 * i))})
	}
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	v := h.Sum64()
	return v ^ v>>29
}

// newPlan makes a site on which the goal can be reached: for every subgoal a
// way of pages in the words of the task, between pages that every site has.
func newPlan(host string, goal task.Goal, magic string, seed uint64) *plan {
	p := &plan{pages: map[string]*page{}}
	home := p.add("", host+" – home",
		heading(1, "Everything you need, in one place"),
		text("Welcome. We help people get things done with less effort, and we have done so for years."))
	p.common(host)
	if magic == MagicGiveUp || magic == MagicGateFails {
		p.nav = []block{link("Blog", "blog"), link("Investors", "investors")}
		if magic == MagicGateFails {
			p.refusal()
			home.blocks = append(home.blocks, button("Start here", "request"))
		}
		home.blocks = append(home.blocks, heading(2, "From the blog"), text("Stories about our company outing."), link("Company outing", "blog"))
		return p
	}
	for i := range goal.Subgoals {
		p.subgoal(home, &goal.Subgoals[i], variant(seed, host, goal.Subgoals[i].Text))
	}
	home.blocks = append(home.blocks,
		heading(2, "Trusted by many"), text("“It just works,” say people who use it every day. Others value that somebody answers their questions."),
		link("Read more", "blog"))
	p.nav = append(p.nav, link("Pricing", "pricing"), link("Help", "help"), link("About us", "about"))
	if !p.has("contact") {
		p.contact("contact")
	}
	p.nav = append(p.nav, link("Contact", "contact"))
	return p
}

func (p *plan) add(slug, title string, blocks ...block) *page {
	pg := &page{slug: slug, title: title, blocks: blocks}
	p.pages[slug] = pg
	return pg
}

func (p *plan) has(slug string) bool { return p.pages[slug] != nil }

func heading(level int, s string) block { return block{kind: "heading", level: level, text: s} }
func text(s string) block               { return block{kind: "text", text: s} }
func link(s, to string) block           { return block{kind: "link", text: s, to: to} }
func button(s, to string) block         { return block{kind: "button", text: s, to: to} }

// common pages are on every site.
func (p *plan) common(host string) {
	p.add("pricing", "Plans – "+host, heading(1, "Plans and pricing"), text("Basic is $9 a month. Team is $29 a month. You can change or leave at any time."))
	p.add("help", "Help – "+host, heading(1, "Help center"), text("Answers to what people ask most often."))
	p.add("about", "About – "+host, heading(1, "About us"), text("We are a small team. You will find us at 12 Example Street."))
	p.add("blog", "Blog – "+host, heading(1, "Blog"), text("Notes from the workshop."))
	p.add("investors", "Investors – "+host, heading(1, "Investors"), text("Figures of the last quarter."))
	p.add("terms", "Terms – "+host, heading(1, "Terms of service"), text("The rules for using this site."))
}

func (p *plan) contact(slug string) {
	done := slug + "-sent"
	p.add(slug, "Contact", heading(1, "Contact us"), text("Write to hello@example.com or call +1 202 555 0143. We answer within one working day."),
		block{kind: "form", submit: "Send message", done: done, fields: []field{
			{label: "Your name", kind: "text", autocomplete: "name", required: true},
			{label: "Email", kind: "email", autocomplete: "email", required: true},
			{label: "Message", kind: "textarea", required: true},
		}})
	p.add(done, "Message sent", heading(1, "Thank you for contacting us"), text("Your message has been sent. We will get back to you within one working day."))
}

// refusal is a form that never accepts anything.
func (p *plan) refusal() {
	p.add("request", "Your request", heading(1, "Your request"), block{kind: "form", submit: "Send", refuses: true, fields: []field{
		{label: "Email", kind: "email", autocomplete: "email", required: true},
		{label: "Message", kind: "textarea", required: true},
	}})
}

// subgoal adds the way to one subgoal. v chooses how hard it is to find: a link
// in the header, a button on the first screen, below the fold, or a hub page.
func (p *plan) subgoal(home *page, s *task.Subgoal, v uint64) {
	name := naming(s)
	slug := slugOf(name)
	hub, hubLabel := hubOf(s)
	switch s.Kind {
	case task.Act:
		p.act(slug, name, s, v)
	default:
		p.article(slug, name, s)
	}
	switch v % 5 {
	case 0:
		p.nav = append(p.nav, link(name, slug))
	case 1, 2:
		home.blocks = append(home.blocks, button(name, slug))
	case 3:
		home.blocks = append(home.blocks, heading(2, "What is new"), text(filler), text(filler), text(filler), heading(2, name), text("For everybody who came for this."), link("Learn more", slug))
	default:
		if !p.has(hub) {
			p.add(hub, hubLabel, heading(1, hubLabel), text("Choose from the list."))
		}
		p.pages[hub].blocks = append(p.pages[hub].blocks, link(name, slug), link("Something quite different", "blog"))
		p.nav = append(p.nav, link(hubLabel, hub))
	}
	if v%5 != 4 {
		if h := p.pages[hub]; h != nil { // the help page and its like list it too
			h.blocks = append(h.blocks, link(name, slug))
		}
	}
}

const filler = "We have been working on many small improvements, and most of them you will never notice, which is how it should be. " +
	"Others you may find useful one day, when you least expect it."

// hubOf is where sites keep such things.
func hubOf(s *task.Subgoal) (slug, label string) {
	if shops[deed(s)] {
		return "shop", "Shop prices"
	}
	switch deed(s) {
	case "signup", "trial", "upgrade", "compare":
		return "pricing", "Pricing"
	case "edit", "delete", "cancel", "unsubscribe", "logout":
		return "account", "Account settings"
	case "contact":
		return "about", "About us"
	}
	switch s.Answer {
	case language.Phone, language.Email, language.Place, language.Hours, language.Clock:
		return "about", "About us"
	default:
		return "help", "Help"
	}
}

// deed is what is to be done, as an interface concept: "" for what is looked for
// and for what no list knows. What sites offer by a name of its own is a deed
// whatever is done with it: "start a trial", "request a demo".
func deed(s *task.Subgoal) string {
	if s.Kind != task.Act {
		return ""
	}
	says := language.Read(s.Text)
	for _, offer := range []string{"trial", "demo", "quote"} {
		if says.Has(offer) {
			return offer
		}
	}
	return s.Deed
}

// called are the names that sites give to deeds, where it is not the deed's own.
var called = map[string]string{
	"signup": "sign up", "login": "log in", "logout": "log out", "addcart": "add to cart", "checkout": "check out",
	"trial": "start free trial", "demo": "request a demo", "quote": "get a quote", "on": "turn on", "off": "turn off", "done": "mark as done",
}

// shops are the deeds that are done in one.
var shops = map[string]bool{"buy": true, "addcart": true, "checkout": true}

// naming is what a site calls the page of a subgoal: by the deed, "Book table", or,
// where it is done with a control there, by the thing alone.
func naming(s *task.Subgoal) string {
	if d := deed(s); (shops[d] || simple[d] != "") && len(words(s)) > 0 {
		return titled(s, "")
	}
	return doing(s)
}

// doing is the subgoal as a site would put it: "Vote song".
func doing(s *task.Subgoal) string {
	name := deed(s)
	if named := called[name]; named != "" {
		name = named
	}
	if name == "" && s.Kind == task.Act {
		name = s.Verb
	}
	return titled(s, name)
}

// titled is a name with the words of the subgoal that it does not say.
func titled(s *task.Subgoal, name string) string {
	for _, w := range words(s) {
		if language.Best(language.Read(w).Words[0], language.Read(name)) < saysIt {
			name += " " + w
		}
	}
	name = strings.TrimSpace(name)
	if name == "" {
		name = "Welcome"
	}
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "")
	}
	return title(name)
}

// saysIt is how well a name must say a word for the word to go without saying.
const saysIt = 0.75

// words are those of what a subgoal is about and where that is.
func words(s *task.Subgoal) []string {
	var out []string
	for _, w := range s.Wanted() {
		if !w.Part {
			out = append(out, w.Text)
		}
	}
	return out
}

func slugOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := strings.Trim(b.String(), "-")
	if s == "" {
		s = "page"
	}
	return s
}

// answers are what sites say of a kind of answer.
var answers = map[language.Kind]string{
	language.Money: "costs $29, all included.", language.Number: "comes to 12.", language.Percent: "comes to 12 %.",
	language.Clock: "begins at 9:00.", language.Hours: "is open Monday to Friday, 9:00 to 18:00.",
	language.Date: "is on 3 March 2026.", language.Year: "is of 1998.", language.Duration: "takes 3 working days.",
	language.Place: "is at 12 Example Street, 12345 Springfield.", language.Person: "is the work of Ada Example.",
	language.Email: "can be had by writing to hello@example.com.", language.Phone: "can be had by calling +1 202 555 0143.",
	language.State: "is possible: yes, at any time.",
}

// article answers a question, or is the place that was looked for.
func (p *plan) article(slug, name string, s *task.Subgoal) {
	answer := "To " + strings.ToLower(name) + ", open the page, choose what you need and follow the steps. Write to hello@example.com for more."
	if says := answers[s.Answer]; says != "" {
		answer = name + " " + says
	}
	p.add(slug, name, heading(1, name), text(answer), heading(2, "More about it"), text(filler))
}
