package sites

// spot is a place on the way of a task.
type spot struct {
	task, path, selector string
	background           string // behind the element, "" for white
}

// anchors are the places of a site where faults lie on a visitor's way. A spot
// without a task means that the site has no such place.
type anchors struct {
	// link leads on. Where the page has several links to the same place outside
	// its footer, the selector has all of them.
	link spot
	// send is a button of the way, and form the one of a form with fields.
	send, form spot
	// field is a text field that everybody has to fill in, and strict one whose
	// values people write in several ways.
	field, strict spot
	// page is one that the visitor has to look at.
	page spot
	// text is a page to be read; the selector is what is looked for, if the page
	// is read for that.
	text spot
	// plain is a page with headings and paragraphs around the way on.
	plain spot
	// gate is a page that could be kept for those with an account.
	gate spot
	// last is the button that makes it binding, where money is in play.
	last spot
	// away is a page that is on nobody's way.
	away string
}

// places are the anchors of every site.
var places = map[string]anchors{
	Shop: {
		link:   spot{"order", "/basket", `main a[href="/checkout"]`, ""},
		send:   spot{"order", "/p/tidepool-mug", "form.buy button", "#fbf8f3"},
		form:   spot{"order", "/checkout", `form[action="/checkout"] button`, "#fbf8f3"},
		field:  spot{"order", "/checkout", "#postcode", ""},
		strict: spot{"order", "/checkout", "#email", ""},
		page:   spot{"order", "/p/tidepool-mug", "", ""},
		text:   spot{"order", "/p/tidepool-mug", "", ""},
		plain:  spot{"order", "/p/tidepool-mug", "form.buy", ""},
		gate:   spot{"order", "/checkout", "", ""},
		last:   spot{"order", "/checkout", `form[action="/checkout"] button`, ""},
		away:   "/about",
	},
	SaaS: {
		link:   spot{"sign_up", "/", `header a[href="/signup"], main a[href="/signup"]`, ""},
		send:   spot{"sign_up", "/signup", "main form button", ""},
		form:   spot{"sign_up", "/signup", "main form button", ""},
		field:  spot{"sign_up", "/signup", "#email", ""},
		strict: spot{"sign_up", "/signup", "#password", ""},
		page:   spot{"price", "/pricing", "", ""},
		text:   spot{"import", "/docs/import", "article ol", ""},
		plain:  spot{"price", "/pricing", ".plans", ""},
		gate:   spot{"import", "/docs/import", "", ""},
		last:   spot{"sign_up", "/signup", "main form button", ""},
		away:   "/terms",
	},
	Docs: {
		link:  spot{"restore", "/", `a[href="/restore-files"]`, ""},
		send:  spot{"feedback", "/install", `form.helpful button[value="yes"]`, ""},
		form:  spot{"feedback", "/install", `form.helpful button[value="yes"]`, ""},
		page:  spot{"exit_code", "/exit-codes", "", ""},
		text:  spot{"exit_code", "/exit-codes", "article table", ""},
		plain: spot{"schedule", "/schedule", "article pre, article table", ""},
		gate:  spot{"schedule", "/schedule", "", ""},
		away:  "/faq",
	},
	Clinic: {
		link:   spot{"book", "/", `header a[href="/book"], main a[href="/book"], main a[href="/book/service?service=physio"]`, ""},
		send:   spot{"book", "/book/time", "main form button", ""},
		form:   spot{"book", "/book/details", "main form button", ""},
		field:  spot{"book", "/book/details", "#phone", ""},
		strict: spot{"book", "/book/details", "#phone", ""},
		page:   spot{"book", "/book/clinician", "", ""},
		text:   spot{"book", "/book/time", "", ""},
		plain:  spot{"book", "/book/service", "", ""},
		gate:   spot{"book", "/book/clinician", "", ""},
		last:   spot{"book", "/book/review", "main form button", ""},
		away:   "/team",
	},
	Bank: {
		link:   spot{"message", "/messages", `main a[href="/messages/new"]`, "#f2f4f9"},
		send:   spot{"transfer", "/transfer/confirm", "main form button", "#f2f4f9"},
		form:   spot{"message", "/messages/new", "main form button", "#f2f4f9"},
		field:  spot{"transfer", "/transfer/amount", "#amount", ""},
		strict: spot{"transfer", "/transfer/amount", "#amount", ""},
		page:   spot{"transfer", "/transfer", "", ""},
		text:   spot{"rate", "/accounts/saver/details", "dl.facts", ""},
		plain:  spot{"transfer", "/transfer/confirm", "dl.facts", ""},
		last:   spot{"transfer", "/transfer/confirm", "main form button", ""},
		away:   "/security",
	},
	News: {
		link:   spot{"weekly", "/", `header a[href="/newsletters"], main a[href="/newsletters"]`, "#fffdf8"},
		send:   spot{"weekly", "/newsletters", "main form button", "#fffdf8"},
		form:   spot{"letter", "/letters/write", "main form button", "#fffdf8"},
		field:  spot{"letter", "/letters/write", "#subject", ""},
		strict: spot{"letter", "/letters/write", "#email", ""},
		page:   spot{"pool", "/story/swimming-pool", "", ""},
		text:   spot{"pool", "/story/swimming-pool", "article.story p:nth-of-type(5)", ""},
		plain:  spot{"letter", "/letters/write", "", ""},
		gate:   spot{"pool", "/story/swimming-pool", "", ""},
		away:   "/about",
	},
	Permit: {
		link:   spot{"permit", "/parking/resident-permit", `main a[href="/parking/apply/eligibility"]`, ""},
		send:   spot{"missed_bin", "/bins/missed", "main form button", ""},
		form:   spot{"permit", "/parking/apply/about-you", "main form button", ""},
		field:  spot{"permit", "/parking/apply/vehicle", "#registration", ""},
		strict: spot{"permit", "/parking/apply/about-you", "#email", ""},
		page:   spot{"permit", "/parking/resident-permit", "", ""},
		text:   spot{"band", "/council-tax/bands", "table.bands", ""},
		plain:  spot{"permit", "/parking/resident-permit", "", ""},
		gate:   spot{"permit", "/parking/apply/eligibility", "", ""},
		last:   spot{"permit", "/parking/apply/check", "main form button", ""},
		away:   "/accessibility",
	},
	App: {
		link:   spot{"preorder", "/order", `main a[href="/order/pickup"]`, "#fdf6ea"},
		send:   spot{"preorder", "/item/seeded-sourdough", `form.buy button:not([type="button"])`, "#fdf6ea"},
		form:   spot{"preorder", "/order/details", "main form button", "#fdf6ea"},
		field:  spot{"preorder", "/order/details", "#name", ""},
		strict: spot{"preorder", "/order/details", "#phone", ""},
		page:   spot{"preorder", "/order/pickup", "", ""},
		text:   spot{"nuts", "/item/honey-oat-loaf", "", ""},
		plain:  spot{"preorder", "/item/seeded-sourdough", "form.buy", ""},
		gate:   spot{"preorder", "/order/pickup", "", ""},
		last:   spot{"preorder", "/order/details", "main form button", ""},
		away:   "/about",
	},
}
