package forager

import "testing"

// TestFormsOfSeveralPages: what is begun is brought to its end, wherever the next
// control stands, and what comes back is answered.
func TestFormsOfSeveralPages(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a word more below the fold", task: `Send £40 to Ines Calder`,
		site: `@ / | Bank
			# Bank
			[navigation]
			link Send money -> /send
			link Send it abroad -> /abroad
			@ /send | Send money
			[navigation]
			link Send money -> /send
			link Send it abroad -> /abroad
			[] Send money
			# Send money
			field To
			field Amount
			submit Continue -> /check
			@ /check | Check it
			[navigation]
			link Send money -> /send
			link Send it abroad -> /abroad
			[] Check it
			# Check what you entered
			40 pounds to Ines Calder
			~
			submit Confirm -> /done
			@ /done | Sent
			# Sent
			It is on its way.
			@ /abroad | Abroad
			# Abroad`,
		want: "click Send money, type To=Ines Calder, type Amount=40, click Continue, scroll, click Confirm, done",
	}, {
		name: "what the page puts first goes on", task: `Order a Seeded Loaf`,
		site: `@ / | Bakery
			# Bakery
			link Seeded Loaf -> /loaf
			link White Loaf -> /white
			@ /loaf | Seeded Loaf
			# Seeded Loaf
			Baked at night.
			submit Add to order -> /basket
			@ /basket | Your order
			# Your order
			- Seeded Loaf | submit One more -> /basket
			submit Place order -> /done
			@ /done | Thank you
			# Thank you
			We bake it.
			@ /white | White Loaf
			# White Loaf`,
		want: "click Seeded Loaf, click Add to order, click Place order, done",
	}})
}

// TestQuestionsAreAskedWhereThereIsAField: a question with a name looks it up; who came
// to find something out alters nothing on the way.
func TestQuestionsAreAskedWhereThereIsAField(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "by its kind", task: `Find out on which day rubbish is collected at the postcode EM4 7TD`,
		site: `@ / | Council
			# Council
			link Council tax -> /tax
			link Find your bin collection day -> /bins
			@ /bins | Collection days
			# Collection days
			field Postcode
			submit Show -> /days
			@ /days | Collection days
			# Collection days
			Rubbish is collected on Thursday at EM4 7TD.
			@ /tax | Council tax
			# Council tax`,
		want: "click Find your bin collection day, type Postcode=EM4 7TD, click Show, done",
	}, {
		name: "nothing is cancelled", task: `Find out how much is paid to the choir each month`,
		site: `@ / | Bank
			# Standing orders
			- The choir | button Cancel the payment to the choir -> /cancelled
			link Payments -> /payments
			@ /payments | Payments
			# Payments
			Paid to the choir each month: £12
			@ /cancelled | Cancelled
			# Cancelled`,
		want: "click Payments, done",
	}, {
		name: "where it is about, one reads on", task: `Find out when the swimming pool reopens`,
		site: `@ / | Gazette
			search Search the Gazette -> /found
			# Gazette
			link Swimming pool repairs enter their last weeks -> /pool
			link Bus 14 leaves out a stop -> /bus
			@ /pool | Swimming pool repairs enter their last weeks
			search Search the Gazette -> /found
			# Swimming pool repairs enter their last weeks
			It has been a building site for long.
			~
			The pool will reopen on Saturday 6 June.
			@ /bus | Bus
			# Bus
			@ /found | Search
			search Search the Gazette = reopens -> /found
			# Nothing was found`,
		want: "click Swimming pool repairs enter their last weeks, scroll, done",
	}})
}
