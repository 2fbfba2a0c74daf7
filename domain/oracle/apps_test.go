package oracle_test

import (
	"strings"
	"testing"

	"understudy/domain/oracle"
	"understudy/domain/task"
	"understudy/domain/walk"
)

func swap(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }

func TestRowsOfApplicationsAreChanged(t *testing.T) {
	const files = "@ /files | Drive\n# Files\n- Minutes March | button Rename | button Delete\n- Budget 2027 | button Rename | button Delete\n- Song book | button Rename | button Delete"
	const inline = "@ /files | Drive\n# Files\n- Minutes March | button Rename | button Delete\n- field File name = Budget 2027 ; id f\n- Song book | button Rename | button Delete"
	renamed := swap(files, "Budget 2027", "Budget 2028")
	typed := swap(inline, "Budget 2027", "Budget 2028")
	rename := `Rename the file "Budget 2027" to "Budget 2028"`
	begun := []step{{"", files}, {"click Rename @ Budget", inline}, {"type File name = Budget 2028", typed}}
	then := func(s ...step) []step { return append(append([]step{}, begun...), s...) }

	const sure = "\nDelete “Song book” for good? ; dialog\nbutton Cancel ; dialog\nbutton Delete for good ; dialog"
	const without = "@ /files | Drive\n# Files\n- Minutes March | button Rename | button Delete\n- Budget 2027 | button Rename | button Delete"
	drop := `Delete the file "Song book"`
	const lone = "@ /files | Drive\n# Files\n- Budget 2027 | button Rename | button Delete"

	const board = "@ /board | Garden\n# Garden\n[To do]\n- Prune the pear | button Move\n- Fix the hose | button Move\n[Doing]\n- Dig the pond | button Move"
	const moved = "@ /board | Garden\n# Garden\n[To do]\n- Fix the hose | button Move\n[Doing]\n- Dig the pond | button Move\n- Prune the pear | button Move"
	const menu = board + "\n[Move to]\n- option To do | option Doing"
	move := `Move the card "Prune the pear" to the column "Doing"`

	const todo = "@ /todo | To-dos\n# To-dos\n- Buy seeds | check Buy seeds ; id a\n- Water ferns | check Water ferns ; id b\nfield New to-do ="
	const mail = "@ /mail | Mail\n# Inbox\nbutton Archive\nbutton Delete\n- Elke: the keys | check Select Elke ; id a\n- Olaf: the boat | check Select Olaf ; id b\n- Ada: the tickets | check Select Ada ; id c"
	picked := swap(mail, "Select Olaf ;", "Select Olaf on ;")
	const archived = "@ /mail | Mail\n# Inbox\n! 1 message archived\nbutton Archive\nbutton Delete\n- Elke: the keys | check Select Elke ; id a\n- Ada: the tickets | check Select Ada ; id c"
	archive := "Archive the mail from Olaf."
	judge(t, []judged{
		{"renamed where it stands", rename, then(step{"press Enter = File name > PATCH /files/2 200 1", renamed}), yes},
		{"renamed without a server", rename, then(step{"press Enter = File name", renamed}), yes},
		{"the new name is refused", rename, then(step{"press Enter = File name > PATCH /files/2 409 1", typed + "\n! A file of that name already exists."}), no},
		{"shown at first and taken back", rename, then(step{"press Enter = File name > PATCH /files/2 500 1", renamed}, step{"wait", files}), no},
		{"escaped from", rename, then(step{"press Escape = File name", files}), no},
		{"another file renamed", rename, []step{{"", files}, {"click Rename @ Song", swap(files, "- Song book | button Rename | button Delete", "- field File name = Song book ; id f")}, {"type File name = Budget 2028", swap(files, "- Song book | button Rename | button Delete", "- field File name = Budget 2028 ; id f")}, {"press Enter = File name > PATCH /files/3 200 1", swap(files, "Song book", "Budget 2028")}}, short},

		{"moved by dragging", move, []step{{"", board}, {"drag > PATCH /cards/1 200 0", moved}}, yes},
		{"dragged, and the server refuses", move, []step{{"", board}, {"drag > PATCH /cards/1 500 0", moved}}, no},
		{"dragged, and it jumps back", move, []step{{"", board}, {"drag > PATCH /cards/1 200 0", moved}, {"wait", board}}, short},
		{"moved by its menu", move, []step{{"", board}, {"click Move @ Prune", menu}, {"click Doing > PATCH /cards/1 200 1", moved}}, yes},
		{"moved by its menu without a server", move, []step{{"", board}, {"click Move @ Prune", menu}, {"click Doing", moved}}, yes},
		{"the menu only opened", move, []step{{"", board}, {"click Move @ Prune", menu}}, no},
		{"another card by the menu", move, []step{{"", board}, {"click Move @ Fix", menu}, {"click Doing > PATCH /cards/2 200 1", swap(board, "- Fix the hose | button Move\n", "", "- Dig the pond | button Move", "- Dig the pond | button Move\n- Fix the hose | button Move")}}, no},
		{"to another column", move, []step{{"", board + "\n[Done]\n- Rake"}, {"drag > PATCH /cards/1 200 0", swap(board, "- Prune the pear | button Move\n", "") + "\n[Done]\n- Rake\n- Prune the pear | button Move"}}, no},

		{"deleted after a confirmation", drop, []step{{"", files}, {"click Delete @ Song", files + sure}, {"click Delete for good > DELETE /files/3 204 0", without}}, yes},
		{"deleted where it was searched for", drop, []step{{"", files + "\nsearch Find ="}, {"type Find = Song book", "@ /files | Drive\n# Files\n- Song book | button Rename | button Delete\nsearch Find = Song book"}, {"click Delete @ Song", "@ /files | Drive\n# Files\nsearch Find = Song book"}}, yes},
		{"gone from a list of one", drop, []step{{"", "@ /files | Drive\n# Files\n- Song book | button Delete"}, {"click Delete @ Song", "@ /files | Drive\n# Files"}}, short},
		{"not confirmed", drop, []step{{"", files}, {"click Delete @ Song", files + sure}}, no},
		{"the confirmation cancelled", drop, []step{{"", files}, {"click Delete @ Song", files + sure}, {"click Cancel", files}}, no},
		{"deleted while the others go on", drop, []step{{"", swap(files, "2027", "2027 being looked over, none of 20 kB done", "March", "March being looked over, none of 30 kB done")}, {"click Delete @ Song > POST /rpc 200 9", swap(without, "2027", "2027 stands ready, shared among twelve friends", "March", "March stands ready, shared among twelve friends")}}, yes},
		{"deleted with all the others", drop, []step{{"", files}, {"click Delete @ Song > DELETE /files 200 0", "@ /files | Drive\n# Files\nNothing here."}}, short},
		{"deleted with a bar to undo", drop, []step{{"", files}, {"click Delete @ Song > DELETE /files/3 200 0", without + "\n! Song book was deleted\nbutton Undo"}}, yes},
		{"deleted and undone", drop, []step{{"", files}, {"click Delete @ Song > DELETE /files/3 200 0", without + "\n! Song book was deleted\nbutton Undo"}, {"click Undo > POST /files/3/restore 200 0", files}}, no},
		{"deleting is refused", drop, []step{{"", files}, {"click Delete @ Song > DELETE /files/3 403 0", files + "\n! You may not do that"}}, no},
		{"deleting is refused after it was gone from the list", drop, []step{{"", files}, {"click Delete @ Song > DELETE /files/3 500 0", without}}, no},
		{"another deleted", drop, []step{{"", files}, {"click Delete @ Minutes > DELETE /files/1 204 0", swap(files, "- Minutes March | button Rename | button Delete\n", "")}}, no},
		{"another deleted, then searched away", drop, []step{{"", files}, {"click Delete @ Minutes > DELETE /files/1 204 0", swap(files, "- Minutes March | button Rename | button Delete\n", "")}, {"scroll", lone}}, short},
		{"deleted on its own page", drop, []step{{"", "@ /files | Drive\n# Files\n- Minutes March | link Minutes March\n- Song book | link Song book"}, {"click Song book", "@ /files/3 | Song book\n# Song book\nSongs for the evening.\nbutton Delete"}, {"click Delete > DELETE /files/3 204 0", "@ /files | Drive\n# Files\n- Minutes March | link Minutes March"}}, yes},

		{"ticked", `Mark the task "Water ferns" as done`, []step{{"", todo}, {"click Water ferns > PATCH /todos/2 200 0", swap(todo, "check Water ferns ;", "check Water ferns on ;")}}, yes},
		{"ticked without a server", `Tick the to-do "Water ferns"`, []step{{"", todo}, {"check Water ferns", swap(todo, "check Water ferns ;", "check Water ferns on ;")}}, yes},
		{"another ticked", `Mark the task "Water ferns" as done`, []step{{"", todo}, {"click Buy seeds > PATCH /todos/1 200 0", swap(todo, "check Buy seeds ;", "check Buy seeds on ;")}}, no},
		{"ticked and refused", `Mark the task "Water ferns" as done`, []step{{"", todo}, {"click Water ferns > PATCH /todos/2 500 0", swap(todo, "check Water ferns ;", "check Water ferns on ;")}}, no},
		{"ticked and unticked", `Mark the task "Water ferns" as done`, []step{{"", todo}, {"click Water ferns > PATCH /todos/2 200 0", swap(todo, "check Water ferns ;", "check Water ferns on ;")}, {"click Water ferns > PATCH /todos/2 200 0", todo}}, no},
		{"added to the list", `Add the to-do "Mow the lawn"`, []step{{"", todo}, {"type New to-do = Mow the lawn", todo + " Mow the lawn"}, {"press Enter = New to-do > POST /todos 201 1", todo + "\n- Mow the lawn | check Mow the lawn"}}, yes},

		{"archived by the tool bar", archive, []step{{"", mail}, {"click Select Olaf", picked}, {"click Archive > POST /mail/archive 200 0", archived}}, yes},
		{"archived without a server", archive, []step{{"", mail}, {"click Select Olaf", picked}, {"click Archive", archived}}, yes},
		{"selected only", archive, []step{{"", mail}, {"click Select Olaf", picked}}, no},
		{"another archived", archive, []step{{"", mail}, {"click Select Elke", swap(mail, "Select Elke ;", "Select Elke on ;")}, {"click Archive > POST /mail/archive 200 0", swap(mail, "- Elke: the keys | check Select Elke ; id a\n", "")}}, no},
		{"two archived", archive, []step{{"", mail}, {"click Select Olaf", picked}, {"click Select Elke", swap(picked, "Select Elke ;", "Select Elke on ;")}, {"click Archive > POST /mail/archive 200 0", swap(archived, "- Elke: the keys | check Select Elke ; id a\n", "")}}, short},
		{"nothing was selected", archive, []step{{"", mail}, {"click Archive", mail + "\n! Please select a message."}}, no},
		{"deleted, not archived", archive, []step{{"", mail}, {"click Select Olaf", picked}, {"click Delete > DELETE /mail/2 200 0", swap(archived, "archived", "deleted")}}, short},
		{"archived and undone", archive, []step{{"", mail}, {"click Select Olaf", picked}, {"click Archive > POST /mail/archive 200 0", archived + "\nbutton Undo"}, {"click Undo > POST /mail/restore 200 0", mail}}, no},
		{"found and deleted by its icon", "Find the email by Olaf and click the trash icon to delete it.", []step{{"", "@ /mail | Mail\n# Inbox\n- Elke: the keys | button trash\n- Olaf: the boat | button trash"}, {"click trash @ Olaf", "@ /mail | Mail\n# Inbox\n- Elke: the keys | button trash"}}, yes},
		{"another deleted by its icon", "Find the email by Olaf and click the trash icon to delete it.", []step{{"", "@ /mail | Mail\n# Inbox\n- Elke: the keys | button trash\n- Olaf: the boat | button trash"}, {"click trash @ Elke", "@ /mail | Mail\n# Inbox\n- Olaf: the boat | button trash"}}, short},
	})
}

