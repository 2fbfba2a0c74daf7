package oracle_test

import (
	"strings"
	"testing"

	"understudy/domain/oracle"
	"understudy/domain/task"
	"understudy/domain/walk"
)

const (
	yes   = walk.Verified
	maybe = walk.Unverified
	no    = walk.NotReached
	short = "short of verified" // unverified or not reached
)

// judged is a short walk with what is to be said of it.
type judged struct {
	name, task string
	steps      []step
	want       string
}

func judge(t *testing.T, cases []judged) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := walked(task.Parse(c.task, []string{"name", "secret"}), walk.Conditions{}, c.steps, nil)
			if got.Status != c.want && (c.want != short || got.Status == yes) {
				t.Errorf("%s\n got %s (%.2f, %d of %d) %s\nwant %s", c.task, got.Status, got.Confidence, got.SubgoalsDone, got.SubgoalsTotal, got.Evidence, c.want)
			}
			if got.Status == yes && got.Evidence == "" {
				t.Error("verified without evidence")
			}
		})
	}
}

func TestQuestionsAreAnsweredByWhatWasRead(t *testing.T) {
	const prices = `@ /prices | Prices – Pottery barn
		# Prices
		A day in the workshop costs £24 for adults and £11 for children.
		Aprons are lent to everybody.`
	const home = `@ / | Pottery barn
		# Welcome to the barn
		link Prices
		link Help`
	asked := "Find out how much children pay for a day in the workshop."
	judge(t, []judged{
		{"read", asked, []step{{"", home}, {"click Prices", prices}}, yes},
		{"glanced at", asked, []step{{"", home}, {"click Prices", prices}, {"back > dwell 150", home}}, short},
		{"below the screen", asked, []step{{"", home}, {"click Prices", strings.Replace(prices, "children.", "children. ; off", 1)}}, short},
		{"under a banner", asked, []step{{"", home}, {"click Prices", strings.Replace(prices, "children.", "children. ; covered", 1)}}, short},
		{"only the question", asked, []step{{"", home}, {"click Help", `@ /help | Help
			## How much do children pay for a day in the workshop?
			## Are dogs allowed?
			button How much do children pay for a day in the workshop?`}}, short},
		{"an answer of another kind", asked, []step{{"", home}, {"click Prices", `@ /prices | Prices
			# Prices
			What children pay for a day in the workshop depends on the season.`}}, short},
		{"another person's page", "Find out the phone number of Greta Holm.", []step{
			{"", "@ /staff | Staff\n# Staff\nlink Greta Holm\nlink Ivar Lund"},
			{"click Ivar Lund", "@ /staff/ivar | Ivar Lund\n# Ivar Lund\nPhone: 030 555 7712"}}, short},
		{"the person's page", "Find out the phone number of Greta Holm.", []step{
			{"", "@ /staff | Staff\n# Staff\nlink Greta Holm\nlink Ivar Lund"},
			{"click Greta Holm", "@ /staff/greta | Greta Holm\n# Greta Holm\nPhone: 030 555 7713"}}, yes},
		{"somebody else on the person's page", "Find out the phone number of Greta Holm.", []step{
			{"", "@ /staff | Staff\n# Staff\nlink Greta Holm"},
			{"click Greta Holm", "@ /staff/greta | Greta Holm\n# Greta Holm\nIn her absence: Ivar Lund, phone number 030 555 7712."}}, short},
		{"results that echo the query", "Find out what a quorum is.", []step{
			{"", "@ / | Society\nsearch Search = "},
			{"type Search = what a quorum is", "@ / | Society\nsearch Search = what a quorum is"},
			{"press Enter = Search", "@ /?q=what+a+quorum+is | Society\n# What a quorum is: 2 results\nResults for what a quorum is.\nsearch Search = what a quorum is\nlink A quorum is missing again"}}, short},
		{"a row of a table", "Find out the price of the Alto recorder.", []step{
			{"", "@ /rent | Instruments\n# Instruments for rent\n- Soprano recorder ; of Instrument | €4 ; of Price\n- Alto recorder ; of Instrument | €7 ; of Price"}}, yes},
		{"of an error page", asked, []step{{"", home}, {"click Prices > GET /prices 500 0", "@ /prices | Error\n# Something went wrong"}}, no},
	})
}

