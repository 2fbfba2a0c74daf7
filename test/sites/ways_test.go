package sites

// stop is one page of a task's way and what a visitor does on it.
type stop struct {
	path string // of the page
	// act is the link to follow or the button to press, "" on the last page.
	act string
	// fill are the answers of its form; again those of a visitor who was refused
	// and tries another way of writing them.
	fill, again string
}

// ways are the normal ways of the tasks that cases use.
var ways = map[string][]stop{
	"shop/order": {
		{"/", `main a[href="/p/tidepool-mug"]`, "", ""},
		{"/p/tidepool-mug", "form.buy button", "quantity=1", ""},
		{"/basket", `main a[href="/checkout"]`, "", ""},
		{"/checkout", `form[action="/checkout"] button`, "name=Ann+Lee&email=ann.lee@example.org&address=1+Quay+Street&city=Whitby&postcode=YO21+3PU&country=GB&delivery=standard&terms=yes", "email=ann@example.org"},
		{"/checkout/done", "", "", ""},
	},
	"saas/sign_up": {
		{"/", `header a[href="/signup"]`, "", ""},
		{"/signup", "main form button", "email=ann.lee@example.org&password=long-enough&plan=cove&terms=yes", "password=longenough"},
		{"/welcome", "", "", ""},
	},
	"saas/price":  {{"/", `header a[href="/pricing"]`, "", ""}, {"/pricing", "", "", ""}},
	"saas/import": {{"/", `header a[href="/docs"]`, "", ""}, {"/docs", `article a[href="/docs/import"]`, "", ""}, {"/docs/import", "", "", ""}},
	"docs/restore": {
		{"/", `a[href="/restore-files"]`, "", ""},
		{"/restore-files", "", "", ""},
	},
	"docs/exit_code": {{"/", `a[href="/exit-codes"]`, "", ""}, {"/exit-codes", "", "", ""}},
	"docs/schedule":  {{"/", `a[href="/schedule"]`, "", ""}, {"/schedule", "", "", ""}},
	"docs/feedback": {
		{"/", `a[href="/install"]`, "", ""},
		{"/install", `form.helpful button[value="yes"]`, "", ""},
		{"/thanks", "", "", ""},
	},
	"clinic/book": {
		{"/", `header a[href="/book"]`, "", ""},
		{"/book/service", "main form button", "service=physio", ""},
		{"/book/clinician", "main form button", "clinician=any&visit=first", ""},
		{"/book/time", "main form button", "date=2026-05-05&time=10:20", ""},
		{"/book/details", "main form button", "name=Ann+Lee&born=1980-02-03&phone=01632+960001&email=ann@example.org&consent=yes", "phone=01632960001"},
		{"/book/review", "main form button", "", ""},
		{"/book/done", "", "", ""},
	},
	"bank/transfer": {
		{"/", `main a[href="/login"]`, "", ""},
		{"/login", "main form button", "email=" + bankEmail + "&password=" + bankPassword, ""},
		{"/overview", `main a[href="/transfer"]`, "", ""},
		{"/transfer", "main form button", "to=calder", ""},
		{"/transfer/amount", "main form button", "from=current&amount=50&date=2026-05-01", "amount=50.00"},
		{"/transfer/confirm", "main form button", "", ""},
		{"/transfer/done", "", "", ""},
	},
	"bank/message": {
		{"/", `main a[href="/login"]`, "", ""},
		{"/login", "main form button", "email=" + bankEmail + "&password=" + bankPassword, ""},
		{"/overview", `header a[href="/messages"]`, "", ""},
		{"/messages", `main a[href="/messages/new"]`, "", ""},
		{"/messages/new", "main form button", "topic=mortgage&message=What+would+a+mortgage+cost", ""},
		{"/messages/sent", "", "", ""},
	},
	"bank/rate": {
		{"/", `main a[href="/login"]`, "", ""},
		{"/login", "main form button", "email=" + bankEmail + "&password=" + bankPassword, ""},
		{"/overview", `main a[href="/accounts/saver"]`, "", ""},
		{"/accounts/saver", `main a[href="/accounts/saver/details"]`, "", ""},
		{"/accounts/saver/details", "", "", ""},
	},
	"news/weekly": {
		{"/", `header a[href="/newsletters"]`, "", ""},
		{"/newsletters", "main form button", "email=ann@example.org&edition=weekly", ""},
		{"/newsletters/done", "", "", ""},
	},
	"news/letter": {
		{"/", `footer a[href="/letters/write"]`, "", ""},
		{"/letters/write", "main form button", "name=Ann+Lee&email=ann.lee@example.org&subject=The+bus&letter=The+number+14+bus+was+late+again&mine=yes", "email=ann@example.org"},
		{"/letters/sent", "", "", ""},
	},
	"news/pool": {{"/", `main a[href="/story/swimming-pool"]`, "", ""}, {"/story/swimming-pool", "", "", ""}},
	"permit/permit": {
		{"/", `main a[href="/parking/resident-permit"]`, "", ""},
		{"/parking/resident-permit", `main a[href="/parking/apply/eligibility"]`, "", ""},
		{"/parking/apply/eligibility", "main form button", "resident=yes&keeper=yes", ""},
		{"/parking/apply/about-you", "main form button", "name=Ann+Lee&born-day=3&born-month=2&born-year=1980&email=ann.lee@example.org", "email=ann@example.org"},
		{"/parking/apply/address", "main form button", "street=4+Mill+Lane&town=Eastmere&postcode=EM4+7TD", ""},
		{"/parking/apply/vehicle", "main form button", "registration=KM19+XRT&fuel=petrol&length=6", ""},
		{"/parking/apply/proof", "main form button", "", ""},
		{"/parking/apply/check", "main form button", "declaration=yes", ""},
		{"/parking/apply/done", "", "", ""},
	},
	"permit/band": {
		{"/", `main a[href="/council-tax"]`, "", ""},
		{"/council-tax", `main a[href="/council-tax/bands"]`, "", ""},
		{"/council-tax/bands", "", "", ""},
	},
	"permit/missed_bin": {
		{"/", `main a[href="/bins"]`, "", ""},
		{"/bins", `main a[href="/bins/missed"]`, "", ""},
		{"/bins/missed", "main form button", "bin=rubbish&date=2026-04-29&street=4+Mill+Lane&postcode=EM4+7TD&where=kerb", ""},
		{"/bins/missed/sent", "", "", ""},
	},
	"app/preorder": {
		{"/", `main a[href="/menu"]`, "", ""},
		{"/menu", `main a[href="/item/seeded-sourdough"]`, "", ""},
		{"/item/seeded-sourdough", `form.buy button:not([type="button"])`, "quantity=1", ""},
		{"/item/seeded-sourdough", `.toast a[href="/order"]`, "", ""},
		{"/order", `main a[href="/order/pickup"]`, "", ""},
		{"/order/pickup", "main form button", "shop=mill-lane&day=2026-05-02&time=09:00", ""},
		{"/order/details", "main form button", "name=Ann+Lee&phone=01632+960001", "phone=01632960001"},
		{"/order/done", "", "", ""},
	},
	"app/nuts": {
		{"/", `main a[href="/menu"]`, "", ""},
		{"/menu", `main a[href="/item/honey-oat-loaf"]`, "", ""},
		{"/item/honey-oat-loaf", "", "", ""},
	},
}