// TestWhatAnApplicationTookStandsThere: where no server is asked, and where nothing of it is
// shown but that it was done.
func TestWhatAnApplicationTookStandsThere(t *testing.T) {
	const club = "@ /club | Club\n# Shelves\n- General | button Rename\n- Maps | button Rename"
	inline := swap(club, "- General | button Rename", "- field  = General ; id f")
	typed := swap(inline, "= General", "= Poems")
	shelf := `Start a club and rename its shelf "General" to "Poems".`
	begun := []step{{"", "@ / | Clubs\nbutton Start a club"}, {"click Start a club", club}, {"click Rename @ General", inline}, {"type f = Poems", typed}}

	const layers = "@ /map | huts\n# Layers\nfield  = huts ; id l"
	named := swap(layers, "= huts", "= shelters")
	layer := `Rename the layer "huts" to "shelters"`

	const books = "@ /books | Books\n# Books\nfield Name = ; form 1 ; id n\nfield Balance = ; form 1 ; id b\nsubmit Create"
	piggy := swap(books, "Name =", "Name = Piggy bank")
	full := swap(piggy, "Balance =", "Balance = 250")
	const account = "@ /books/1 | Books\nPiggy bank\n- link Piggy bank 250.00"
	open := `Create a purse called "Piggy bank" with a balance of 250`

	const board = "@ /board | Move\n# Board\nbutton New task\nlink Order chairs"
	const card = "@ /board/1 | Order chairs\n# Order chairs\nfield Title = Order chairs ; id t"
	const fresh = "@ /new | Board\n# New task\nfield Title = Untitled ; id t"
	put := `Put a new card on the board: "Return the keys"`
	keyed := func(form string) string {
		return swap(form, "= Order chairs", "= Return the keys", "= Untitled", "= Return the keys")
	}
	now := swap(board, "Order chairs", "Return the keys")

	const hall = "@ /hall | Hall\n# Hall\nselect Paper = A5 : A4, A5 ; form 1 ; id p\nsubmit Set options"
	paper := "The printer Hall should print on A4 paper. Change its options."
	set := func(told string) []step {
		return []step{{"", hall}, {"select Paper = A4", swap(hall, "= A5", "= A4")}, {"click Set options > POST /admin 200 1", "@ /admin | Options\n# Options\n" + told}}
	}

	bread := "The bread of 3 May costs 4.20, not 2.40. Correct that in the book."
	book := func(typed, shown string) []step {
		const at = "@ /book/edit | Book\n# Edit the book\narea Text = "
		return []step{{"", at + `05-03 Bread 2.40\n05-09 Cheese 2.40` + " ; form 1 ; id t\nsubmit Save"}, {"type Text = " + strings.ReplaceAll(typed, `\n`, "\n"), at + typed + " ; form 1 ; id t\nsubmit Save"},
			{"click Save > POST /book 303 1", "@ /book | Book\n# The book\n" + shown}}
	}

	const prefs = "@ /settings | Settings\n# Settings\nselect Theme = Light : Light, Dark ; form 1 ; id t\nfield Hosts = ; form 1 ; id h ; error Hosts to allow, for example fonts.example\nsubmit Update"
	dark := swap(prefs, "= Light", "= Dark")

	const mail = "@ /mail | Mail\n# Inbox\nbutton Folder actions\nlink Compose"
	const compose = "@ /compose | Compose\n# Compose\n- To | field Recipient = ; form 1\n- Subject | field Subject = ; form 1 ; id s\nsubmit Send"
	judge(t, []judged{
		{"begun, and named in its place", shelf, append(begun[:4:4], step{"press Enter = f", swap(club, "General", "Poems")}), yes},
		{"begun, and another named", shelf, []step{begun[0], begun[1], {"click Rename @ Maps", swap(club, "- Maps | button Rename", "- field  = Maps ; id f")}, {"type f = Poems", swap(club, "- Maps | button Rename", "- field  = Poems ; id f")}, {"press Enter = f", swap(club, "Maps", "Poems")}}, short},
		{"the page is called so", layer, []step{{"", layers}, {"type l = shelters", named}, {"press Enter = l", swap(named, "| huts", "| shelters")}}, yes},
		{"the page is not called so", layer, []step{{"", layers}, {"type l = shelters", named}, {"press Enter = l", named}}, short},
		{"entered in a form whose lines are rows", `Add a sailor named "Ivo Lund"`, []step{{"", "@ /new | Insert\n- link Sailors\n- link Boats\n# Insert\n- Name | field  = ; form 1 ; id n\nsubmit Save"}, {"type n = Ivo Lund", "@ /new | Insert\n- link Sailors\n- link Boats\n# Insert\n- Name | field  = Ivo Lund ; form 1 ; id n\nsubmit Save"}, {"click Save > POST /new 302 1", "@ /sailors | List\n- link Sailors\n- link Boats\n# List\n- Ada Reed\n- Ivo Lund"}}, yes},
		{"read in the cell of a row", `Find out how many seats the boat "Tern" has.`, []step{{"", "@ / | Boats\n# Boats\n- Gull ; of Name | 2 ; of Seats | 2011 ; of Built\n- Tern ; of Name | 4 ; of Seats | 2016 ; of Built"}}, yes},
		{"told of both names in one sentence", `Rename the page "Old mill" to "Mill"`, []step{{"", "@ /mill | Old mill\n# Old mill\nIt ground corn.\nlink Move"}, {"click Move", "@ /move | Move page\n# Move Old mill\nfield  = Old mill ; form 1 ; id t\nsubmit Move page"}, {"type t = Mill", "@ /move | Move page\n# Move Old mill\nfield  = Mill ; form 1 ; id t\nsubmit Move page"}, {"click Move page > POST /move 200 1", "@ /moved | Move succeeded\n# Move succeeded\nOld mill has been moved to Mill."}}, yes},
		{"an amount within a text", bread, book("05-03 Bread 4.20\\n05-09 Cheese 2.40", "- 05-03 Bread 4.20\n- 05-09 Cheese 2.40"), yes},
		{"that of something else", bread, book("05-03 Bread 2.40\\n05-09 Cheese 4.20", "- 05-03 Bread 2.40\n- 05-09 Cheese 4.20"), short},
		{"an amount with more digits", open, []step{{"", books}, {"type Name = Piggy bank", piggy}, {"type Balance = 250", full}, {"click Create", account}}, yes},
		{"another amount", open, []step{{"", books}, {"type Name = Piggy bank", piggy}, {"type Balance = 250", full}, {"click Create", swap(account, "250.00", "25.00")}}, short},
		{"told in a sentence about it", paper, set("The options of the printer Hall have been set successfully."), yes},
		{"told of another", paper, set("The options of the printer Attic have been set successfully."), short},
		{"told that it failed", paper, set("The options of the printer Hall could not be set successfully."), short},
		{"what is said beside a field from the first is no refusal", "Change your settings so that the pages are dark.", []step{{"", "@ / | Reader\nlink Settings"}, {"click Settings", prefs}, {"select Theme = Dark", dark}, {"click Update > POST /settings 302 1", dark}}, yes},
		{"written over another's name", put, []step{{"", board}, {"click Order chairs", card}, {"type Title = Return the keys", keyed(card)}, {"press Enter = Title > PUT /board/1 200 1", keyed(card)}, {"wait", now}}, no},
		{"written over what a new one is called at first", put, []step{{"", board}, {"click New task", fresh}, {"type Title = Return the keys", keyed(fresh)}, {"press Enter = Title > POST /board 201 1", board + "\nlink Return the keys"}}, yes},
		{"entered into something else", `Create a new folder for your mail, "Holidays".`, []step{{"", mail}, {"click Compose", compose}, {"type Subject = Holidays", swap(compose, "Subject =", "Subject = Holidays")}, {"click Send > POST /send 200 1", mail}}, short},
	})
}

