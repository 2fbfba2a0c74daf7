package forager

import (
	"testing"

	"understudy/domain/persona"
)

// TestWhatIsInTheWay: banners are answered, what lies under something is not used,
// what did nothing is tried once more and no further.
func TestWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a banner that asks for consent is answered", task: "Open the prices",
		site: `@ /~new | Salon
			# Salon
			link Prices -> /prices
			We use cookies to remember you. Do you accept cookies?
			button Accept all -> /
			@ / | Salon
			# Salon
			link Prices -> /prices
			@ /prices | Prices
			# Prices
			A cut is 30 pounds.`,
		want: "click Accept all, click Prices, done",
	}, {
		name: "what lies under something is not used", task: "Open the prices",
		site: `@ / | Salon
			# Salon
			link Prices -> /wrong ; covered
			link Price list -> /prices
			@ /prices | Price list
			# Prices
			A cut is 30 pounds.`,
		want: "click Price list, done",
	}, {
		name: "what is disabled is not used", task: "Open the prices",
		site: `@ / | Salon
			# Salon
			button Prices -> /wrong ; disabled
			link Price list -> /prices
			@ /prices | Price list
			# Prices
			A cut is 30 pounds.`,
		want: "click Price list, done",
	}, {
		name: "what does nothing is tried once more, then another", task: "Open the prices",
		site: `@ / | Salon
			# Salon
			button Prices
			link Price list -> /prices
			@ /prices | Price list
			# Prices
			A cut is 30 pounds.`,
		want: "click Prices, click Prices, click Price list, done",
	}, {
		name: "a button of the site's bar that was used in vain is left on the next page", task: "Find out when the workshop for beginners starts",
		site: `@ / | Studio
			[navigation]
			button Workshop -> /workshop
			link Calendar -> /calendar
			[]
			# Studio
			We work with clay.
			@ /workshop | The room
			[navigation]
			button Workshop -> /workshop
			link Calendar -> /calendar
			[]
			# The room
			It has a kiln and six wheels.
			@ /calendar | Calendar
			[navigation]
			button Workshop -> /workshop
			link Calendar -> /calendar
			[]
			# Calendar
			It is a long list.
			~
			The workshop for beginners starts on 4 May at 18:00.`,
		want: "click Workshop, click Calendar, scroll, done",
	}})
}

// TestOneOfMany: by its number, by its row, by what it costs.
func TestOneOfMany(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "the last result", task: "Click the last search result",
		site: `@ / | Results
			- link Alder -> /alder
			- link Birch -> /birch
			- link Cedar -> /cedar
			@ /cedar | Cedar
			# Cedar`,
		want: "click Cedar, done",
	}, {
		name: "the cheapest", task: "Open the cheapest boat",
		site: `@ / | Boats
			# Our fleet
			- link Boat Anna -> /anna | £90.00
			- link Boat Berta -> /berta | £45.00
			- link Boat Clara -> /clara | £120.00
			@ /berta | Boat Berta
			# Boat Berta
			She takes four.`,
		want: "click Boat Berta, done",
	}, {
		name: "what stands beside the name", task: "Delete the note \"Bread\"",
		site: `@ / | Notes
			# Notes
			- Milk | button Delete -> /~milk
			- Bread | button Delete -> /~bread
			- Salt | button Delete -> /~salt
			@ /~bread | Notes
			# Notes
			- Milk | button Delete
			- Salt | button Delete`,
		want: "click Delete, done",
	}})
}

// TestSeveralThingsInARow: one sentence after the other, and a value before what
// sends it.
func TestSeveralThingsInARow(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "open and then find out", task: "Open the prices. Find out what a cut costs.",
		site: `@ / | Salon
			# Salon
			link Prices -> /prices
			link Team -> /team
			@ /prices | Prices
			# Prices
			A cut costs 30 pounds.
			@ /team | Team
			# Team`,
		want: "click Prices, done",
	}, {
		name: "enter and then send, whatever the button is called", task: "Enter \"Ada\" into the name field and press \"Send\"",
		site: `@ / | Hello
			# Hello
			[form]
			field Name
			submit Send -> /thanks
			@ /thanks | Thanks
			# Thanks`,
		want: "type Name=Ada, click Send, done",
	}, {
		name: "what undoes it is not used", task: "Log in as ada with the password lovelace",
		site: `@ / | Desk
			# Desk
			link Log out -> /out
			~
			link Account -> /in
			@ /in | Log in
			# Log in
			[form]
			field User name
			field Password
			submit Log in -> /desk
			@ /desk | Your desk
			# Your desk
			Welcome, Ada.`,
		want: "scroll, click Account, type User name=ada, type Password=lovelace, click Log in, done",
	}})
}

// TestDeedsAreCarriedThrough: what is handed over is sent, what is found is used, and the
// cheapest is told once all were seen.
func TestDeedsAreCarriedThrough(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "what is chosen is ordered", task: "Order one of each item: Oat and plum tart, Rye loaf",
		site: `@ / | Bakery
			# Bread
			- Oat and plum tart | button +
			- Plum cake | button +
			- Rye loaf | button +
			button Order! -> /thanks
			@ /thanks | Bakery
			# Thank you
			We bake it tonight.`,
		want: "click +, click +, click Order!, done",
	}, {
		name: "a search finds what is booked, and the cheapest is taken of all", task: "Book the cheapest ferry from: Leith to: Oban",
		site: `@ / | Ferries
			# Book your ferry
			field From
			field To
			submit Search -> /found
			@ /found | Ferries
			Leith to Oban
			button Book ferry for $62 -> /wrong
			~
			button Book ferry for $48 -> /booked
			~
			button Book ferry for $55 -> /wrong
			@ /booked | Ferries
			# Booked
			Have a good journey.
			@ /wrong | Ferries
			# Booked
			Have a good journey.`,
		want: "type From=Leith, type To=Oban, click Search, scroll, scroll, go to Book ferry for $48, click Book ferry for $48, done",
	}, {
		name: "a dialog that one was told of is not put away", task: `Click the button in the dialog labeled "Keep"`,
		site: `@ / | Desk
			# Desk
			[dialog] Old files
			There are old files.
			button Cancel -> /wrong
			~
			button Keep -> /kept
			@ /kept | Desk
			# Kept
			@ /wrong | Desk
			# Desk`,
		want: "scroll in Cancel, click Keep, done",
	}, {
		name: "a field that hardly shows is found on a second look", task: `Enter "tea" into the text field`, f: faintly,
		site: `@ / | Desk
			# Desk
			field Wish -> /kept ; faint
			@ /kept | Desk
			# Kept`,
		want: "type Wish=tea, press Enter, done",
	}, {
		name: "who counts counts what is hard to read", task: "Click on the 3rd link", f: persona.Facets{Vision: persona.Vision{ContrastFactor: 2, MinFont: 9}},
		site: `@ / | Desk
			# Desk
			- link Ann -> /ann
			- link Bea -> /bea ; faint
			- link Cai -> /cai
			- link Dot -> /dot
			@ /cai | Cai
			# Cai
			Cai is here.
			@ /bea | Bea
			# Bea
			@ /ann | Ann
			# Ann
			@ /dot | Dot
			# Dot`,
		want: "click Cai, done",
	}})
}

// faintly is somebody who makes little of faint words.
var faintly = persona.Facets{Vision: persona.Vision{ContrastFactor: 1.3, MinFont: 9}}
