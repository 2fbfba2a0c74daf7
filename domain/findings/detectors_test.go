package findings

import (
	"slices"
	"strings"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// scene is a hand-made walk: steps in order, each as the mind records it.
type scene struct {
	task    string
	who     persona.Persona
	outcome string
	steps   []walk.StepRecord
}

func (s scene) walked() walk.Walked {
	if s.task == "" {
		s.task = "Sign up"
	}
	goal := task.Parse(s.task, nil)
	w := walk.NewWalk(goal, s.who)
	for _, r := range s.steps {
		if r.Decision.SimulatedMS == 0 {
			r.Decision.SimulatedMS = 4000
		}
		w.Record(r.Page, r.Decision, r.Effect)
	}
	out := w.Result(walk.Completion{})
	out.Outcome = s.outcome
	return out
}

func at(path string, elements ...walk.Element) walk.Page {
	p := walk.Page{URL: "https://example.com" + path, Title: path, Viewport: walk.Size{Width: 1280, Height: 800}, Elements: elements}
	p.Texts = []walk.Text{{Text: "Page " + path, Kind: "heading", Level: 1, InViewport: true}}
	return p
}

func saying(p walk.Page, kind, text string) walk.Page {
	p.Texts = append(append([]walk.Text{}, p.Texts...), walk.Text{Text: text, Kind: kind, InViewport: true, Box: walk.Box{X: 5, Y: 5, W: 300, H: 20}})
	return p
}

func link(selector, name, href string) walk.Element {
	return walk.Element{Role: "link", Name: name, NameSource: "text", Selector: selector, Href: href, Contrast: 12, FontSize: 16, InViewport: true, Box: walk.Box{X: 10, Y: 100, W: 120, H: 44}}
}

func field(selector, name, inputType, value string) walk.Element {
	return walk.Element{Role: "textbox", Name: name, NameSource: "label", Selector: selector, InputType: inputType, Value: value, Form: 1, Contrast: 12, FontSize: 16, InViewport: true, Box: walk.Box{X: 10, Y: 200, W: 300, H: 44}}
}

func sender() walk.Element {
	return walk.Element{Role: "button", Name: "Create account", NameSource: "text", Selector: "#send", Submit: true, Form: 1, Contrast: 12, FontSize: 16, InViewport: true, Box: walk.Box{X: 10, Y: 400, W: 200, H: 44}}
}

func click(p walk.Page, e walk.Element, eff walk.Effect, signals ...walk.Signal) walk.StepRecord {
	eff.Arrived = true
	return walk.StepRecord{Page: p, Effect: eff, Decision: walk.Decision{Action: walk.Action{Type: walk.Click}, Target: &e, Purpose: walk.Navigate, Scent: 0.8, Signals: signals, Thought: "This one."}}
}

func enter(p walk.Page, e walk.Element, text string) walk.StepRecord {
	return walk.StepRecord{Page: p, Effect: walk.Effect{Mutated: true}, Decision: walk.Decision{Action: walk.Action{Type: walk.Type, Text: text}, Target: &e, Purpose: walk.Fill}}
}

func send(p walk.Page, eff walk.Effect) walk.StepRecord {
	e := sender()
	return walk.StepRecord{Page: p, Effect: eff, Decision: walk.Decision{Action: walk.Action{Type: walk.Click}, Target: &e, Purpose: walk.Submit}}
}

func back(p walk.Page) walk.StepRecord {
	return walk.StepRecord{Page: p, Effect: to("/"), Decision: walk.Decision{Action: walk.Action{Type: walk.Back}, Purpose: walk.Return}}
}

func scroll(p walk.Page, signals ...walk.Signal) walk.StepRecord {
	return walk.StepRecord{Page: p, Effect: walk.Effect{Scrolled: true}, Decision: walk.Decision{Action: walk.Action{Type: walk.Scroll}, Purpose: walk.ReadOn, Signals: signals}}
}

func quit(p walk.Page, signals ...walk.Signal) walk.StepRecord {
	return walk.StepRecord{Page: p, Decision: walk.Decision{Action: walk.Action{Type: walk.GiveUp}, End: walk.EndGaveUp, Purpose: walk.Finish, Signals: signals}}
}

func done(p walk.Page) walk.StepRecord {
	return walk.StepRecord{Page: p, Decision: walk.Decision{Action: walk.Action{Type: walk.Done}, End: walk.EndDone, Purpose: walk.Finish}}
}

func to(path string) walk.Effect {
	return walk.Effect{Navigated: true, Mutated: true, URL: "https://example.com" + path, Status: 200}
}

// posted is a form that was sent and taken.
func posted(path string) walk.Effect {
	e := to(path)
	e.Requests = []walk.Request{{Method: "POST", URL: "https://example.com/do", Status: 303, Kind: "document"}}
	return e
}

func sig(kind string) walk.Signal { return walk.Signal{Kind: kind} }

func TestDetectors(t *testing.T) {
	t.Parallel()
	join, phone := link("#join", "Sign up", "https://example.com/join"), field("#phone", "Phone", "tel", "")
	email := field("#email", "Email", "email", "")
	refused := phone
	refused.Value, refused.Error = "020 7946 0018", "Enter a valid number"
	faint := join
	faint.Contrast, faint.Selector = 1.5, "#faint"
	vague := join
	vague.Name, vague.Selector = "Dive in", "#vague"
	below := join
	below.InViewport, below.Selector = false, "#below"
	lower := at("/", faint, below)
	lower.ScrollY = 1700
	seen := below
	seen.InViewport, seen.Box.Y = true, 300
	lowerSeen := at("/", seen)
	lowerSeen.ScrollY = 1700
	covered := sender()
	covered.CoveredBy = "a bar"
	twin := join
	twin.Selector, twin.Href = "#twin", "https://example.com/other"
	blog := link("#blog", "Blog", "https://example.com/blog")
	mouse := join
	mouse.MouseOnly, mouse.Href, mouse.Role = true, "", "button"
	password := field("#pw", "Password", "password", "")
	birth := field("#dob", "Date of birth", "text", "")
	menu := link("#start", "Start here", "https://example.com/join")
	grey := sender()
	grey.Disabled = true
	jump := at("/")
	jump.Vitals = walk.Vitals{LCPMS: 900, CLS: 0.4}
	basket := at("/basket", link("#checkout", "Checkout", "https://example.com/checkout"))
	payment := saying(at("/checkout", field("#card", "Card number", "text", ""), sender()), "paragraph", "Handling fee £4.50")
	audited := at("/", join)
	audited.Violations = []walk.Violation{{Rule: "aria-valid-attr", Impact: "critical", Selectors: []string{"#join"}}, {Rule: "region", Impact: "moderate", Selectors: []string{"#x"}}}
	yes := sender()
	yes.Name, yes.Selector = "Yes", "#yes"
	shut := link("#shut", "No, thanks", "")
	shut.InDialog = true
	offer := at("/join", shut)
	offer.Texts = append(offer.Texts, walk.Text{Text: "Join our newsletter", Kind: "heading", Level: 2, InDialog: true, InViewport: true, Box: walk.Box{X: 300, Y: 200, W: 400, H: 40}})
	more := walk.Element{Role: "button", Name: "More", NameSource: "text", Selector: "#more", Expanded: "false", Contrast: 12, FontSize: 16, InViewport: true, Box: walk.Box{W: 90, H: 44}}
	dot := join
	dot.Icon, dot.Box = true, walk.Box{X: 10, Y: 10, W: 12, H: 12}
	// What goes on with what is under way says nothing of the task's words.
	onward := link("#time", "Choose a time", "https://example.com/join")
	onward.Box.Y = 300
	order := at("/order", onward)
	order.ScrollY = 1700
	helpful, hidden := yes, yes
	hidden.CoveredBy = "a badge"
	away := twin
	away.Name, away.Href, away.InViewport = "Sign up here", join.Href, false
	cases := []struct {
		name     string
		scene    scene
		kind     string
		selector string
		not      []string
		channel  Channel
	}{
		{name: "the server fails on sending", kind: ServerError, selector: "#send", not: []string{BrokenLink, InputLost, UnspecificError, LostScent},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{
				enter(at("/join", email, sender()), email, "a@b.example"), send(at("/join", email, sender()), walk.Effect{Navigated: true, URL: "https://example.com/join", Status: 500}), quit(saying(at("/join", email, sender()), "alert", "Something went wrong")),
			}}},
		{name: "a redirect loop", kind: RedirectLoop, selector: "#join", not: []string{BrokenLink, DeadClick},
			scene: scene{outcome: walk.Blocked, steps: []walk.StepRecord{click(at("/", join), join, walk.Effect{NetError: "net::ERR_TOO_MANY_REDIRECTS"}), quit(at("/", join))}}},
		{name: "a value of the right format is refused", kind: FormError, selector: "#phone", not: []string{UnspecificError},
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				enter(at("/join", phone, sender()), phone, "020 7946 0018"), send(at("/join", phone, sender()), to("/join")), enter(at("/join", refused, sender()), refused, "02079460018"), send(at("/join", phone, sender()), to("/thanks")), done(at("/thanks")),
			}}},
		{name: "one sentence for everything", kind: UnspecificError, not: []string{FormError, LostScent},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{
				enter(at("/join", email, sender()), email, "a@b.example"), send(at("/join", email, sender()), to("/join")), quit(saying(at("/join", field("#email", "Email", "email", "a@b.example"), sender()), "paragraph", "Please check your entries.")),
			}}},
		{name: "emptied after a refusal", kind: InputLost,
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				enter(at("/join", email, phone, sender()), email, "a@b.example"), enter(at("/join", email, phone, sender()), phone, "1"), send(at("/join", email, phone, sender()), to("/join")),
				enter(saying(at("/join", email, phone, sender()), "alert", "The phone number is not valid"), email, "a@b.example"), send(at("/join", email, phone, sender()), to("/thanks")), done(at("/thanks")),
			}}},
		{name: "the form has expired and is empty", kind: InputLost, not: []string{UnspecificError},
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				enter(at("/join", email, sender()), email, "a@b.example"), send(at("/join", email, sender()), walk.Effect{Navigated: true, URL: "https://example.com/join", Status: 422}),
				enter(saying(at("/join", email, sender()), "alert", "This form has expired. Please enter your details again."), email, "a@b.example"), send(at("/join", email, sender()), to("/thanks")), done(at("/thanks")),
			}}},
		{name: "the button of the form lies under a bar", kind: Covered, selector: "#send", not: []string{LostScent},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{enter(at("/join", email, covered), email, "a@b.example"), quit(at("/join", email, covered))}}},
		{name: "overlooked for its contrast", kind: LowContrast, selector: "#faint", not: []string{LostScent},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{scroll(at("/", faint), walk.Signal{Kind: walk.SigHardToSee, Selector: "#faint"}), quit(at("/", faint), sig(walk.SigLostScent))}}},
		{name: "a faint way on that was passed over for another to the same place", kind: LowContrast, selector: "#faint", not: []string{BelowFold},
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{scroll(at("/", faint, below)), click(lowerSeen, seen, to("/join"), sig(walk.SigBelowFold)), done(at("/join"))}}},
		{name: "a vague way on that was passed over", kind: UnclearLabel, selector: "#vague", not: []string{BelowFold},
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{scroll(at("/", vague, below)), click(lowerSeen, seen, to("/join"), sig(walk.SigBelowFold)), done(at("/join"))}}},
		{name: "far down the page", kind: BelowFold, selector: "#below",
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{scroll(at("/", below)), scroll(at("/", below)), scroll(at("/", below)), click(lowerSeen, seen, to("/join"), sig(walk.SigBelowFold)), done(at("/join"))}}},
		{name: "the wrong one of two", kind: CompetingLabels, selector: "#twin", not: []string{QuickBack},
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{rivalled(click(at("/", join, twin), twin, to("/other"))), back(at("/other")), click(at("/", join, twin), join, to("/join")), done(at("/join"))}}},
		{name: "what goes on is far down", kind: BelowFold, selector: "#time",
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{scroll(at("/order")), scroll(at("/order")), click(order, onward, to("/join"), sig(walk.SigBelowFold)), done(at("/join"))}}},
		{name: "a button covered here, looked for and found elsewhere", kind: Covered, selector: "#yes",
			scene: scene{task: "Tell them whether the install page is helpful", outcome: walk.Succeeded, steps: []walk.StepRecord{
				scroll(at("/install", hidden, blog)), click(at("/install", hidden, blog), blog, to("/faq")), click(at("/faq", helpful), helpful, posted("/thanks")), done(at("/thanks")),
			}}},
		{name: "the right one of the same name out of sight", kind: CompetingLabels, selector: "#here",
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				click(at("/", blog, called(join, "#here", "Sign up here", "/other"), away), called(join, "#here", "Sign up here", "/other"), to("/other")), slow(back(at("/other"))),
				click(at("/", blog, called(join, "#here", "Sign up here", "/other"), away), away, to("/join")), done(at("/join")),
			}}},
		{name: "no key reaches it", kind: MouseOnly, selector: "#join", not: []string{LostScent},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{quit(at("/", mouse), walk.Signal{Kind: walk.SigMouseOnly, Selector: "#join"}, sig(walk.SigLostScent))}}},
		{name: "an account in order to buy", kind: ForcedAccount,
			scene: scene{task: "Buy a red mug", outcome: walk.GaveUp, steps: []walk.StepRecord{click(basket, basket.Elements[0], to("/account")), quit(at("/account", email, password, sender()))}}},
		{name: "a birthday in order to buy", kind: NeedlessField, selector: "#dob",
			scene: scene{task: "Buy a red mug", outcome: walk.Succeeded, steps: []walk.StepRecord{enter(at("/checkout", birth, sender()), birth, "1 May 1980"), send(at("/checkout", birth, sender()), to("/thanks")), done(at("/thanks"))}}},
		{name: "a fee at the last step", kind: LateCost,
			scene: scene{task: "Buy a red mug", outcome: walk.Succeeded, steps: []walk.StepRecord{click(basket, basket.Elements[0], to("/checkout")), send(payment, to("/thanks")), done(at("/thanks"))}}},
		{name: "a button without fields fails on the server", kind: ServerError, selector: "#yes", not: []string{BrokenLink, LostScent},
			scene: scene{outcome: walk.Blocked, steps: []walk.StepRecord{
				click(at("/faq", yes), yes, walk.Effect{Navigated: true, URL: "https://example.com/vote", Status: 500, Requests: []walk.Request{{Method: "POST", URL: "https://example.com/vote", Status: 500, Kind: "document"}}}), quit(at("/faq", yes)),
			}}},
		{name: "a dialog that was open on arrival", kind: Interruption,
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", join), join, to("/join")), done(offer)}}},
		{name: "under a control that says nothing", kind: HiddenInMenu, selector: "#join",
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				scroll(at("/", more)), click(at("/", more), more, walk.Effect{Mutated: true}), click(at("/", more, join), join, to("/join")), done(at("/join")),
			}}},
		{name: "a shape too small to be read", kind: SmallTarget, selector: "#join", not: []string{UnclearLabel},
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", dot), dot, to("/join"), sig(walk.SigUnclear)), done(at("/join"))}}},
		{name: "a shorter way on an earlier page that said nothing", kind: UnclearLabel, selector: "#vague",
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", vague, link("#about", "About", "https://example.com/about")), link("#about", "About", "https://example.com/about"), to("/about")), click(at("/about", join), join, to("/join")), done(at("/join"))}}},
		{name: "two wrong turns before the right one", kind: LostScent,
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				click(at("/", vague, blog, join), vague, to("/a")), slow(back(at("/a"))), click(at("/", vague, blog, join), blog, to("/b")), slow(back(at("/b"))), click(at("/", vague, blog, join), join, to("/join")), done(at("/join")),
			}}},
		{name: "astray after what was sent was taken", kind: LostScent, not: []string{UnclearLabel},
			scene: scene{task: "Buy a red mug", outcome: walk.OutOfSteps, steps: []walk.StepRecord{
				send(at("/p/mug", sender()), posted("/basket")), scroll(at("/basket")), slow(click(at("/basket", vague), vague, to("/a"))), slow(back(at("/a"))), slow(click(at("/basket", twin), twin, to("/b"))), back(at("/b")),
			}}},
		{name: "two of the very same name, and another way after the wrong one", kind: CompetingLabels, selector: "#twin",
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				click(at("/", twin, join), twin, to("/other")), slow(back(at("/other"))), click(at("/", blog, twin, join), blog, to("/blog")), click(at("/blog", menu), menu, to("/join")), done(at("/join")),
			}}},
		{name: "refused before the button works", kind: FormError, selector: "#phone", not: []string{DisabledControl},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{
				enter(at("/", phone, sender()), phone, "020 7946 0018"), quit(at("/", refused, grey), walk.Signal{Kind: walk.SigDisabled, Selector: "#send"}),
			}}},
		{name: "disabled without a word", kind: DisabledControl, selector: "#send", not: []string{FormError},
			scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{
				enter(at("/", phone, sender()), phone, "020 7946 0018"), quit(at("/", phone, grey), walk.Signal{Kind: walk.SigDisabled, Selector: "#send"}),
			}}},
		{name: "the page jumps", kind: LayoutShift, scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{done(jump)}}},
		{name: "a grave rule on the way", kind: AccessibilityRule, selector: "#join", channel: Static,
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(audited, join, to("/join")), done(at("/join"))}}},
		{name: "nothing that leads on, seen again and again", kind: LostScent,
			scene: scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
				slow(scroll(at("/", blog), sig(walk.SigLostScent))), slow(scroll(at("/", blog), sig(walk.SigLostScent))), slow(scroll(at("/", blog), sig(walk.SigLostScent))), click(at("/", blog, join), join, to("/join")), done(at("/join")),
			}}},
		{name: "given up on", kind: LostScent, scene: scene{outcome: walk.GaveUp, steps: []walk.StepRecord{quit(at("/", link("#blog", "Blog", "https://example.com/blog")), sig(walk.SigLostScent))}}},
	}
	for _, c := range cases {
		walked := c.scene.walked()
		got := kinds(detect(walked))
		for kind, o := range got {
			if o.CostMS > walked.SimulatedMS {
				t.Errorf("%s: %s cost %d ms of a walk of %d", c.name, kind, o.CostMS, walked.SimulatedMS)
			}
		}
		o, ok := got[c.kind]
		channel := Observed
		if c.channel != "" {
			channel = c.channel
		}
		switch {
		case !ok:
			t.Errorf("%s: found %v", c.name, names(got))
			continue
		case o.Channel != channel, (o.Element == nil) != (c.selector == ""), o.Element != nil && o.Element.Selector != c.selector:
			t.Errorf("%s: %s %+v", c.name, o.Channel, o.Element)
		}
		for _, n := range c.not {
			if _, there := got[n]; there {
				t.Errorf("%s: also %s", c.name, n)
			}
		}
	}
}