func TestWhatAListOffersIsSentWithItsForm(t *testing.T) {
	const book = "@ /book | Accounts\n# Accounts\nfield Description = ; form 1\nfield Account = ; form 1\nsubmit Add"
	said := swap(book, "Description =", "Description = Rope")
	typed := swap(said, "Account =", "Account = Cash box")
	begun := []step{{"", book}, {"type Description = Rope", said}, {"type Account = Cash box", typed + "\noption Cash box"}, {"click Cash box", typed}}
	asked := `Add an entry with the description "Rope" and the account "Cash box"`
	judge(t, []judged{
		{"sent", asked, append(begun[:4:4], step{"click Add > POST /add 303 1", book + "\n- Rope | Cash box"}), yes},
		{"only picked", asked, begun, short},
		{"refused", asked, append(begun[:4:4], step{"click Add > POST /add 422 1", typed + "\n! Something is missing"}), no},
	})
}

func TestPreferencesAreKept(t *testing.T) {
	const atOnce = "@ /prefs | Preferences\n# Preferences\nswitch Reading receipts ; id r\nswitch Large type ; id l"
	const stored = "@ /prefs | Preferences\n# Preferences\nswitch Reading receipts ; id r\nswitch Large type ; id l\nselect Time zone = Lisbon : Lisbon, Tokyo, Lima ; id z\nfield Display name = Ann Hill ; id n\nbutton Save changes"
	const limits = "@ /prefs | Options\n# Options\ncheck Speed on ; id s | number  = 100 ; id n"
	on := func(s string) string { return swap(s, "Large type ;", "Large type on ;") }
	tokyo := swap(stored, "= Lisbon", "= Tokyo")
	berg := swap(stored, "= Ann Hill", "= Ann Berg")
	const home = "@ / | Reed\n# Hello\nlink Preferences"
	turn, zone, name := "Turn on large type.", "Change the time zone to Tokyo", "Change your display name to Ann Berg"
	judge(t, []judged{
		{"applies at once", turn, []step{{"", atOnce}, {"click Large type > PUT /prefs 200 0", on(atOnce)}}, yes},
		{"applies at once without a server", turn, []step{{"", atOnce}, {"click Large type", on(atOnce)}}, yes},
		{"applied at once and refused", turn, []step{{"", atOnce}, {"click Large type > PUT /prefs 503 0", on(atOnce)}}, no},
		{"refused and snapped back", turn, []step{{"", atOnce}, {"click Large type > PUT /prefs 503 0", atOnce + "\n! That did not work, try again"}}, no},
		{"the wrong row", turn, []step{{"", atOnce}, {"click Reading receipts > PUT /prefs 200 0", swap(atOnce, "receipts ;", "receipts on ;")}}, no},
		{"stood so from the beginning", turn, []step{{"", on(atOnce)}, {"scroll", on(atOnce)}}, short},
		{"to be saved and not saved", turn, []step{{"", stored}, {"click Large type", on(stored)}}, short},
		{"left without saving", turn, []step{{"", home}, {"click Preferences", stored}, {"click Large type", on(stored)}, {"back", home}, {"click Preferences", stored}}, no},
		{"saved by a button", turn, []step{{"", stored}, {"click Large type", on(stored)}, {"click Save changes > PUT /prefs 200 1", on(stored) + "\n! Saved"}}, yes},
		{"saving is refused", turn, []step{{"", stored}, {"click Large type", on(stored)}, {"click Save changes > PUT /prefs 422 1", on(stored) + "\n! Not saved"}}, no},
		{"another switched, then saved", turn, []step{{"", stored}, {"click Reading receipts", swap(stored, "receipts ;", "receipts on ;")}, {"click Save changes > PUT /prefs 200 1", swap(stored, "receipts ;", "receipts on ;") + "\n! Saved"}}, no},
		{"chosen and saved", zone, []step{{"", stored}, {"select Time zone = Tokyo", tokyo}, {"click Save changes > PUT /prefs 200 1", tokyo + "\n! Saved"}}, yes},
		{"chosen, not saved", zone, []step{{"", stored}, {"select Time zone = Tokyo", tokyo}}, short},
		{"another zone saved", zone, []step{{"", stored}, {"select Time zone = Lima", swap(stored, "= Lisbon", "= Lima")}, {"click Save changes > PUT /prefs 200 1", swap(stored, "= Lisbon", "= Lima") + "\n! Saved"}}, no},
		{"chosen where it applies at once", zone, []step{{"", swap(stored, "\nbutton Save changes", "")}, {"select Time zone = Tokyo > PUT /prefs 200 1", swap(tokyo, "\nbutton Save changes", "")}}, yes},
		{"the name saved", name, []step{{"", stored}, {"type Display name = Ann Berg", berg}, {"click Save changes > PUT /prefs 200 1", berg + "\n! Saved"}}, yes},
		{"the name typed and left", name, []step{{"", home}, {"click Preferences", stored}, {"type Display name = Ann Berg", berg}, {"back", home}}, short},
		{"a field called by what stands before it", "Set the speed to 500.", []step{{"", limits}, {"type n = 500 > PUT /prefs 200 1", swap(limits, "= 100", "= 500")}}, yes},
		{"a field called otherwise", "Set the speed to 500.", []step{{"", swap(limits, "Speed", "Port")}, {"type n = 500 > PUT /prefs 200 1", swap(limits, "Speed", "Port", "= 100", "= 500")}}, short},
		{"the name refused", name, []step{{"", stored}, {"type Display name = Ann Berg", berg}, {"click Save changes > PUT /prefs 400 1", berg + "\n! That name is not valid"}}, no},
		{"the name there after coming back", name, []step{{"", home}, {"click Preferences", stored}, {"type Display name = Ann Berg", berg}, {"click Save changes", berg}, {"back", home}, {"click Preferences", berg}}, yes},
	})
}

