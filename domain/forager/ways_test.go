package forager

import (
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// TestWhatIsClosedIsOpened: a menu, when nothing that stands there promises more;
// tabs, when the task says so.
func TestWhatIsClosedIsOpened(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a closed menu is opened when nothing promises more", task: "Open the prices",
		site: `@ / | Salon
			[banner]
			button Menu -> /~menu ; closed
			[]
			# Salon
			We cut hair.
			link Team -> /team
			@ /~menu | Salon
			[banner]
			button Menu -> / ; open
			link Prices -> /prices
			link Team -> /team
			[]
			# Salon
			We cut hair.
			@ /prices | Prices
			# Prices
			A cut is 30 pounds.
			@ /team | Team
			# Team`,
		want: "click Menu, click Prices, done",
	}, {
		name: "a closed menu is left closed when a link says it", task: "Open the prices",
		site: `@ / | Salon
			[banner]
			button Menu -> /~menu ; closed
			[]
			# Salon
			We cut hair.
			link Prices -> /prices
			@ /~menu | Salon
			@ /prices | Prices
			# Prices
			A cut is 30 pounds.`,
		want: "click Prices, done",
	}, {
		name: "tabs are looked through when the task says so", task: "Switch between the tabs and click on the link \"egestas\"",
		site: `@ / | Tabs
			tab One -> / ; current
			tab Two -> /~two
			Lorem ipsum dolor.
			link sodales -> /s
			@ /~two | Tabs
			tab One -> /
			tab Two -> /~two ; current
			Sit amet.
			link egestas -> /e
			@ /e | E
			# E`,
		want: "click Two, click egestas, done",
	}})
}

// TestWhatTakesAFormAwayIsPutAway: a question that opens as one types, with the fields
// shut behind it, is answered so that one can go on; a form that is shut as it is checked
// and asks nothing is left alone.
func TestWhatTakesAFormAwayIsPutAway(t *testing.T) {
	t.Parallel()
	const form = `@ / | Log in
		# Log in
		field Username
		field Password
		submit Log in
		`
	const shut = `@ /~shut | Log in
		# Log in
		field Username ; disabled
		field Password ; disabled
		submit Log in ; disabled
		`
	for after, want := range map[string]string{
		shut + "Your session is about to expire.\nExit to the home page?\nbutton OK\nbutton Cancel": "click Cancel",
		shut + "One moment, your name is being checked.":                                            "",
	} {
		for seed := range uint64(8) {
			m := New(persona.Persona{}, task.Parse("Enter the username \"briana\" and the password \"R1H\" and press log in", nil), seed)
			b := newBrowser(siteOf(form + after))
			d := m.Step(b.look(), walk.Effect{})
			if d.Action.Type != walk.Type {
				t.Fatalf("seed %d: %s", seed, said(&d))
			}
			b.at = "/~shut"
			d = m.Step(b.look(), walk.Effect{Arrived: true, Mutated: true, URL: host + "/"})
			if put := d.Purpose == walk.Dismiss; put != (want != "") || put && said(&d) != want {
				t.Errorf("seed %d: %s for %s, wanted %q", seed, said(&d), d.Purpose, want)
			}
		}
	}
}

// TestLayersOverThePage: what comes unasked is put away, what one opened is used.
func TestLayersOverThePage(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a dialog that comes unasked is put away", task: "Find out who the treasurer is",
		site: `@ /~news | Club
			# Our club
			link Committee -> /committee
			[dialog] Our newsletter
			# Our newsletter
			Hear from us every month.
			button Close -> /
			@ / | Club
			# Our club
			link Committee -> /committee
			@ /committee | Committee
			# Committee
			The treasurer is Maria Gomez.`,
		want: "click Close, click Committee, done",
	}, {
		name: "a dialog that one opened oneself is used", task: "Delete the note \"Milk\"",
		site: `@ / | Notes
			# Notes
			- Milk | button Delete -> /~sure
			- Bread | button Delete -> /~other
			@ /~sure | Notes
			# Notes
			- Milk | button Delete
			- Bread | button Delete
			[dialog] Delete the note?
			# Delete the note Milk?
			button Cancel -> /
			button Delete -> /~gone
			@ /~gone | Notes
			# Notes
			- Bread | button Delete
			@ /~other | Notes
			# Notes`,
		want: "click Delete, click Delete, done",
	}, {
		name: "a dialog that one opened oneself is scrolled in", task: "Find out what the cancellation fee is",
		site: `@ / | Trips
			# Trips
			button Cancellation -> /~fees ; popup dialog
			@ /~fees | Trips
			# Trips
			button Cancellation
			[dialog] Terms
			# Terms
			button Close -> /
			You book for a whole party.
			~
			button Print
			~
			The cancellation fee is 25 pounds.`,
		want: "click Cancellation, scroll in Close, scroll in Print, done",
	}})
}