func TestPlacesAreArrivedAt(t *testing.T) {
	const home = `@ / | Reed Lake library
		# Reed Lake library
		search Search =
		link Opening hours
		link Borrowing
		link The lost atlas`
	judge(t, []judged{
		{"by its heading", "Go to the page about borrowing.", []step{{"", home}, {"click Borrowing", "@ /b | Reed Lake library\n# Borrowing\nUp to ten books."}}, yes},
		{"by the link that led there", "Open the page about borrowing.", []step{{"", home}, {"click Borrowing", "@ /b | Reed Lake library\n# What you can take home\nUp to ten books."}}, yes},
		{"by a link that names it among much else", "Open the page about borrowing.", []step{{"", home + "\nlink Fees for late return and borrowing abroad"}, {"click Fees for late return and borrowing abroad", "@ /f | Reed Lake library\n# Fees\nA penny a day."}}, short},
		{"another page", "Open the page about borrowing.", []step{{"", home}, {"click Opening hours", "@ /h | Reed Lake library\n# Opening hours\nTen to six."}}, no},
		{"not found", "Open the page about borrowing.", []step{{"", home}, {"click Borrowing > GET /b 404 0", "@ /b | Reed Lake library (404)\n# Borrowing\nNo such page."}}, short},
		{"a login in front of it", "Open the page about borrowing.", []step{{"", home}, {"click Borrowing", "@ /login?next=b | Reed Lake library\n# Borrowing\nfield Card number = ; form 1\npassword Code ; form 1\nsubmit Continue"}}, short},
		{"a named thing", "Open the article called \"The lost atlas\".", []step{{"", home}, {"click The lost atlas", "@ /a/7 | Reed Lake library\n# The lost atlas\nIn 1911 it vanished."}}, yes},
		{"only listed", "Open the article called \"The lost atlas\".", []step{{"", home}, {"scroll", home}}, no},
		{"results that echo the query", "Find the page about borrowing.", []step{{"", home}, {"type Search = borrowing", home}, {"press Enter = Search", "@ /s?q=borrowing | Borrowing – search\n# Borrowing\nsearch Search = borrowing\nlink Borrowing abroad"}}, short},
		{"a hit of the results", "Find the page about borrowing.", []step{{"", home}, {"type Search = borrowing", home}, {"press Enter = Search", "@ /s?q=borrowing | Search\n# Search\nsearch Search = borrowing\nlink Borrowing and returning"}, {"click Borrowing and returning", "@ /b | Reed Lake library\n# Borrowing and returning\nUp to ten books."}}, yes},
		{"a part of the page", "Find the section about late fees.", []step{{"", home}, {"click Borrowing", "@ /b | Reed Lake library\n# Lending\nUp to ten books.\n## Late fees\nA week costs nothing."}}, yes},
		{"a part below the screen", "Find the section about late fees.", []step{{"", home}, {"click Borrowing", "@ /b | Reed Lake library\n# Lending\nUp to ten books.\n## Late fees ; off\nA week costs nothing. ; off"}}, no},
		{"by the details of its row", "Open the details of the house called \"Heron\".", []step{
			{"", "@ /houses | Houses\n# Houses\n- Otter, two rooms | link Details\n- Heron, three rooms | link Details"},
			{"click Details @ Heron", "@ /houses/2 | Houses\n# Three rooms by the lake\nA stove and a boat."}}, yes},
		{"the details of another row", "Open the details of the house called \"Heron\".", []step{
			{"", "@ /houses | Houses\n# Houses\n- Otter, two rooms | link Details\n- Heron, three rooms | link Details"},
			{"click Details @ Otter", "@ /houses/1 | Houses\n# Two rooms by the lake\nA stove."}}, no},
		{"the cheapest", "Open the cheapest house.", []step{
			{"", "@ /houses | Houses\n# Houses\n- Otter, €80 a night | link Otter\n- Heron, €60 a night | link Heron"},
			{"click Heron", "@ /houses/2 | Houses\n# Heron house\nA stove and a boat."}}, yes},
		{"not the cheapest", "Open the cheapest house.", []step{
			{"", "@ /houses | Houses\n# Houses\n- Otter, €80 a night | link Otter\n- Heron, €60 a night | link Heron"},
			{"click Otter", "@ /houses/1 | Houses\n# Otter house\nA stove."}}, short},
	})
}