func TestAccountsAndPages(t *testing.T) {
	const gate = "@ /login | Log in\n# Log in\nfield E-mail = ; form 1\npassword Password ; form 1\nsubmit Log in\nlink Create an account"
	in := swap(gate, "E-mail =", "E-mail = ida@reed.example")
	login := "Log in with the e-mail address ida@reed.example and the password Reed-17"
	entered := []step{{"", gate}, {"type E-mail = ida@reed.example", in}, {"type Password = Reed-17", in}}
	then := func(a []step, s ...step) []step { return append(append([]step{}, a...), s...) }

	const form = "@ /signup | Create an account\n# Create an account\nfield Name = ; form 1\nfield E-mail = ; form 1\npassword Password ; form 1\nsubmit Create account"
	signup := "Create a new account for Ida Moss with the e-mail address ida@reed.example and the password Reed-17"
	named := swap(form, "Name =", "Name = Ida Moss")
	full := swap(named, "E-mail =", "E-mail = ida@reed.example")
	signed := []step{{"", form}, {"type Name = Ida Moss", named}, {"type E-mail = ida@reed.example", full}, {"type Password = Reed-17", full}}

	wiki := func(name, text string) string {
		return "@ /wiki/" + strings.ToLower(name) + " | Club wiki\n# " + name + "\n" + text + "\nlink Edit"
	}
	editor := func(name, text string) string {
		return "@ /wiki/" + strings.ToLower(name) + "?edit | Club wiki\n# Edit " + name + "\narea Text = " + text + " ; form 1 ; id t\nfield Summary = ; form 1\nsubmit Save page"
	}
	add := `Add the sentence "Bring a towel." to the page about the sauna and save the page.`
	const old = "It is open on Sundays."
	edit := func(name, typed string, last step) []step {
		return []step{{"", wiki(name, old)}, {"click Edit", editor(name, old)}, {"type Text = " + typed, editor(name, typed)}, last}
	}
	history := strings.Repeat("The sauna was built by hand in the year of the flood. ", 6)
	plea := "I would like to book the sauna for a party of twelve. " + strings.Repeat("We are quiet people and will leave early. ", 6)
	const hut = "@ /write | Write\n# Write to the club\narea Message = ; form 1\nsubmit Send"
	judge(t, []judged{
		{"added behind a long text", add, []step{{"", wiki("Sauna", history)}, {"click Edit", editor("Sauna", history)}, {"append Text = Bring a towel.", editor("Sauna", history+"Bring a towel.")}, {"click Save page > POST /wiki/sauna 302 1", wiki("Sauna", history+"Bring a towel.")}}, yes},
		{"in the middle of a text", add, edit("Sauna", "It is Bring a towel. open on Sundays.", step{"click Save page > POST /wiki/sauna 302 1", wiki("Sauna", "It is Bring a towel. open on Sundays.")}), yes},
		{"a long text is lost", add, []step{{"", wiki("Sauna", history)}, {"click Edit", editor("Sauna", history)}, {"type Text = Bring a towel.", editor("Sauna", "Bring a towel.")}, {"click Save page > POST /wiki/sauna 302 1", wiki("Sauna", "Bring a towel.")}}, short},
		{"a preview of a long text", add, []step{{"", wiki("Sauna", history)}, {"click Edit", editor("Sauna", history)}, {"append Text = Bring a towel.", editor("Sauna", history+"Bring a towel.")}, {"click Save page > POST /preview 200 1", editor("Sauna", history+"Bring a towel.") + "\n" + history + "Bring a towel."}}, short},
		{"a long message", "Send the club the message \"" + plea + "\"", []step{{"", hut}, {"type Message = " + plea, swap(hut, "Message =", "Message = "+plea)}, {"click Send > POST /messages 201 1", "@ /write | Write\n# Thank you\nWe will answer soon."}}, yes},
		{"another long message", "Send the club the message \"" + plea + "\"", []step{{"", hut}, {"type Message = " + history, swap(hut, "Message =", "Message = "+history)}, {"click Send > POST /messages 201 1", "@ /write | Write\n# Thank you\nWe will answer soon."}}, no},
		{"the password is rejected", login, then(entered, step{"click Log in > POST /login 200 2", in + "\n! The password is incorrect."}), no},
		{"rejected without a word", login, then(entered, step{"click Log in > POST /login 302 2", gate}), no},
		{"rejected with 401 and nothing shown", login, then(entered, step{"click Log in > POST /login 401 2", in}), no},
		{"let in", login, then(entered, step{"click Log in > POST /login 302 2", "@ /desk | Reed\n# Your desk\nlink Log out"}), yes},
		{"let in, and gone to the login again", login, then(entered, step{"click Log in > POST /login 302 2", "@ /desk | Reed\n# Your desk\nlink Log in"}, step{"click Log in", gate}), yes},
		{"let in on the same address", login, then(entered, step{"click Log in > POST /login 200 2", "@ /login | Reed\n# Your desk\nlink Log out"}), yes},
		{"rejected, then let in", login, then(entered, step{"click Log in > POST /login 401 2", in + "\n! The password is incorrect."}, step{"type Password = Reed-17", in}, step{"press Enter = Password > POST /login 200 2", "@ /desk | Reed\n# Your desk\nlink Log out"}), yes},
		{"with another password", login, []step{{"", gate}, {"type E-mail = ida@reed.example", in}, {"type Password = wrong", in}, {"click Log in > POST /login 302 2", "@ /desk | Reed\n# Your desk"}}, no},
		{"signed up and sent to the login", signup, then(signed, step{"click Create account > POST /signup 302 3", gate}), yes},
		{"signed up and in", signup, then(signed, step{"click Create account > POST /signup 201 3", "@ /desk | Reed\n# Welcome, Ida Moss\nlink Log out"}), yes},
		{"the address is taken", signup, then(signed, step{"click Create account > POST /signup 409 3", full + "\n! That address is already registered."}), no},
		{"told beside the field", signup, then(signed, step{"click Create account > POST /signup 200 3", swap(full, "password Password ; form 1", "password Password ; form 1 ; error At least ten letters")}), no},
		{"one field forgotten", signup, []step{{"", form}, {"type Name = Ida Moss", named}, {"type Password = Reed-17", named}, {"click Create account > POST /signup 302 2", gate}}, short},

		{"text saved on its page", add, edit("Sauna", old+" Bring a towel.", step{"click Save page > POST /wiki/sauna 302 1", wiki("Sauna", old+" Bring a towel.")}), yes},
		{"saved on another page", add, edit("Showers", old+" Bring a towel.", step{"click Save page > POST /wiki/showers 302 1", wiki("Showers", old+" Bring a towel.")}), short},
		{"saved on another page, which mentions it", add, []step{{"", wiki("Club", "All pages:\nlink The sauna")}, {"click Edit", editor("Club", `The club\nThe sauna is behind the house.`)},
			{"append Text = Bring a towel.", editor("Club", `The club\nThe sauna is behind the house.\nBring a towel.`)}, {"click Save page > POST /wiki/club 302 1", wiki("Club", "The sauna is behind the house.\nBring a towel.\nlink The sauna")}}, short},
		{"what stood there is lost", add, edit("Sauna", "Bring a towel.", step{"click Save page > POST /wiki/sauna 302 1", wiki("Sauna", "Bring a towel.")}), short},
		{"somebody else's change", add, edit("Sauna", old+" Bring a towel.", step{"click Save page > POST /wiki/sauna 409 1", editor("Sauna", old+" Bring a towel.") + "\n! Somebody changed the page meanwhile."}), no},
		{"left without saving", add, edit("Sauna", old+" Bring a towel.", step{"back", wiki("Sauna", old)}), no},
		{"added below", add, []step{{"", wiki("Sauna", old)}, {"click Edit", editor("Sauna", old)}, {"append Text = Bring a towel.", editor("Sauna", old+" Bring a towel.")}, {"click Save page > POST /wiki/sauna 302 1", wiki("Sauna", old+" Bring a towel.")}}, yes},
		{"the page shows it and the server failed", add, edit("Sauna", old+" Bring a towel.", step{"click Save page > POST /wiki/sauna 500 1", wiki("Sauna", old+" Bring a towel.")}), no},
	})
}