// called is a link like e by another name to another page.
func called(e walk.Element, selector, name, path string) walk.Element {
	e.Selector, e.Name, e.Href = selector, name, "https://example.com"+path
	return e
}

// slow is a step of 12 simulated seconds.
func slow(r walk.StepRecord) walk.StepRecord {
	r.Decision.SimulatedMS = 12000
	return r
}

func rivalled(r walk.StepRecord) walk.StepRecord {
	r.Decision.Rivals = 1
	return r
}

func names(got map[string]Observation) (out []string) {
	for k := range got {
		out = append(out, k)
	}
	return out
}

// TestOrdinaryPagesRaiseNothing: what looks like a fault and impedes nobody.
func TestOrdinaryPagesRaiseNothing(t *testing.T) {
	t.Parallel()
	join, email := link("#join", "Sign up", "https://example.com/join"), field("#email", "Email", "email", "")
	kept := field("#email", "Email", "email", "a@b.example")
	menu := walk.Element{Role: "button", Name: "Menu", NameSource: "text", Selector: "#menu", Expanded: "false", Contrast: 12, FontSize: 16, InViewport: true, Box: walk.Box{W: 48, H: 48}}
	opened := click(at("/", menu), menu, walk.Effect{Mutated: true})
	opened.Decision.Purpose = walk.OpenMenu
	small := join
	small.Box.H = 18
	password := field("#pw", "Password", "password", "")
	guest := link("#guest", "Continue as guest", "https://example.com/guest")
	empty := field("#phone", "Phone", "tel", "")
	empty.Error = "Enter your phone number"
	footer := field("#news", "Newsletter", "email", "")
	footer.Form = 2
	partner := link("#partner", "Sign up partner", "https://other.example/")
	again := back(at("/x"))
	again.Effect.NetError = "ERR_CACHE_MISS"
	dialog := at("/join")
	dialog.Texts = append(dialog.Texts, walk.Text{Text: "Sign up", Kind: "heading", Level: 2, InDialog: true, InViewport: true, Box: walk.Box{W: 300, H: 200}})
	files, other := link("#files", "Leave files out", "https://example.com/a"), link("#conf", "Configuration file", "https://example.com/b")
	cases := map[string]scene{
		"a menu on a phone":                    {outcome: walk.Succeeded, steps: []walk.StepRecord{opened, click(at("/", menu, join), join, to("/join"), sig(walk.SigHiddenMenu)), done(at("/join"))}},
		"a link in a line of text missed once": {outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", small), small, to("/join"), sig(walk.SigMissedTarget)), done(at("/join"))}},
		"a form that is taken and shown empty": {outcome: walk.Succeeded, steps: []walk.StepRecord{enter(at("/", email, sender()), email, "a@b.example"), send(at("/", kept, sender()), walk.Effect{Mutated: true}), done(saying(at("/", email, sender()), "status", "Thank you, you are signed up"))}},
		"a guest's way":                        {task: "Buy a red mug", outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/basket", join), join, to("/account")), click(at("/account", email, password, guest), guest, to("/checkout")), done(at("/checkout"))}},
		"a field that had been left out":       {outcome: walk.Succeeded, steps: []walk.StepRecord{enter(at("/", email, sender()), email, "a@b.example"), send(at("/", kept, sender()), walk.Effect{Mutated: true}), enter(at("/", kept, empty, sender()), empty, "020 7946 0018"), send(at("/", kept, sender()), to("/thanks")), done(at("/thanks"))}},
		"a scroll further down":                {outcome: walk.Succeeded, steps: []walk.StepRecord{scroll(at("/", join)), click(at("/", join), join, to("/join"), sig(walk.SigBelowFold)), done(at("/join"))}},
		"two of a kind, the first is right":    {outcome: walk.Succeeded, steps: []walk.StepRecord{rivalled(click(at("/", join, link("#trial", "Sign up now", "https://example.com/trial")), join, to("/join"), sig(walk.SigRivals))), done(at("/join"))}},
		"two that promise little alike":        {task: "Restore a deleted file", outcome: walk.Succeeded, steps: []walk.StepRecord{rivalled(click(at("/", files, other), files, to("/a"))), slow(back(at("/a"))), click(at("/", files, other), other, to("/b")), done(at("/b"))}},
		"a newsletter's field on every page":   {outcome: walk.Succeeded, steps: []walk.StepRecord{enter(at("/", email, sender(), footer), email, "a@b.example"), send(at("/", kept, sender(), footer), to("/thanks")), done(saying(at("/thanks", footer), "paragraph", "If there is a problem, write to us."))}},
		"an answer to a form sent by a script": {outcome: walk.Succeeded, steps: []walk.StepRecord{enter(at("/", email, sender()), email, "a@b.example"), send(at("/", email, sender()), walk.Effect{Mutated: true, Requests: []walk.Request{{Method: "POST", URL: "https://example.com/api", Status: 422, Kind: "fetch"}}}), send(at("/", kept, sender()), to("/thanks")), done(at("/thanks"))}},
		"a page that wants to know who asks":   {outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", join), join, walk.Effect{Navigated: true, Mutated: true, URL: "https://example.com/join", Status: 401}), done(at("/join"))}},
		"another site's page that is gone":     {outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", partner), partner, walk.Effect{Navigated: true, Mutated: true, URL: "https://other.example/", Status: 403}), slow(back(at("/gone"))), click(at("/", join), join, to("/join")), done(at("/join"))}},
		"back to what a form was answered":     {outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", partner), partner, to("/x")), slow(again), click(at("/", join), join, to("/join")), done(at("/join"))}},
		"a dialog called what was clicked":     {outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", join), join, to("/join")), done(dialog)}},
		"a short hesitation":                   {outcome: walk.Succeeded, steps: []walk.StepRecord{click(at("/", join), join, to("/join"), sig(walk.SigHesitation)), done(at("/join"))}},
	}
	for name, c := range cases {
		for _, o := range detect(c.walked()) {
			t.Errorf("%s: %s %s at step %d", name, o.Channel, o.Kind, o.Step)
		}
	}
}

// TestAViewDoesNotInheritJumps: a page that draws its next view itself has
// jumped once, where it did.
func TestAViewDoesNotInheritJumps(t *testing.T) {
	t.Parallel()
	join := link("#join", "Sign up", "https://example.com/join")
	first, next := at("/", join), at("/join")
	first.Vitals.CLS, next.Vitals.CLS = 0.4, 0.4
	var jumped []string
	for _, o := range detect(scene{outcome: walk.Succeeded, steps: []walk.StepRecord{click(first, join, to("/join")), done(next)}}.walked()) {
		if o.Kind == LayoutShift {
			jumped = append(jumped, o.Template)
		}
	}
	if len(jumped) != 1 || jumped[0] != Template(first.URL) {
		t.Errorf("jumps on %v", jumped)
	}
}

// TestJumpsHinderWhoSeesThem: who hears a page has no place on the screen to lose.
func TestJumpsHinderWhoSeesThem(t *testing.T) {
	t.Parallel()
	jump := at("/")
	jump.Vitals.CLS = 0.4
	for blind, want := range map[bool]Channel{false: Observed, true: Static} {
		s := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{done(jump)}}
		s.who.Facets.ScreenReader = blind
		if got := kinds(detect(s.walked()))[LayoutShift].Channel; got != want {
			t.Errorf("hears it %v: %s", blind, got)
		}
	}
}

func TestAConsentBannerIsANote(t *testing.T) {
	t.Parallel()
	close := link("#close", "Reject all", "")
	put := func(text string) walk.StepRecord {
		r := click(saying(at("/", close), "paragraph", text), close, walk.Effect{Mutated: true}, walk.Signal{Kind: walk.SigInterrupted, Detail: text})
		r.Decision.Purpose = walk.Dismiss
		return r
	}
	for text, want := range map[string]Channel{"We use cookies": Static, "Join our newsletter!": Observed} {
		got := kinds(detect(scene{outcome: walk.Succeeded, steps: []walk.StepRecord{put(text), done(at("/"))}}.walked()))
		if got[Interruption].Channel != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestAuditGoesToTheAppendix(t *testing.T) {
	t.Parallel()
	p := at("/", link("#join", "Sign up", "https://example.com/join"))
	p.Violations = []walk.Violation{{Rule: "region", Impact: "moderate", Selectors: []string{"#x"}}, {Rule: "image-alt", Impact: "critical", Selectors: []string{"#logo"}}}
	s := NewSession("ses_1", scene{outcome: walk.Succeeded, steps: []walk.StepRecord{done(p)}}.walked())
	got := Audit([]Session{s, s})
	if len(got) != 2 || got[0].Rule != "image-alt" || got[0].Sessions != 2 || got[0].Pages[0] != "example.com" || got[1].Selectors[0] != "#x" {
		t.Errorf("%+v", got)
	}
	for _, o := range s.Observations {
		t.Errorf("an audit of what nobody used became an issue: %+v", o)
	}
}

// TestOnlyTheNearestWayIsMissed: what a wrong turn offered is not missed on the
// way, and neither is a page before one that could be gone to at once.
func TestOnlyTheNearestWayIsMissed(t *testing.T) {
	t.Parallel()
	join, plans := link("#join", "Sign up", "https://example.com/join"), link("#plans", "Sign up plans", "https://example.com/plans")
	look := link("#look", "Look around", "https://example.com/join")
	aside := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
		click(at("/", link("#x", "Sign up offers", "https://example.com/x"), join), link("#x", "Sign up offers", "https://example.com/x"), to("/x")),
		back(at("/x", look)), click(at("/", join), join, to("/join")), done(at("/join")),
	}}
	if o, there := kinds(detect(aside.walked()))[UnclearLabel]; there {
		t.Errorf("on a wrong turn: %+v", o)
	}
	vague := link("#vague", "Dive in", "https://example.com/plans")
	home := at("/", vague, join, link("#x", "Offers", "https://example.com/x"))
	round := scene{outcome: walk.Succeeded, steps: []walk.StepRecord{
		click(home, link("#x", "Offers", "https://example.com/x"), to("/x")), click(at("/x", plans), plans, to("/plans")),
		click(at("/plans", join), join, to("/join")), done(at("/join")),
	}}
	if o, there := kinds(detect(round.walked()))[UnclearLabel]; there {
		t.Errorf("before a page that could be gone to at once: %+v", o)
	}
}

// TestWordsThatNobodyCanRead: white on white costs who uses it a guess, however large the
// button is.
func TestWordsThatNobodyCanRead(t *testing.T) {
	t.Parallel()
	pale := sender()
	pale.Contrast, pale.Salience, pale.FontSize, pale.Colours = 1.1, 0.9, 16, "#e4e6e8 on #f1f3f4"
	r := send(at("/form", pale), posted("/thanks"))
	r.Decision.Target = &pale
	s := NewSession("ses_1", scene{outcome: walk.Succeeded, steps: []walk.StepRecord{r, done(at("/thanks"))}}.walked())
	at := slices.IndexFunc(s.Observations, func(o Observation) bool { return o.Kind == LowContrast })
	if at < 0 || s.Observations[at].Channel != Observed || s.Observations[at].CostMS == 0 {
		t.Fatalf("%+v", s.Observations)
	}
}

// TestWordsThatSayLittleAreTold: a named control with words that promise little is not
// said to have no name.
func TestWordsThatSayLittleAreTold(t *testing.T) {
	t.Parallel()
	o := seen(UnclearLabel, start, "a.com", "#tables")
	o.Detail, o.Element.Name, o.Consequence, o.CostMS = vague, "Tables", ConsequenceRecovered, 20000
	i := first(Rank(many(4, func(id string) Session { return won(id, o) })))[0]
	if i.Title != "“Tables” does not say what is behind it" || strings.Contains(i.Description, "no readable name") || strings.Contains(i.Suggestion, "accessible name") {
		t.Errorf("%+v", i)
	}
}
