package forager

import "testing"

// TestApplications: things are made one after the other, looked over before they are
// sent, and changed where they are.
func TestApplications(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "two things with one field", task: `Put "Salt" and "Soap" on the list`,
		site: `@ / | Shopping
			# Shopping
			field What is missing? -> /~one
			@ /~one | Shopping
			# Shopping
			field What else? -> /~two
			- Salt
			@ /~two | Shopping
			# Shopping
			field What else? -> /
			- Salt
			- Soap`,
		want: "type What is missing?=Salt, press Enter, type What else?=Soap, press Enter, done",
	}, {
		name: "a preview is looked at and then sent", task: `Open a ticket with the title "Lift stands still"`,
		site: `@ / | House
			# House
			link New ticket -> /new
			@ /new | New ticket
			# New ticket
			[form]
			field Title
			submit Preview -> /look
			@ /look | New ticket
			# New ticket
			[form]
			field Title = Lift stands still
			submit Preview -> /look
			submit Submit -> /ticket
			@ /ticket | Ticket 7
			# Lift stands still`,
		want: "click New ticket, type Title=Lift stands still, click Preview, click Submit, done",
	}, {
		name: "a deed counts where its thing is named", task: `Delete the ticket "Lift stands still"`,
		site: `@ / | Reports
			# Reports
			- Tickets by month | button Delete -> /~gone
			link All tickets -> /all
			@ /~gone | Reports
			# Reports
			link All tickets -> /all
			@ /all | Tickets
			# Tickets
			- Lift stands still | button Delete -> /all~gone
			- Door is loud | button Delete
			@ /all~gone | Tickets
			# Tickets
			- Door is loud | button Delete`,
		want: "click All tickets, click Delete, done",
	}})
}