// TestWhatOpensInPlaceIsArrivedAt: a dialog, a disclosure or a section of the same
// page is a place, too, once what it holds was in view.
func TestWhatOpensInPlaceIsArrivedAt(t *testing.T) {
	const shelf = "@ / | Joinery\n# Joinery\nlink About\nlink Work\n## Work ; off\n- Oak bench | button Oak bench\n- Ash ladder | button Ash ladder"
	bench := `Have a closer look at the project "Oak bench".`
	const faq = "@ /faq | Help\n# Questions\nbutton What if it rains? ; id q\nbutton May I bring a dog? ; id r"
	const menu = "@ / | Choir\n# Choir\nlink Rehearsals\nlink Treasurer\n"
	judge(t, []judged{
		{"a dialog", bench, []step{{"", shelf}, {"click Oak bench", shelf + "\n## Oak bench ; dialog\nMade in spring from one single board. ; dialog"}}, yes},
		{"a dialog that a picture opens", bench, []step{{"", shelf + "\nbutton Picture 1"}, {"click Picture 1", shelf + "\n## Oak bench ; dialog\nbutton Close ; dialog"}}, yes},
		{"the dialog that a picture of another opens", bench, []step{{"", shelf + "\nbutton Picture 2"}, {"click Picture 2", shelf + "\n## Ash ladder ; dialog\nbutton Close ; dialog"}}, no},
		{"a dialog with a picture only", bench, []step{{"", shelf}, {"click Oak bench", shelf + "\nbutton Close ; dialog"}}, yes},
		{"the dialog of another", bench, []step{{"", shelf}, {"click Ash ladder", shelf + "\n## Ash ladder ; dialog\nMade in autumn for picking apples. ; dialog"}}, no},
		{"a dialog without a heading", bench, []step{{"", shelf}, {"click Oak bench", shelf + "\nMade in spring from one single board. ; dialog"}}, yes},
		{"it opens off the screen", bench, []step{{"", shelf}, {"click Oak bench", shelf + "\nMade in spring from one single board. ; off"}}, short},
		{"nothing opens", bench, []step{{"", shelf}, {"click Oak bench", shelf}}, no},
		{"only a message", bench, []step{{"", shelf}, {"click Oak bench", shelf + "\n! Images cannot be loaded now."}}, no},
		{"a disclosure", `Open the question "What if it rains?"`, []step{{"", faq}, {"click What if it rains?", faq + "\nThen we meet in the hall behind the church."}}, yes},
		{"a section that a link leads to", "Go to the section about rehearsals.", []step{{"", menu}, {"click Rehearsals", "@ /#rehearsals | Choir\nlink Rehearsals\nlink Treasurer\n## Rehearsals\nOn Mondays at eight in the hall."}}, yes},
		{"and is passed by", "Go to the section about rehearsals.", []step{{"", menu}, {"click Rehearsals", "@ /#rehearsals | Choir\n# Choir\n## Rehearsals ; off\nOn Mondays at eight in the hall. ; off"}, {"scroll > dwell 50", menu}}, short},
	})
}