// TestWrongPagesAreLeft: those of a slip and those that are errors; what the site
// hands back to be put right is gone on with.
func TestWrongPagesAreLeft(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "an error page is left", task: "Find out what the annual membership costs",
		site: `@ / | Club
			# Club
			link Annual membership costs -> /membership
			link Prices -> /prices
			@ /membership | Not found (404)
			# Not found
			@ /prices | Prices
			# Prices
			The annual membership costs 40 pounds.`,
		want: "click Annual membership costs, back, click Prices, done",
	}, {
		name: "a form that the site hands back in its place is gone on with", task: "Sign up with the email ada@example.com",
		site: `@ / | Club
			# Sign up
			[form]
			field Email
			submit Sign up -> /~again
			@ /~again | Sign up (422)
			# Sign up
			[form]
			field Email = ada@example.com
			field Name ; error Please enter your name
			submit Sign up -> /welcome
			@ /welcome | Welcome
			# Welcome
			You are signed up.`,
		want: "type Email=ada@example.com, click Sign up, type Name=Robin Okafor, click Sign up, done",
	}, {
		name: "a form that the site hands back at another address is gone on with", task: "Sign up with the email ada@example.com",
		site: `@ / | Club
			# Sign up
			[form]
			field Email
			submit Sign up -> /signup
			@ /signup | Sign up (422)
			# Sign up
			[form]
			field Email = ada@example.com
			field Name ; error Please enter your name
			submit Sign up -> /welcome
			@ /welcome | Welcome
			# Welcome
			You are signed up.`,
		want: "type Email=ada@example.com, click Sign up, type Name=Robin Okafor, click Sign up, done",
	}})
}

// TestASlipIsLeft: who clicked what was not meant comes back from it, to what was meant.
func TestASlipIsLeft(t *testing.T) {
	t.Parallel()
	const crowd = `@ / | Club
		# Club
		- link Prices -> /prices ; small | link Press -> /press ; beside | link Team -> /team
		link Prices of old -> /team
		@ /prices | Prices
		# Prices
		A year is 40 pounds.
		@ /press | Press
		# Press
		They wrote of us.
		link Press prices -> /team
		@ /team | Team
		# Team`
	slips, again := 0, 0
	for seed := range uint64(40) {
		acts, _ := walkOn(crowd, "Open the prices", persona.Facets{MotorPrecision: 0.2}, seed)
		if acts[0] != "click Press" {
			continue
		}
		if slips++; acts[1] != "back" {
			t.Errorf("seed %d: %q", seed, acts)
		}
		if acts[2] == "click Prices" {
			again++
		}
	}
	if slips == 0 || again < slips/2 {
		t.Errorf("%d slipped, %d then used what they had meant", slips, again)
	}
}

// TestListsGoOverPages: what is counted goes on where the list goes on.
func TestListsGoOverPages(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "the fifth of three on a page is the second of the next", task: "Click the 5th search result",
		site: `@ / | Results
			- link Alder -> /alder
			- link Birch -> /birch
			- link Cedar -> /cedar
			link > -> /2
			@ /2 | Results
			- link Dogwood -> /dogwood
			- link Elm -> /elm
			- link Fir -> /fir
			link > -> /3
			@ /3 | Results
			@ /elm | Elm
			# Elm`,
		want: "click >, click Elm, done",
	}})
}