func TestWhatIsSentIsTakenByTheSite(t *testing.T) {
	const form = `@ /contact | Contact
		# Write to us
		area Message = ; form 1
		submit Send
		field Newsletter address = ; form 2
		submit Subscribe ; form 2`
	typed := strings.Replace(form, "Message =", "Message = Do you repair oboes?", 1)
	asked := `Send the workshop the message "Do you repair oboes?"`
	fill := []step{{"", form}, {"type Message = Do you repair oboes?", typed}}
	then := func(steps ...step) []step { return append(append([]step{}, fill...), steps...) }
	const gate = `@ /login | Log in
		# Log in
		field E-mail = ; form 1
		password Password ; form 1
		submit Log in`
	in := strings.Replace(gate, "E-mail =", "E-mail = ida@reed.example", 1)
	login := "Log in with the e-mail address ida@reed.example and the password Reed-17"
	filled := []step{{"", gate}, {"type E-mail = ida@reed.example", in}, {"type Password = Reed-17", in}}
	with := func(steps ...step) []step { return append(append([]step{}, filled...), steps...) }
	judge(t, []judged{
		{"taken", asked, then(step{"click Send > POST /messages 201 1", "@ /contact | Contact\n# Write to us\n! We have your message."}), yes},
		{"the form is gone", asked, then(step{"click Send", "@ /contact | Contact\n# Write to us\n! We have your message."}), yes},
		{"typed only", asked, fill, no},
		{"closed instead", asked, then(step{"click Send > missed dialog", typed}), no},
		{"refused", asked, then(step{"click Send > POST /messages 500 1", typed + "\n! Thank you, we have your message."}), no},
		{"an error is shown", asked, then(step{"click Send > POST /messages 200 1", typed + "\n! Please enter your name."}), no},
		{"words alone", asked, then(step{"click Send", typed + "\n! Thank you, we have your message."}), short},
		{"the newsletter in the background", asked, then(step{"scroll > POST /newsletter 200 0 background", typed}), no},
		{"another form", asked, then(step{"click Subscribe > POST /newsletter 200 0", typed + "\n! Thank you for subscribing."}), short},
		{"background takes it", asked, then(step{"click Send > POST /beacon 200 1 background", typed}), short},
		{"somebody else's site takes it", asked, then(step{"click Send > POST https://track.example.org/e 200 1", typed}), short},
		{"other words were typed", asked, []step{{"", form}, {"type Message = hello", strings.Replace(form, "Message =", "Message = hello", 1)}, {"click Send > POST /messages 201 1", "@ /contact | Contact\n# Write to us\n! We have your message."}}, no},
		{"edited away before it was sent", asked, then(step{"type Message = x", strings.Replace(form, "Message =", "Message = x", 1)}, step{"click Send > POST /messages 201 1", "@ /contact | Contact\n# Write to us\n! We have your message."}), no},
		{"logged in", login, with(step{"click Log in > POST /session 200 2", "@ /home | Home\n# Hello Ida\nbutton Log out"}), yes},
		{"logged in by a hash of it", login, with(step{"click Log in > POST /session 200 0", "@ /home | Home\n# Hello Ida\nbutton Log out"}), yes},
		{"the login shows again", login, with(step{"click Log in > POST /session 200 2", gate}), no},
		{"the login is refused", login, with(step{"click Log in > POST /session 401 2", in + "\n! Wrong password."}), no},
		{"with inputs", "Log in as {{name}} with the password {{secret}}", []step{{"", gate}, {"type E-mail = {{name}}", in}, {"type Password = {{secret}}", in}, {"click Log in > POST /session 302 2", "@ /home | Home\n# Hello Ida\nbutton Log out"}}, yes},
		{"reply to the right one", `Reply to the mail by Ann with the text "I am in."`, []step{
			{"", "@ /mail | Mail\n# Inbox\n- Ann: rehearsal | link Rehearsal on Friday\n- Tom: chairs | link The new chairs"},
			{"click Rehearsal on Friday @ Ann", "@ /mail/1 | Mail\n# Rehearsal on Friday\nfrom Ann\nbutton Reply"},
			{"click Reply", "@ /mail/1 | Mail\n# Rehearsal on Friday\narea Text =\nbutton Send"},
			{"type Text = I am in.", "@ /mail/1 | Mail\n# Rehearsal on Friday\narea Text = I am in.\nbutton Send"},
			{"click Send > POST /mail 200 1", "@ /mail/1 | Mail\n# Rehearsal on Friday\nbutton Reply"}}, yes},
		{"reply to another", `Reply to the mail by Ann with the text "I am in."`, []step{
			{"", "@ /mail | Mail\n# Inbox\n- Ann: rehearsal | link Rehearsal on Friday\n- Tom: chairs | link The new chairs"},
			{"click The new chairs @ Tom", "@ /mail/2 | Mail\n# The new chairs\nbutton Reply"},
			{"click Reply", "@ /mail/2 | Mail\n# The new chairs\narea Text =\nbutton Send"},
			{"type Text = I am in.", "@ /mail/2 | Mail\n# The new chairs\narea Text = I am in.\nbutton Send"},
			{"click Send > POST /mail 200 1", "@ /mail/2 | Mail\n# The new chairs\nbutton Reply"}}, short},
		{"still to be confirmed", "Order the blue vase.", []step{
			{"", "@ /vase | Vase\n# Blue vase\nfield Name = ; form 1\nsubmit Order"},
			{"type Name = Ida", "@ /vase | Vase\n# Blue vase\nfield Name = Ida ; form 1\nsubmit Order"},
			{"click Order > POST /orders 200 1", "@ /vase/check | Vase\n# Check your order\nbutton Place order"}}, short},
		{"ordered", "Order the blue vase.", []step{
			{"", "@ /vase | Vase\n# Blue vase\nfield Name = ; form 1\nsubmit Order"},
			{"type Name = Ida", "@ /vase | Vase\n# Blue vase\nfield Name = Ida ; form 1\nsubmit Order"},
			{"click Order > POST /orders 200 1", "@ /orders/5 | Vase\n# Thank you\nYour number is 5."}}, yes},
		{"another kind was taken", "Book a physiotherapy appointment", []step{
			{"", "@ / | Clinic\n# Clinic\nlink Book Physiotherapy\nlink Book Dental check-up"},
			{"click Book Dental check-up", "@ /book | Book\n# Who is it for?\nfield Name = ; form 1\nsubmit Continue"},
			{"type Name = Ida", "@ /book | Book\n# Who is it for?\nfield Name = Ida ; form 1\nsubmit Continue"},
			{"click Continue > POST /book 303 1", "@ /time | Book\n# When?\nfield Date = ; form 1\nsubmit Continue"},
			{"type Date = 3 May", "@ /time | Book\n# When?\nfield Date = 3 May ; form 1\nsubmit Continue"},
			{"click Continue > POST /time 303 1", "@ /review | Book\n# Nearly there\nDental check-up, Ida\nsubmit Confirm appointment"},
			{"click Confirm appointment > POST /review 303 0", "@ /done | Book\n# Your appointment is booked\nDental check-up"}}, short},
		{"the right kind was taken", "Book a physiotherapy appointment", []step{
			{"", "@ / | Clinic\n# Clinic\nlink Book Physiotherapy\nlink Book Dental check-up"},
			{"click Book Physiotherapy", "@ /book | Book\n# Who is it for?\nfield Name = ; form 1\nsubmit Continue"},
			{"type Name = Ida", "@ /book | Book\n# Who is it for?\nfield Name = Ida ; form 1\nsubmit Continue"},
			{"click Continue > POST /book 303 1", "@ /time | Book\n# When?\nfield Date = ; form 1\nsubmit Continue"},
			{"type Date = 3 May", "@ /time | Book\n# When?\nfield Date = 3 May ; form 1\nsubmit Continue"},
			{"click Continue > POST /time 303 1", "@ /review | Book\n# Nearly there\nPhysiotherapy, Ida\nsubmit Confirm appointment"},
			{"click Confirm appointment > POST /review 303 0", "@ /done | Book\n# Your appointment is booked\nPhysiotherapy"}}, yes},
		{"a message about an order is none", "Order the blue vase.", []step{
			{"", "@ /contact | Contact\n# Write to us\nselect About = : An order, Something else ; form 1\nfield Name = ; form 1\nsubmit Send message"},
			{"type Name = Ida", "@ /contact | Contact\n# Write to us\nselect About = An order : An order, Something else ; form 1\nfield Name = Ida ; form 1\nsubmit Send message"},
			{"click Send message > POST /contact 303 1", "@ /sent | Contact\n# Thank you, we have your message"}}, no},
		{"a link marks its page", "Pre-order the blue vase.", []step{
			{"", "@ /vase | Vase\n# Blue vase\nlink Order ; id o"},
			{"click Order", "@ /order | Order\n# Your order\nBlue vase\nlink Order ; id o ; current"}}, short},
		{"booked in the wrong row", "Book the yoga class.", []step{
			{"", "@ /c | Classes\n# Classes\n- Yoga class, Monday | button Book\n- Judo class, Tuesday | button Book"},
			{"click Book @ Judo > POST /book/2 200 0", "@ /c | Classes\n# Classes\n! You are booked.\n- Yoga class, Monday | button Book\n- Judo class, Tuesday | button Cancel"}}, short},
		{"booked", "Book the yoga class.", []step{
			{"", "@ /c | Classes\n# Classes\n- Yoga class, Monday | button Book\n- Judo class, Tuesday | button Book"},
			{"click Book @ Yoga > POST /book/1 200 0", "@ /c | Classes\n# Classes\n! You are booked.\n- Yoga class, Monday | button Cancel\n- Judo class, Tuesday | button Book"}}, yes},
		{"downloaded", "Download the price list.", []step{{"", "@ / | Barn\n# Barn\nlink Price list\nlink Map"}, {"click Price list > download", "@ / | Barn\n# Barn\nlink Price list\nlink Map"}}, yes},
		{"another file", "Download the price list.", []step{{"", "@ / | Barn\n# Barn\nlink Price list\nlink Map"}, {"click Map > download", "@ / | Barn\n# Barn\nlink Price list\nlink Map"}}, short},
		{"searched", `Search for "oboe reeds"`, []step{{"", "@ / | Shop\nsearch Search ="}, {"type Search = oboe reeds", "@ / | Shop\nsearch Search = oboe reeds"}, {"press Enter = Search", "@ /find?q=oboe+reeds | Shop\n# Results\nsearch Search = oboe reeds"}}, yes},
		{"searched for something else", `Search for "oboe reeds"`, []step{{"", "@ / | Shop\nsearch Search ="}, {"type Search = oboe", "@ / | Shop\nsearch Search = oboe"}, {"press Enter = Search", "@ /find?q=oboe | Shop\n# Results\nsearch Search = oboe"}}, short},
	})
}