// TestOnesOwnWordsAreNoAnswer: what was typed into a search is no evidence,
// wherever the page repeats it.
func TestOnesOwnWordsAreNoAnswer(t *testing.T) {
	const home = "@ / | Rowing club\n# Rowing club\nsearch Search ="
	who := "Find out who the treasurer of the club is."
	typed := step{"type Search = Treasurer Club", home + " Treasurer Club"}
	judge(t, []judged{
		{"in the field", who, []step{{"", home}, typed}, short},
		{"in the heading of the results", who, []step{{"", home}, typed, {"press Enter = Search", "@ /s?q=Treasurer+Club | Treasurer Club – search\n# Results for “Treasurer Club”\nsearch Search = Treasurer Club\nNo results for Treasurer Club."}}, short},
		{"in the field of the page that was found", who, []step{{"", home}, typed, {"press Enter = Search", "@ /s?q=Treasurer+Club | Search\n# Results\nsearch Search = Treasurer Club\nlink The board"}, {"click The board", "@ /board?highlight=Treasurer+Club | Board\n# The board\nsearch Search = Treasurer Club\nIt meets twice a year."}}, short},
		{"and then the answer", who, []step{{"", home}, typed, {"press Enter = Search", "@ /s?q=Treasurer+Club | Search\n# Results\nsearch Search = Treasurer Club\nlink The board"}, {"click The board", "@ /board | Rowing club\n# The board of the club\nTreasurer: Ellen Marsh"}}, yes},
		{"repeated in a sentence of the page", "Find out whether the project \"Account Setup\" is finished.", []step{{"", home}, {"type Search = Account Setup finished", home + " Account Setup finished"}, {"press Enter = Search", "@ /s?q=x | Search\n# Results\nlink Projects"}, {"click Projects", "@ /projects | Projects\n# Projects\nYou searched for Account Setup finished."}}, short},
		{"and then the state", "Find out whether the project \"Account Setup\" is finished.", []step{{"", home}, {"type Search = Account Setup finished", home + " Account Setup finished"}, {"press Enter = Search", "@ /s?q=x | Search\n# Results\nlink Projects"}, {"click Projects", "@ /projects | Projects\n# Projects\n- Account Setup ; of Project | Completed ; of State"}}, yes},
		{"in a hit that says it", who, []step{{"", home}, typed, {"press Enter = Search", "@ /s?q=Treasurer+Club | Search\n# Results for “Treasurer Club”\nsearch Search = Treasurer Club\nEllen Marsh is the treasurer of the club."}}, yes},
	})
}