// TestListsOfAnApplication: things are looked for where their kind is kept.
func TestListsOfAnApplication(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "the newest of a list is its first", task: "Find out which parcels of the last order came late",
		site: `@ /orders | Orders
			[banner]
			link Orders -> /orders
			[]
			# Orders
			link New order -> /orders/new
			link Mugs and plates -> /orders/7
			link Lamps -> /orders/6
			@ /orders/new | New order
			# New order
			field What
			submit Order -> /orders/8
			@ /orders/7 | Mugs and plates
			# Mugs and plates
			Of this order, parcel 2 came late.
			@ /orders/6 | Lamps
			# Lamps
			No parcel of this order came late.`,
		want: "click Mugs and plates, done",
	}, {
		name: "what others of its kind there are does not say which one", task: "Find out which parcels of the last order came late",
		site: `@ /orders | Orders
			# Orders
			Orders: 5 parcels
			link Run again -> /orders/new
			link Mugs and plates -> /orders/7
			@ /orders/new | Orders
			# Orders
			@ /orders/7 | Mugs and plates
			# Mugs and plates
			Of this order, parcel 2 came late.`,
		want: "click Mugs and plates, done",
	}, {
		name: "one of a list is known by what its row says", task: "Find out which parcels of the last order came late and why",
		site: `@ /orders | Orders
			# Orders
			link Mugs and plates -> /orders/7
			@ /orders/7 | Mugs and plates
			# Mugs and plates
			## Parcels
			- link No. 1 -> /parcels/1 | in time | by train
			- link No. 2 -> /parcels/2 | came late | The ship was late.
			- link No. 3 -> /parcels/3 | in time | by train`,
		want: "click Mugs and plates, done",
	}, {
		name: "what is done again to a thing that is named is done where its kind is kept", task: "Send the failed deliveries of the webhook https://shop.example/hook again",
		site: `@ /jobs | Jobs
			# Jobs
			[navigation]
			link Jobs -> /jobs
			link Webhooks -> /webhooks
			[search]
			search Search jobs -> /jobs?q=hook
			submit Search -> /jobs?q=hook
			[]
			- link Pack the mugs -> /jobs/1 | button Run again -> /jobs/2
			- link Pack the lamps -> /jobs/3 | button Run again -> /jobs/4
			@ /webhooks | Webhooks
			# Webhooks
			- link https://mill.example/bill -> /webhooks/1 | failing
			- link https://shop.example/hook -> /webhooks/2 | failing
			@ /webhooks/2 | https://shop.example/hook
			# https://shop.example/hook
			3 deliveries failed.
			button Send the failed deliveries again -> /webhooks/2~sent
			@ /webhooks/2~sent | https://shop.example/hook
			# https://shop.example/hook
			3 deliveries were sent again.`,
		want: "click Webhooks, click https://shop.example/hook, click Send the failed deliveries again, done",
	}})
}

// TestWhatLiesUnderSomethingIsNotTried: a press that did not get through says nothing of
// what was meant, which is left alone until that is put away.
func TestWhatLiesUnderSomethingIsNotTried(t *testing.T) {
	t.Parallel()
	page := newBrowser(siteOf("@ / | Music\n# Music\nbutton Delete the playlist")).look()
	m := New(persona.Persona{}, task.Parse("Delete the playlist", nil), 1)
	first := m.Step(page, walk.Effect{})
	if first.Target == nil || first.Purpose != walk.Navigate {
		t.Fatalf("%+v", first)
	}
	key := keyOf(first.Target)
	second := m.Step(page, walk.Effect{Missed: "div.modal"})
	if second.Action.Ref == first.Action.Ref && second.Action.Type == walk.Click {
		t.Errorf("it is pressed again where it lies: %+v", second)
	}
	if n := m.site.tries(m.at, m.where.key, key); n != 0 {
		t.Errorf("it counts as tried %d times", n)
	}
}
