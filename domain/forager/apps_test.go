package forager

import "testing"

// TestApplications: things are made one after the other, looked over before they are
// sent, and changed where they are.
func TestApplications(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "options are fields of any kind", task: "Change the options so that a download which is added does not start automatically.",
		site: `@ / | Loads
			# Loads
			link Options -> /o
			@ /o | Options
			# Options
			[form]
			check Append a suffix
			check Do not start the download automatically
			select When a file is there = Ask : Ask, Replace
			submit Save -> /o~done
			@ /o~done | Options
			# Saved`,
		want: "click Options, check Do not start the download automatically, click Save, done",
	}, {
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
		name: "what makes another thing is left where the thing has a place of its own", task: "Create an API key called Pipeline",
		site: `@ / | Tests
			# Tests
			link New test -> /new
			Nobody has gone there yet.
			[contentinfo]
			link Tests -> /
			link Webhooks -> /hooks
			link API keys -> /keys
			@ /hooks | Webhooks
			# Webhooks
			@ /new | New test
			# New test
			field Name
			submit Start the test -> /started
			@ /started | The test runs
			# The test runs
			@ /keys | API keys
			# API keys
			link New key -> /keys/new
			@ /keys/new | New key
			# New API key
			field Name
			submit Make the key -> /made
			@ /made | Pipeline
			# Pipeline
			The key was made.`,
		want: "click API keys, click New key, type Name=Pipeline, click Make the key, done",
	}, {
		name: "a box of the row is ticked before the thing is left for its page", task: `Delete the file "old plan.txt"`,
		site: `@ / | Files
			# Files
			button Delete -> /~gone
			- check Select | link old plan.txt -> /old
			- check Select | link new plan.txt -> /new
			@ /~gone | Files
			# Files
			- check Select | link new plan.txt -> /new
			@ /old | old plan.txt
			# old plan.txt
			Tables and chairs.
			@ /new | new plan.txt
			# new plan.txt`,
		want: "check Select, click Delete, done",
	}, {
		name: "of a list of deeds the one that says the most", task: "Unless told otherwise, the oven Cellar should bake for 40 minutes. Change its default times.",
		site: `@ / | Cellar
			# Cellar
			list Service = Service : Service, Change oven, Remove oven, Set default times, Use as server default`,
		want: "select Service=Set default times, select Service=Change oven, blocked",
	}, {
		name: "what differs in its number is another", task: "Pause the webhook https://one.example/receiver-02",
		site: `@ / | Webhooks
			# Webhooks
			- link https://one.example/receiver-15 -> /15 | one was not taken
			- link https://one.example/receiver-12 -> /15 | one was not taken
			link More webhooks -> /more
			@ /more | Webhooks
			# More webhooks
			- link https://one.example/receiver-02 -> /02 | one was not taken
			@ /15 | https://one.example/receiver-15
			# https://one.example/receiver-15
			button Pause -> /paused
			@ /02 | https://one.example/receiver-02
			# https://one.example/receiver-02
			button Pause -> /paused
			@ /paused | Webhooks
			# Paused`,
		want: "click More webhooks, click https://one.example/receiver-02, click Pause, done",
	}, {
		name: "what differs in the number of its one name is another", task: "Pause the webhook http://127.0.0.1:8080/receiver-02",
		site: `@ / | Webhooks
			# Webhooks
			- link http://127.0.0.1:8080/receiver-15 -> /15 | one was not taken
			- link http://127.0.0.1:8080/receiver-12 -> /15 | one was not taken
			link More webhooks -> /more
			@ /more | Webhooks
			# More webhooks
			- link http://127.0.0.1:8080/receiver-02 -> /02 | one was not taken
			@ /15 | http://127.0.0.1:8080/receiver-15
			# http://127.0.0.1:8080/receiver-15
			button Pause -> /paused
			@ /02 | http://127.0.0.1:8080/receiver-02
			# http://127.0.0.1:8080/receiver-02
			button Pause -> /paused
			@ /paused | Webhooks
			# Paused`,
		want: "click More webhooks, click http://127.0.0.1:8080/receiver-02, click Pause, done",
	}, {
		name: "what is sent again is not made anew", task: "Send the failed deliveries of the webhook https://one.example/in again",
		site: `@ / | Webhooks
			# Webhooks
			link New webhook -> /new
			- link https://one.example/in -> /one | two were not taken
			- link https://two.example/in -> /two | all were taken
			@ /new | New webhook
			# New webhook
			field Address
			submit Make the webhook -> /made
			@ /made | https://one.example/in
			# https://one.example/in
			@ /two | https://two.example/in
			# https://two.example/in
			@ /one | https://one.example/in
			# https://one.example/in
			## Deliveries
			- link dlv_1 -> /one/1 | failed
			- link dlv_2 -> /one/2 | failed
			submit Send all of 72 hours again -> /one/again
			button Pause
			@ /one/1 | Delivery dlv_1
			# Delivery dlv_1
			@ /one/2 | Delivery dlv_2
			# Delivery dlv_2
			@ /one/again | https://one.example/in
			# https://one.example/in
			Two deliveries are sent again.`,
		want: "click https://one.example/in, click Send all of 72 hours again, done",
	}, {
		name: "controls of a row come up when it is pointed at", task: `Rename the list "Salt" to "Sea salt"`,
		site: `@ / | Lists
			# Lists
			- thing Salt -> /~over ; by hover
			- thing Soap
			@ /~over | Lists
			# Lists
			- thing Salt | button Rename -> /~edit
			- thing Soap
			@ /~edit | Lists
			# Lists
			- field Name = Salt -> /~done
			- thing Soap
			@ /~done | Lists
			# Lists
			- thing Sea salt
			- thing Soap`,
		want: "hover Salt, click Rename, type Name=Sea salt, press Enter, done",
	}, {
		name: "a thing has a menu", task: `Rename the sheet "Salt" to "Sea salt"`,
		site: `@ / | Sheets
			# Sheets
			- thing Salt -> /~menu ; by right_click
			- thing Soap
			@ /~menu | Sheets
			# Sheets
			- thing Salt
			- thing Soap
			button Delete
			button Rename -> /~edit
			@ /~edit | Sheets
			# Sheets
			- field Name = Salt -> /~done
			- thing Soap
			@ /~done | Sheets
			# Sheets
			- thing Sea salt
			- thing Soap`,
		want: "hover Salt, click Salt, right_click Salt, click Rename, type Name=Sea salt, press Enter, done",
	}, {
		name: "what was made is written over where it stands", task: `Put "Salt" on the list. Then change it to "Sea salt".`,
		site: `@ / | Shopping
			# Shopping
			field What is missing? -> /~one
			@ /~one | Shopping
			# Shopping
			field What else?
			- thing Salt -> /~edit ; by double_click
			@ /~edit | Shopping
			# Shopping
			field What else?
			- field Name = Salt -> /~done
			@ /~done | Shopping
			# Shopping
			- thing Sea salt`,
		want: "type What is missing?=Salt, press Enter, hover Salt, click Salt, right_click Salt, double_click Salt, type Name=Sea salt, press Enter, done",
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