// TestTasksOfSmallPages: what tasks of one act on one page leave behind.
func TestTasksOfSmallPages(t *testing.T) {
	const boxes = "@ / | Page\nfield First =\nfield Second =\nsubmit Submit"
	const facts = "@ / | Page\n- First name ; of Label | Rosa ; of Value\n- Gender ; of Label | Female ; of Value\nfield Answer = ; form 1\nsubmit Submit"
	const list = "@ / | Page\nfield Country = ; form 1\nsubmit Submit"
	const day = "@ / | Page\nfield Date = ; form 1\nlink 5\nlink 6\nsubmit Submit"
	const menu = "@ / | Page\n- Onion tart | number Portions = 0 ; id a ; form 1\n- Pea soup | number Portions = 0 ; id b ; form 1\nsubmit Order"
	one := swap(menu, "0 ; id a", "1 ; id a")
	two := swap(one, "0 ; id b", "1 ; id b")
	const spin = "@ / | Page\nnumber Amount = 0 ; form 1\nsubmit Submit"
	judge(t, []judged{
		{"focused", "Focus into the 2nd input textbox.", []step{{"", boxes}, {"click Second", boxes}}, yes},
		{"focused another", "Focus into the 2nd input textbox.", []step{{"", boxes}, {"click First", boxes}}, no},
		{"a value of the page", "Enter the value of Gender into the text field and press Submit.", []step{{"", facts}, {"type Answer = Female", swap(facts, "Answer =", "Answer = Female")}, {"click Submit", facts}}, yes},
		{"another value of the page", "Enter the value of Gender into the text field and press Submit.", []step{{"", facts}, {"type Answer = Rosa", swap(facts, "Answer =", "Answer = Rosa")}, {"click Submit", facts}}, short},
		{"what starts so", `Enter an item that starts with "Zim" and ends with "abwe".`, []step{{"", list}, {"type Country = Zimbabwe", swap(list, "Country =", "Country = Zimbabwe")}, {"click Submit", list}}, yes},
		{"what starts otherwise", `Enter an item that starts with "Zim" and ends with "abwe".`, []step{{"", list}, {"type Country = Zambia", swap(list, "Country =", "Country = Zambia")}, {"click Submit", list}}, no},
		{"one of each", "Order one of each: Onion tart, Pea soup", []step{{"", menu}, {"type Portions @ Onion = 1", one}, {"type Portions @ Pea = 1", two}, {"click Order > POST /orders 201 1", "@ /thanks | Page\n# Thank you\nIt is on its way."}}, yes},
		{"one of one of them", "Order one of each: Onion tart, Pea soup", []step{{"", menu}, {"type Portions @ Onion = 1", one}, {"click Order > POST /orders 201 1", "@ /thanks | Page\n# Thank you\nIt is on its way."}}, short},
		{"a date that a calendar enters", "Select 12/05/2016 as the date and hit submit.", []step{{"", day}, {"click 5", swap(day, "Date =", "Date = 12/05/2016")}, {"click Submit", day}}, yes},
		{"another date", "Select 12/05/2016 as the date and hit submit.", []step{{"", day}, {"click 6", swap(day, "Date =", "Date = 12/06/2016")}, {"click Submit", day}}, no},
		{"a negative number", "Select -8 with the spinner and hit Submit.", []step{{"", spin}, {"type Amount = -8", swap(spin, "= 0", "= -8")}, {"click Submit", spin}}, yes},
		{"the number without its sign", "Select -8 with the spinner and hit Submit.", []step{{"", spin}, {"type Amount = 8", swap(spin, "= 0", "= 8")}, {"click Submit", spin}}, no},
	})
}