func TestWhatIsMadeStandsThereAfterwards(t *testing.T) {
	const list = "@ /lists | Lists\n# My lists\n- Harvest | button Rename | button Delete\n- Trip | button Rename | button Delete\nfield New list =\nbutton Add"
	const renaming = "@ /lists | Lists\n# My lists\n- Harvest | button Rename | button Delete\n- field Name = Trip ; id n | button Save\nfield New list =\nbutton Add"
	rename := `Rename the list "Trip" to "Holiday"`
	add := `Create a list called "Seeds"`
	edit := `Add the sentence "No fires." to the page about the meadow and save the page.`
	const meadow = "@ /wiki/meadow | Wiki\n# Meadow\nIt is mown in June.\nlink Edit"
	const editor = "@ /wiki/meadow/edit | Wiki\n# Meadow\narea Text = It is mown in June. ; form 1\nsubmit Save\nbutton Preview ; form 1"
	both := strings.Replace(editor, "June.", "June. No fires.", 1)
	inbox := "@ /mail | Mail\n# Inbox\n- Ann: rehearsal | button Delete\n- Tom: chairs | button Delete\n- Eva: keys | button Delete"
	gone := "@ /mail | Mail\n# Inbox\n- Ann: rehearsal | button Delete\n- Eva: keys | button Delete"
	board := "@ /board | Board\n# Board\n[To do]\n- Oil the gate\n- Paint the door\n[Ready]\n- Sweep the yard"
	judge(t, []judged{
		{"renamed", rename, []step{{"", list}, {"click Rename @ Trip", renaming}, {"type Name = Holiday", strings.Replace(renaming, "Trip", "Holiday", 1)}, {"click Save > PATCH /lists/2 200 1", strings.Replace(list, "Trip", "Holiday", 1)}}, yes},
		{"renamed without a server", rename, []step{{"", list}, {"click Rename @ Trip", renaming}, {"type Name = Holiday", strings.Replace(renaming, "Trip", "Holiday", 1)}, {"press Enter = Name", strings.Replace(list, "Trip", "Holiday", 1)}}, yes},
		{"dialog closed, list unchanged", rename, []step{{"", list}, {"click Rename @ Trip", renaming}, {"type Name = Holiday", strings.Replace(renaming, "Trip", "Holiday", 1)}, {"click Save", list}}, short},
		{"another was renamed", rename, []step{{"", list}, {"click Rename @ Harvest", strings.Replace(renaming, "= Trip", "= Harvest", 1)}, {"type Name = Holiday", strings.Replace(renaming, "= Trip", "= Holiday", 1)}, {"click Save > PATCH /lists/1 200 1", strings.Replace(list, "Harvest", "Holiday", 1)}}, short},
		{"the new name only typed", rename, []step{{"", list}, {"click Rename @ Trip", renaming}, {"type Name = Holiday", strings.Replace(renaming, "Trip", "Holiday", 1)}}, no},
		{"created", add, []step{{"", list}, {"type New list = Seeds", strings.Replace(list, "New list =", "New list = Seeds", 1)}, {"click Add > POST /lists 201 1", list + "\n- Seeds | button Rename | button Delete"}}, yes},
		{"created beside others of its name, and shown where they were listed", add, []step{{"", "@ /lists | Lists\n# My lists\n- Seeds | button Delete\n- Seeds | button Delete\nlink New"}, {"click New", "@ /new | Lists\n# New list\nfield Name = ; form 1\nsubmit Add"}, {"type Name = Seeds", "@ /new | Lists\n# New list\nfield Name = Seeds ; form 1\nsubmit Add"}, {"click Add > POST /lists 200 1", "@ /lists | Lists\n# Seeds\nIt is there now."}}, yes},
		{"handed back where others of its name are listed", add, []step{{"", "@ /lists | Lists\n# My lists\n- Seeds | button Delete\n- Seeds | button Delete\nlink New"}, {"click New", "@ /new | Lists\n# New list\nfield Name = ; form 1\nsubmit Add"}, {"type Name = Seeds", "@ /new | Lists\n# New list\nfield Name = Seeds ; form 1\nsubmit Add"}, {"click Add > POST /lists 422 1", "@ /lists | Lists\n# New list\nfield Name = Seeds ; form 1 ; error There is one\nsubmit Add"}}, no},
		{"created without a server", add, []step{{"", list}, {"type New list = Seeds", strings.Replace(list, "New list =", "New list = Seeds", 1)}, {"press Enter = New list", list + "\n- Seeds | button Rename | button Delete"}}, yes},
		{"only told", add, []step{{"", list}, {"type New list = Seeds", strings.Replace(list, "New list =", "New list = Seeds", 1)}, {"click Add", list + "\n! Seeds was created"}}, short},
		{"created and deleted again", add, []step{{"", list}, {"type New list = Seeds", strings.Replace(list, "New list =", "New list = Seeds", 1)}, {"click Add > POST /lists 201 1", list + "\n- Seeds | button Rename | button Delete"}, {"click Delete @ Seeds > DELETE /lists/3 200 0", list}}, short},
		{"a page named like the verb", "Create a page about the orchard.", []step{{"", "@ /wiki | Wiki\n# Wiki\nfield Page ="}, {"type Page = create", "@ /wiki | Wiki\n# Wiki\nfield Page = create"}, {"press Enter = Page", "@ /wiki/create | Wiki\n# create\nThis page is new."}}, short},
		{"its words on a page of another name", `Create a page called "Tide tables". It should say that high water is at noon.`, []step{
			{"", "@ /nora | Wiki\n# Nora\narea Text = ; form 1\nfield Summary = ; form 1\nsubmit Save"},
			{"type Text = High water is at noon.", "@ /nora | Wiki\n# Nora\narea Text = High water is at noon. ; form 1\nfield Summary = ; form 1\nsubmit Save"},
			{"type Summary = Tide tables", "@ /nora | Wiki\n# Nora\narea Text = High water is at noon. ; form 1\nfield Summary = Tide tables ; form 1\nsubmit Save"},
			{"click Save > POST /nora 302 2", "@ /nora | Wiki\n# Nora\nHigh water is at noon.\nlink Edit"}}, short},
		{"added to the page", edit, []step{{"", meadow}, {"click Edit", editor}, {"type Text = It is mown in June. No fires.", both}, {"click Save > POST /wiki/meadow 302 1", meadow + "\nIt is mown in June. No fires."}}, yes},
		{"typed and not saved", edit, []step{{"", meadow}, {"click Edit", editor}, {"type Text = It is mown in June. No fires.", both}}, no},
		{"only a preview", edit, []step{{"", meadow}, {"click Edit", editor}, {"type Text = It is mown in June. No fires.", both}, {"click Preview > POST /preview 200 1", both + "\nIt is mown in June. No fires."}}, short},
		{"saved on another page", edit, []step{{"", "@ /wiki/pond | Wiki\n# Pond\nIt is deep.\nlink Edit"}, {"click Edit", "@ /wiki/pond/edit | Wiki\n# Pond\narea Text = It is deep. ; form 1\nsubmit Save"}, {"type Text = It is deep. No fires.", "@ /wiki/pond/edit | Wiki\n# Pond\narea Text = It is deep. No fires. ; form 1\nsubmit Save"}, {"click Save > POST /wiki/pond 302 1", "@ /wiki/pond | Wiki\n# Pond\nIt is deep. No fires.\nlink Edit"}}, short},
		{"the old text edited away", edit, []step{{"", meadow}, {"click Edit", editor}, {"type Text = No fires.", strings.Replace(editor, "It is mown in June.", "No fires.", 1)}, {"click Save > POST /wiki/meadow 302 1", "@ /wiki/meadow | Wiki\n# Meadow\nNo fires.\nlink Edit"}}, short},
		{"the save fails", edit, []step{{"", meadow}, {"click Edit", editor}, {"type Text = It is mown in June. No fires.", both}, {"click Save > POST /wiki/meadow 409 1", both}}, no},
		{"changed in its row", "Change the quantity of the blue mug to 3", []step{
			{"", "@ /cart | Cart\n# Cart\n- Blue mug | number Quantity = 1 ; id a\n- Red mug | number Quantity = 1 ; id b"},
			{"type Quantity @ Blue = 3 > PATCH /cart 200 1", "@ /cart | Cart\n# Cart\n- Blue mug | number Quantity = 3 ; id a\n- Red mug | number Quantity = 1 ; id b"}}, yes},
		{"changed in another row", "Change the quantity of the blue mug to 3", []step{
			{"", "@ /cart | Cart\n# Cart\n- Blue mug | number Quantity = 1 ; id a\n- Red mug | number Quantity = 1 ; id b"},
			{"type Quantity @ Red = 3 > PATCH /cart 200 1", "@ /cart | Cart\n# Cart\n- Blue mug | number Quantity = 1 ; id a\n- Red mug | number Quantity = 3 ; id b"}}, short},
		{"deleted", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom > DELETE /mail/2 204 0", gone}}, yes},
		{"deleted, as the page says", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom > POST /mail/2 200 0", "@ /mail | Mail\n# Deleting\nThe message has been deleted."}}, yes},
		{"all deleted, as the page says", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom > POST /mail/2 200 0", "@ /mail | Mail\n# Deleting\nAll messages have been deleted."}}, short},
		{"another deleted, as the page says", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Ann > POST /mail/1 200 0", "@ /mail | Mail\n# Deleting\nThe message has been deleted."}}, short},
		{"deleted after a question", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom", inbox + "\nDelete it? ; dialog\nbutton Yes ; dialog"}, {"click Yes", gone}}, yes},
		{"the question answered with no", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom", inbox + "\nDelete it? ; dialog\nbutton No ; dialog"}, {"click No", inbox}}, no},
		{"the wrong row", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Ann > DELETE /mail/1 204 0", "@ /mail | Mail\n# Inbox\n- Tom: chairs | button Delete\n- Eva: keys | button Delete"}}, no},
		{"all of them", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom > DELETE /mail 204 0", "@ /mail | Mail\n# Inbox\nNothing here."}}, short},
		{"deleted and restored", "Delete the message from Tom.", []step{{"", inbox}, {"click Delete @ Tom > DELETE /mail/2 204 0", gone + "\nbutton Undo"}, {"click Undo > POST /mail/2 200 0", inbox}}, no},
		{"only filtered away", "Delete the message from Tom.", []step{{"", "search Search =\n" + inbox}, {"type Search = keys", "search Search = keys\n@ /mail | Mail\n# Inbox\n- Eva: keys | button Delete"}}, no},
		{"moved", `Move the card "Oil the gate" to "Ready"`, []step{{"", board}, {"drag > PATCH /cards/1 200 0", "@ /board | Board\n# Board\n[To do]\n- Paint the door\n[Ready]\n- Sweep the yard\n- Oil the gate"}}, yes},
		{"another moved", `Move the card "Oil the gate" to "Ready"`, []step{{"", board}, {"drag > PATCH /cards/2 200 0", "@ /board | Board\n# Board\n[To do]\n- Oil the gate\n[Ready]\n- Sweep the yard\n- Paint the door"}}, no},
		{"in the cart", "Add the blue mug to the cart.", []step{{"", "@ /m | Mugs\n# Mugs\n- Blue mug | button Add to cart\n- Red mug | button Add to cart"}, {"click Add to cart @ Blue > POST /cart 200 0", "@ /m | Mugs\n# Mugs\n! Added\n- Blue mug | button Add to cart\n- Red mug | button Add to cart"}}, yes},
		{"listed in the cart of a site without a server", "Add 2 blue mugs to the cart.", []step{{"", "@ /m | Mugs\n# Mugs\n- Blue mugs | number Quantity = 1 ; id q | button Add to cart\nlink Cart"},
			{"type Quantity = 2", "@ /m | Mugs\n# Mugs\n- Blue mugs | number Quantity = 2 ; id q | button Add to cart\nlink Cart"},
			{"click Add to cart", "@ /m | Mugs\n# Mugs\n- Blue mugs | number Quantity = 2 ; id q | button Add to cart\nlink Cart\nbutton Cart (2)"},
			{"click Cart", "@ /cart | Mugs\n# Your cart\n- Blue mugs | number Quantity = 2"}}, yes},
		{"another number in the cart", "Add 2 blue mugs to the cart.", []step{{"", "@ /m | Mugs\n# Mugs\n- Blue mugs | button Add to cart\nlink Cart"},
			{"click Add to cart > POST /cart 200 0", "@ /m | Mugs\n# Mugs\n- Blue mugs | button Add to cart\nlink Cart\n! Added"},
			{"click Cart", "@ /cart | Mugs\n# Your cart\n- Blue mugs | number Quantity = 1"}}, short},
		{"another in the cart", "Add the blue mug to the cart.", []step{{"", "@ /m | Mugs\n# Mugs\n- Blue mug | button Add to cart\n- Red mug | button Add to cart"}, {"click Add to cart @ Red > POST /cart 200 0", "@ /m | Mugs\n# Mugs\n! Added\n- Blue mug | button Add to cart\n- Red mug | button Add to cart"}}, short},
	})
}

func TestControlsStandAsTheyAreWanted(t *testing.T) {
	const bare = "@ /settings | Settings\n# Settings\nswitch Weekly digest ; id d\nswitch Dark mode ; id k"
	const saved = "@ /settings | Settings\n# Settings\nswitch Weekly digest ; id d ; form 1\nswitch Dark mode ; id k ; form 1\nsubmit Save"
	on := func(s, name string) string { return strings.Replace(s, name, name+" on", 1) }
	const picks = "@ / | Choir\n# Who sings?\ncheck Anna ; form 1\ncheck Bo ; form 1\ncheck Cleo ; form 1\nsubmit Done"
	const two = "@ / | Form\n# Form\nfield First = ; form 1\nfield Second = ; form 1\nsubmit Send\nbutton Send later ; form 1"
	const stock = "@ /stock | Stock\n# Stock\nselect Sort by = Name : Name, Price\nselect Colour = All : All, Blue, Red\n- Blue mug ; of Name | €9 ; of Price\n- Red mug ; of Name | €7 ; of Price\n- Blue jug ; of Name | €12 ; of Price"
	judge(t, []judged{
		{"applies at once", "Turn on the weekly digest.", []step{{"", bare}, {"click Weekly digest", on(bare, "Weekly digest")}}, yes},
		{"called otherwise", "Turn on the dark theme.", []step{{"", bare}, {"click Dark mode", on(bare, "Dark mode")}}, yes},
		{"another switch", "Turn on the weekly digest.", []step{{"", bare}, {"click Dark mode", on(bare, "Dark mode")}}, no},
		{"flipped and flipped back", "Turn on the weekly digest.", []step{{"", bare}, {"click Weekly digest", on(bare, "Weekly digest")}, {"click Weekly digest", bare}}, no},
		{"not saved", "Turn on the weekly digest.", []step{{"", saved}, {"click Weekly digest", on(saved, "Weekly digest")}}, short},
		{"saved", "Turn on the weekly digest.", []step{{"", saved}, {"click Weekly digest", on(saved, "Weekly digest")}, {"click Save > POST /settings 200 1", on(saved, "Weekly digest") + "\n! Saved"}}, yes},
		{"not subscribed by a button that does nothing", "Sign up for the weekly newsletter", []step{{"", "@ /n | News\n# Newsletters\nradio Weekly newsletter ; form 1 ; id w\nfield E-mail = ; form 1\nbutton Subscribe ; form 1"}, {"click Weekly newsletter", "@ /n | News\n# Newsletters\nradio Weekly newsletter on ; form 1 ; id w\nfield E-mail = ; form 1\nbutton Subscribe ; form 1"}, {"type E-mail = a@b.example", "@ /n | News\n# Newsletters\nradio Weekly newsletter on ; form 1 ; id w\nfield E-mail = a@b.example ; form 1\nbutton Subscribe ; form 1"}, {"click Subscribe", "@ /n | News\n# Newsletters\nradio Weekly newsletter on ; form 1 ; id w\nfield E-mail = a@b.example ; form 1\nbutton Subscribe ; form 1"}}, short},
		{"off", "Turn off the weekly digest.", []step{{"", on(bare, "Weekly digest")}, {"click Weekly digest", bare}}, yes},
		{"followed", "Follow the potter Ida Reed.", []step{{"", "@ /p/ida | Ida Reed\n# Ida Reed\nbutton Follow ; id f"}, {"click Follow > POST /follow 200 0", "@ /p/ida | Ida Reed\n# Ida Reed\nbutton Following ; id f"}}, yes},
		{"followed and left again", "Follow the potter Ida Reed.", []step{{"", "@ /p/ida | Ida Reed\n# Ida Reed\nbutton Follow ; id f"}, {"click Follow", "@ /p/ida | Ida Reed\n# Ida Reed\nbutton Following ; id f"}, {"click Following", "@ /p/ida | Ida Reed\n# Ida Reed\nbutton Follow ; id f"}}, no},
		{"clicked", `Click on the "Send later" button.`, []step{{"", two}, {"click Send later", two}}, yes},
		{"clicked another", `Click on the "Send later" button.`, []step{{"", two}, {"click Send", two}}, no},
		{"missed", `Click on the "Send later" button.`, []step{{"", two}, {"click Send later > missed banner", two}}, no},
		{"the third", "Click the 3rd link.", []step{{"", "@ / | A\nlink One\nbutton Two\nlink Three\nlink Four"}, {"click Four", "@ /four | B"}}, yes},
		{"not the third", "Click the 3rd link.", []step{{"", "@ / | A\nlink One\nbutton Two\nlink Three\nlink Four"}, {"click Three", "@ /three | B"}}, no},
		{"chosen and sent", "Select Anna, Cleo and click Done.", []step{{"", picks}, {"click Anna", on(picks, "Anna")}, {"click Cleo", on(on(picks, "Anna"), "Cleo")}, {"click Done", "@ /thanks | Choir\n# Good"}}, yes},
		{"one too few", "Select Anna, Cleo and click Done.", []step{{"", picks}, {"click Anna", on(picks, "Anna")}, {"click Done", "@ /thanks | Choir\n# Good"}}, no},
		{"one too many", "Select Anna, Cleo and click Done.", []step{{"", picks}, {"click Anna", on(picks, "Anna")}, {"click Bo", on(on(picks, "Anna"), "Bo")}, {"click Cleo", on(on(on(picks, "Anna"), "Bo"), "Cleo")}, {"click Done", "@ /thanks | Choir\n# Good"}}, no},
		{"chosen after it was sent", "Select Anna and click Done.", []step{{"", picks}, {"click Done", picks}, {"click Anna", on(picks, "Anna")}}, no},
		{"into its field", `Enter "14" into the 2nd textbox and press Send.`, []step{{"", two}, {"type Second = 14", strings.Replace(two, "Second =", "Second = 14", 1)}, {"click Send", two}}, yes},
		{"into another field", `Enter "14" into the 2nd textbox and press Send.`, []step{{"", two}, {"type First = 14", strings.Replace(two, "First =", "First = 14", 1)}, {"click Send", two}}, no},
		{"as a time", "Enter 8:42 PM as the time and press Send.", []step{{"", two}, {"type First = 20:42", strings.Replace(two, "First =", "First = 20:42", 1)}, {"click Send", two}}, yes},
		{"the same password twice", `Enter the password "x7" into both text fields and press Send.`, []step{{"", "@ / | F\npassword New ; form 1\npassword Again ; form 1\nsubmit Send"}, {"type New = x7", "@ / | F\npassword New ; form 1\npassword Again ; form 1\nsubmit Send"}, {"type Again = x7", "@ / | F\npassword New ; form 1\npassword Again ; form 1\nsubmit Send"}, {"click Send", "@ /ok | F"}}, yes},
		{"the password once", `Enter the password "x7" into both text fields and press Send.`, []step{{"", "@ / | F\npassword New ; form 1\npassword Again ; form 1\nsubmit Send"}, {"type New = x7", "@ / | F\npassword New ; form 1\npassword Again ; form 1\nsubmit Send"}, {"click Send", "@ /ok | F"}}, no},
		{"sorted", "Sort the list by price.", []step{{"", stock}, {"select Sort by = Price", "@ /stock | Stock\n# Stock\nselect Sort by = Price : Name, Price\n- Red mug ; of Name | €7 ; of Price\n- Blue mug ; of Name | €9 ; of Price\n- Blue jug ; of Name | €12 ; of Price"}}, yes},
		{"in no order", "Sort the list by price.", []step{{"", stock}, {"select Sort by = Price", stock}}, no},
		{"filtered", `Show only the things with the colour "Blue"`, []step{{"", stock}, {"select Colour = Blue", "@ /stock | Stock\n# Stock\nselect Colour = Blue : All, Blue, Red\n- Blue mug ; of Name | €9 ; of Price\n- Blue jug ; of Name | €12 ; of Price"}}, yes},
		{"chosen and not filtered", `Show only the things with the colour "Blue"`, []step{{"", stock}, {"select Colour = Blue", strings.Replace(stock, "Colour = All", "Colour = Blue", 1)}}, short},
	})
}

func TestConditionsOfATestOverrideItsWords(t *testing.T) {
	steps := []step{{"", "@ / | Barn\nlink Prices"}, {"click Prices > GET /api/prices 200 0 background", "@ /prices | Prices\n# Prices\nA day costs £4."}}
	for _, c := range []struct {
		given walk.Conditions
		want  string
	}{
		{walk.Conditions{URLMatches: "/prices$"}, yes},
		{walk.Conditions{URLMatches: "/thanks"}, no},
		{walk.Conditions{URLMatches: "(prices"}, no},
		{walk.Conditions{TextVisible: "a  DAY costs"}, yes},
		{walk.Conditions{TextVisible: "a week costs"}, no},
		{walk.Conditions{RequestMade: "GET /api/prices"}, yes},
		{walk.Conditions{RequestMade: "POST /api/prices"}, no},
		{walk.Conditions{SelectorVisible: "#x"}, no},
		{walk.Conditions{URLMatches: "/prices", TextVisible: "a week"}, no},
	} {
		got := walked(task.Parse("Delete everything.", nil), c.given, steps, nil)
		if got.Status != c.want {
			t.Errorf("%+v: %s, %s", c.given, got.Status, got.Evidence)
		}
	}
}

func TestSeveralGoalsAreAllReached(t *testing.T) {
	const inbox = "@ /mail | Mail\n# Inbox\n- Ann: rehearsal | link Rehearsal\n- Tom: chairs | link Chairs"
	judge(t, []judged{
		{"the later implies the earlier", `Open the settings and turn on the weekly digest.`, []step{
			{"", "@ / | Reed\nlink Settings"}, {"click Settings", "@ /s | Reed\n# Settings\nswitch Weekly digest"}, {"click Weekly digest", "@ /s | Reed\n# Settings\nswitch Weekly digest on"}}, yes},
		{"only the first", `Open the settings and turn on the weekly digest.`, []step{
			{"", "@ / | Reed\nlink Settings"}, {"click Settings", "@ /s | Reed\n# Settings\nswitch Weekly digest"}}, no},
		{"found and starred", "Find the mail by Ann and star it.", []step{{"", inbox},
			{"click Rehearsal", "@ /mail/1 | Mail\n# Ann: rehearsal\nbutton Star ; id s"}, {"click Star > PUT /star 200 0", "@ /mail/1 | Mail\n# Ann: rehearsal\nbutton Unstar ; id s"}}, yes},
	})
}

// FuzzWalks: whatever is seen and done, there is a verdict, the same for the same
// walk, and traffic in the background never changes it.
func FuzzWalks(f *testing.F) {
	pages := []string{
		"@ / | A\n# A\nlink B\nfield Name =\nbutton Save\n- Ann | button Delete\n- Tom | button Delete",
		"@ /b | B\n# B\n! Saved\nfield Name = Ann\n- Tom | button Delete\nswitch Digest on",
		"@ /c?q=ann | Ann\n# Ann\nsearch Search = ann\npassword Code\nsubmit Log in\nselect Size = S : S, M\nThe fee is £4 for Ann.",
		"", "@ | \n#  \nbutton \n- | link ",
	}
	tasks := []string{"Delete the message from Ann.", "Find out the fee for Ann.", `Rename "Ann" to "Eva"`, `Search for "ann"`, "Turn on the digest and save it.", `Create a list called "Ann"`, "Log in as {{name}} with the password {{secret}}", "Open the page about B", "Sort the list by name", "Book the cheapest one", "Click the 2nd button", "Select S and click Save", `Move "Ann" to "Tom"`, ""}
	acts := []walk.ActionType{walk.Click, walk.Type, walk.Append, walk.Select, walk.Check, walk.Press, walk.Scroll, walk.Back, walk.Wait, walk.Upload, walk.Drag, walk.Done, "other"}
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "Ann")
	f.Add([]byte{2, 0, 0, 1, 0, 2, 1, 4, 5, 1, 9, 0, 3, 3, 1}, "ann \xff“")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(data) == 0 || len(data) > 200 {
			return
		}
		goal := task.Parse(tasks[int(data[0])%len(tasks)]+text, []string{"name", "secret"})
		run := func(background bool) walk.Completion {
			o := oracle.New(goal, walk.Conditions{})
			var before walk.Page
			for i := 1; i+4 < len(data); i += 5 {
				page := look(pages[int(data[i])%len(pages)])
				var d walk.Deed
				d.Action = walk.Action{Type: acts[int(data[i+1])%len(acts)], Text: text}
				if n := len(before.Elements); n > 0 && data[i+2] < 200 {
					e := before.Elements[int(data[i+2])%n]
					d.Target = &e
				}
				d.DwellMS = int(data[i+3])*40 - 100
				d.Effect.Mutated, d.Effect.Navigated, d.Effect.Arrived = data[i+4]&1 > 0, data[i+4]&2 > 0, data[i+4]&4 > 0
				if data[i+4]&8 > 0 {
					d.Effect.Requests = append(d.Effect.Requests, walk.Request{Method: "POST", URL: page.URL, Status: 200 + 100*int(data[i+4]>>6), Kind: "fetch", Carries: int(data[i+4] >> 4 & 3), Caused: true})
				}
				if background {
					d.Effect.Requests = append([]walk.Request{{Method: "POST", URL: "https://site.example/poll", Status: 500, Kind: "xhr"}, {Method: "POST", URL: "https://site.example/save", Status: 200, Kind: "fetch"}}, d.Effect.Requests...)
				}
				o.Observe(page, d)
				before = page
			}
			return o.Verdict()
		}
		got := run(false)
		if got.Confidence < 0 || got.Confidence > 1 || got.SubgoalsDone < 0 || got.SubgoalsDone > got.SubgoalsTotal || got.Evidence == "" || (got.Status == walk.Verified) != (got.Confidence >= 0.8) {
			t.Fatalf("%+v", got)
		}
		if again := run(false); again != got {
			t.Fatalf("twice the same walk: %+v and %+v", got, again)
		}
		if noisy := run(true); noisy != got {
			t.Fatalf("background traffic changed the verdict: %+v became %+v", got, noisy)
		}
	})
}
