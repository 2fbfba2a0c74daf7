package sites

// Task is something a visitor can get done on a site.
type Task struct {
	// Name tells tasks of one site apart.
	Name string
	// Task is the sentence given to the simulated user.
	Task string
	// Start is the path to start from.
	Start string
	// Truth is the goal that /_truth shows once the task is done.
	Truth string
	// Success is an explicit condition in the words of POST /tests; nil where
	// the oracle has to judge by itself.
	Success *Success
	// Answer is text that answers the question when the task is one: who has had
	// it on the screen knows it, on whichever page it was. "" for other tasks.
	Answer string
}

// Success has the fields of the same names in POST /tests.
type Success struct {
	URLMatches      string `json:"url_matches,omitempty"`
	TextVisible     string `json:"text_visible,omitempty"`
	SelectorVisible string `json:"selector_visible,omitempty"`
}

// Tasks lists what can be done on each site.
var Tasks = map[string][]Task{
	App:    appTasks,
	Permit: permitTasks,
	Bank:   bankTasks,
	News:   newsTasks,
	Shop: {
		{"order", "Order a Tidepool Mug and have it sent to your home", "/", "order_placed",
			&Success{TextVisible: "Thank you for your order"}, ""},
		{"basket", "Put a vase into your basket", "/", "vase_in_basket", nil, ""},
		{"returns", "Find out how many days you have to return something you bought", "/", "returns_read",
			&Success{URLMatches: "/returns"}, "30 days"},
		{"contact", "Send the shop a message asking about a broken plate", "/", "message_sent",
			&Success{TextVisible: "we have your message"}, ""},
	},
	SaaS: {
		{"sign_up", "Sign up for a free trial", "/", "signed_up",
			&Success{TextVisible: "Welcome aboard"}, ""},
		{"price", "Find out what the Harbour plan costs per month", "/", "pricing_seen",
			&Success{URLMatches: "/pricing"}, "£24"},
		{"import", "Find out how to import bank transactions", "/", "import_guide_read",
			&Success{URLMatches: "/docs/import"}, ""},
		{"log_in", "Log in as demo@tidewater.example with the password tideline-demo", "/", "logged_in", nil, ""},
	},
	Docs: {
		{"restore", "Find out how to restore a deleted file", "/", "read_restore-files",
			&Success{URLMatches: "/restore-files"}, ""},
		{"schedule", "Find out how to make a backup every night", "/", "read_schedule", nil, ""},
		{"exit_code", "Look up what exit code 3 means", "/", "read_exit-codes",
			&Success{TextVisible: "The repository is locked"}, "The repository is locked by"},
		{"feedback", "Tell the authors that the installation page was helpful", "/", "feedback_sent",
			&Success{TextVisible: "Thank you for your feedback"}, ""},
	},
	Clinic: {
		{"book", "Book a physiotherapy appointment", "/", "physiotherapy_booked",
			&Success{TextVisible: "Your appointment is booked"}, ""},
		{"prices", "Find out what a dental check-up costs", "/", "prices_seen",
			&Success{URLMatches: "/services"}, "£42"},
		{"hours", "Find out when the clinic is open on Saturday", "/", "hours_seen",
			&Success{URLMatches: "/visit"}, "9.00 to 13.00"},
	},
}