func TestAWalkThatEndsAtOnceReachesNothing(t *testing.T) {
	o := oracle.New(task.Parse("Delete the file Budget", nil), walk.Conditions{})
	if got := o.Verdict(); got.Status != no || got.Evidence == "" {
		t.Errorf("%+v", got)
	}
}

func TestFormsOfSeveralPages(t *testing.T) {
	const name = "@ /name | Permit\n# Your name\nfield Full name = ; form 1 ; id n\nsubmit Continue ; form 1"
	const where = "@ /place | Permit\n# Your place\nfield Town = ; form 1 ; id p\nsubmit Continue ; form 1"
	const check = "@ /check | Permit\n# Check what you entered\n- Full name | Ida Moor\n- Town | Bath\nsubmit Confirm and send ; form 1"
	const done = "@ /done | Permit\n# Thank you\nWe have it."
	all := "Fill in the permit form and send it. Your name is Ida Moor and you live in Bath."
	steps := []step{{"", name}, {"type Full name = Ida Moor", swap(name, "name =", "name = Ida Moor")}, {"click Continue > POST /name 302 1", where},
		{"type Town = Bath", swap(where, "Town =", "Town = Bath")}, {"click Continue > POST /place 302 1", check}}
	judge(t, []judged{
		{"looked over and sent", all, append(steps[:5:5], step{"click Confirm and send > POST /check 302 0", done}), yes},
		{"not sent", all, steps, short},
		{"the last page is refused", all, append(steps[:5:5], step{"click Confirm and send > POST /check 500 0", check}), short},
	})
}

func TestWhatIsLookedOverFirst(t *testing.T) {
	const start = "@ /t/7/edit | Lift stands still\n# Lift stands still\nselect Status = Open : Open, Closed ; form 1 ; id s\nsubmit Preview ; form 1"
	const shown = "@ /t/edit | Lift stands still\n# Lift stands still\nselect Status = Closed : Open, Closed ; form 1 ; id s\nsubmit Preview ; form 1\nsubmit Submit ; form 1"
	const after = "@ /t/7 | Lift stands still\n# Lift stands still\n- Status | Closed"
	chosen := swap(start, "= Open", "= Closed")
	closing := `Set the status of the ticket "Lift stands still" to closed.`
	const list = "@ /l | Shopping\n# Shopping\nfield New ="
	const one = list + "\n- Salt | check Salt ; id a"
	judge(t, []judged{
		{"looked over and sent", closing, []step{{"", start}, {"select Status = Closed", chosen}, {"click Preview > POST /t/edit 200 1", shown}, {"click Submit > POST /t/edit 302 1", after}}, yes},
		{"only looked over", closing, []step{{"", start}, {"select Status = Closed", chosen}, {"click Preview > POST /t/edit 200 1", shown}}, short},
		{"made, and not ticked off", `Put "Salt" on the list and tick off "Salt".`, []step{{"", list}, {"type New = Salt", swap(list, "New =", "New = Salt")}, {"press Enter = New", one}}, short},
		{"a row that only names it", "Find out which colour the bicycle \"Red Fox\" has.", []step{{"", "@ / | Bicycles\n# Bicycles\n- Red Fox | Paused"}}, short},
	})
}
