package oracle_test

import "testing"

// TestComposedWidgetsAndLists: what lists, tables and widgets of several parts show.
func TestComposedWidgetsAndLists(t *testing.T) {
	const radios = "@ / | Form\nradio Red ; group Colour ; form 1 ; id a\nradio Blue ; group Colour ; form 1 ; id b\nfield One = ; form 1\nfield Two = ; form 1\nsubmit Submit"
	blue := swap(radios, "Blue ;", "Blue on ;")
	const paste = "@ / | Form\narea Source = Sed do eiusmod. ; id s\nfield Copy = ; id c\nbutton Submit"
	const shop = "@ /mugs | Shop\n# Mugs\nbutton Sale\n- Red mug, €7 | link Red mug\n- Blue jug, €12 | link Blue jug\n- Green cup, €5 | link Green cup"
	const sale = "@ /mugs?sale | Shop\n# Mugs\nbutton Sale ; current\n- Red mug, €7 | link Red mug\n- Green cup, €5 | link Green cup"
	const trips = "@ /trips | Trips\n# Trips\n- Lake trip, 5 March 2027 | link Lake trip\n- Hill trip, 9 June 2026 | link Hill trip"
	const people = "@ /people | Club\n# People\nbutton Year\n- Ann ; of Name | 1999 ; of Year\n- Bo ; of Name | 2004 ; of Year\n- Cai ; of Name | 2001 ; of Year"
	const live = "@ /songs | Songs\n# Songs\nsearch Search =\n- Low tide\n- High tide\n- Old oak"
	const inbox = "@ /mail | Mail\n# Inbox\n- Olaf: the boat | button Move\n- Elke: keys | button Move"
	const ideas = "@ /b | Board\n# Board\n[Ideas]\n- Oil the gate\n- Paint\n[Ready]\n- Sweep"
	const ready = "@ /b | Board\n# Board\n[Ideas]\n- Paint\n[Ready]\n- Sweep\n- Oil the gate"
	const folders = inbox + "\nbutton Bills ; dialog"
	const in = "@ /desk | Reed\n# Your desk\nbutton Log out"
	const gate = "@ /login | Reed\n# Log in\nfield E-mail = ; form 1\npassword Password ; form 1\nsubmit Log in"
	const cart = "@ /cart | Shop\n# Cart\n- Red mug ; of Name | 1 ; of Number | button Change"
	const dialog = cart + "\nnumber Quantity = 1 ; dialog ; id q\nbutton Save ; dialog"
	const sum = "@ / | Sum\n7 - x = 12\nfield x = ; id x\nbutton Submit"
	const told = "\n! Your answer has been recorded."
	const form = "@ / | Form\n- Colour ; of Name | red ; of Value\n- Town ; of Name | Oslo ; of Value\nfield Colour = ; id c\nfield Town = ; id t\nbutton Submit"
	const films = "@ / | Films\n# Films\nfield Genre = ; id g\nfield Year = ; id y\nbutton Submit"
	const menu = "@ / | Menu\n# Menu\n- Rye loaf | button +\n- Oat tart | button +\nbutton Order"
	const line = "@ / | Text\nlink amet,\nlink Amet"
	const off = "@ /x | Form\n# Form\nbutton Send"
	judge(t, []judged{
		{"the 2nd radio button and the 1st field", `Check the 2nd radio button and enter the number "14" into the 1st textbox.`, []step{{"", radios}, {"click Blue", blue}, {"type One = 14", swap(blue, "One =", "One = 14")}}, yes},
		{"the 1st radio button", `Check the 2nd radio button and enter the number "14" into the 1st textbox.`, []step{{"", radios}, {"click Red", swap(radios, "Red ;", "Red on ;")}, {"type One = 14", swap(radios, "Red ;", "Red on ;", "One =", "One = 14")}}, no},
		{"copied", "Copy the text in the textarea below, paste it into the textbox and press Submit.", []step{{"", paste}, {"type Copy = Sed do eiusmod.", swap(paste, "Copy =", "Copy = Sed do eiusmod.")}, {"click Submit", paste}}, yes},
		{"copied in part", "Copy the text in the textarea below, paste it into the textbox and press Submit.", []step{{"", paste}, {"type Copy = Sed do", swap(paste, "Copy =", "Copy = Sed do")}, {"click Submit", paste}}, short},
		{"an equation that is solved", "Solve for x and type your answer into the textbox. Press Submit when done.", []step{{"", sum}, {"type x = -5", swap(sum, "x = ;", "x = -5 ;")}, {"click Submit", sum}}, yes},
		{"an equation that is not", "Solve for x and type your answer into the textbox. Press Submit when done.", []step{{"", sum}, {"type x = 5", swap(sum, "x = ;", "x = 5 ;")}, {"click Submit", sum}}, no},
		{"all fields as the page has it", "Enter the value of each label into the form and press Submit.", []step{{"", form}, {"type Colour = red", swap(form, "Colour = ;", "Colour = red ;")}, {"type Town = Oslo", swap(form, "Colour = ;", "Colour = red ;", "Town = ;", "Town = Oslo ;")}, {"click Submit", form}}, yes},
		{"one field otherwise", "Enter the value of each label into the form and press Submit.", []step{{"", form}, {"type Colour = red", swap(form, "Colour = ;", "Colour = red ;")}, {"type Town = red", swap(form, "Colour = ;", "Colour = red ;", "Town = ;", "Town = red ;")}, {"click Submit", form}}, maybe},
		{"a search that is answered", "Search for comedy films from year 1992", []step{{"", films}, {"type Genre = comedy", swap(films, "Genre = ;", "Genre = comedy ;")}, {"type Year = 1992", swap(films, "Genre = ;", "Genre = comedy ;", "Year = ;", "Year = 1992 ;")}, {"click Submit", swap(films, "Genre = ;", "Genre = comedy ;", "Year = ;", "Year = 1992 ;") + told}}, yes},
		{"one of what was taken with a plus", `Order one of each item: Rye loaf, Oat tart`, []step{{"", menu}, {"click + @ Rye", menu}, {"click + @ Oat", menu}, {"click Order", menu + told}}, yes},
		{"another was taken with a plus", `Order one of each item: Rye loaf, Oat tart`, []step{{"", menu}, {"click + @ Rye", menu}, {"click Order", menu + told}}, no},
		{"two were taken with a plus", `Order one of each item: Rye loaf, Oat tart`, []step{{"", menu}, {"click + @ Rye", menu}, {"click + @ Rye", menu}, {"click + @ Oat", menu}, {"click Order", menu + told}}, no},
		{"nothing of it was chosen, and something was sent", "Order 3 items that are vegan", []step{{"", menu}, {"click Order > POST /beacon 204 0", menu + told}}, short},
		{"to the sign", `Click on the link "Amet"`, []step{{"", line}, {"click amet,", line}}, no},
		{"what nothing tells", "Solve for x and type your answer into the textbox. Press Submit when done.", []step{{"", paste}, {"type Copy = 4", swap(paste, "Copy =", "Copy = 4")}, {"click Submit", paste}}, maybe},
		{"fewer are listed after a filter", "Show only mugs on sale", []step{{"", shop}, {"click Sale", sale}}, yes},
		{"the newest", "Open the newest trip.", []step{{"", trips}, {"click Lake trip", "@ /trips/1 | Trips\n# Lake trip\nBring a swimsuit."}}, yes},
		{"not the newest", "Open the newest trip.", []step{{"", trips}, {"click Hill trip", "@ /trips/2 | Trips\n# Hill trip\nBring boots."}}, short},
		{"the second of a list", "Open the second trip.", []step{{"", trips}, {"click Hill trip", "@ /trips/2 | Trips\n# Hill trip\nBring boots."}}, yes},
		{"sorted and sorted otherwise", "Sort the people by year", []step{{"", people}, {"click Year", swap(people, "- Bo ; of Name | 2004 ; of Year\n- Cai ; of Name | 2001 ; of Year", "- Cai ; of Name | 2001 ; of Year\n- Bo ; of Name | 2004 ; of Year")}, {"click Year", people}}, short},
		{"results while one types", `Search for "tide"`, []step{{"", live}, {"type Search = tide", "@ /songs | Songs\n# Songs\nsearch Search = tide\n- Low tide\n- High tide"}}, yes},
		{"a request that carries the search", `Search for "tide"`, []step{{"", live}, {"type Search = tide", swap(live, "Search =", "Search = tide")}, {"press Enter = Search > POST /find 200 1", "@ /songs | Songs\n# Found\nNothing."}}, yes},
		{"moved out of its list", `Move the message by Olaf to the folder "Bills"`, []step{{"", inbox}, {"click Move @ Olaf", folders}, {"click Bills > POST /move 200 0", "@ /mail | Mail\n# Inbox\n- Elke: keys | button Move"}}, yes},
		{"moved from one list to another", "Move the task Oil the gate from Ideas to Ready", []step{{"", ideas}, {"drag > PATCH /cards/1 200 0", ready}}, yes},
		{"another moved out of the list", `Move the message by Olaf to the folder "Bills"`, []step{{"", inbox}, {"click Move @ Elke", folders}, {"click Bills > POST /move 200 0", "@ /mail | Mail\n# Inbox\n- Olaf: the boat | button Move"}}, short},
		{"logged out", "Log out", []step{{"", in}, {"click Log out", gate}}, yes},
		{"a number in the row of its thing", "Change the quantity of the red mug to 3", []step{{"", cart}, {"click Change", dialog}, {"type Quantity = 3", swap(dialog, "Quantity = 1", "Quantity = 3")}, {"click Save > PATCH /cart 200 1", swap(cart, "| 1 ;", "| 3 ;")}}, yes},
		{"the number stays", "Change the quantity of the red mug to 3", []step{{"", cart}, {"click Change", dialog}, {"type Quantity = 3", swap(dialog, "Quantity = 1", "Quantity = 3")}, {"click Save", cart}}, short},
		{"clicked and refused", `Click the "Send" button`, []step{{"", off}, {"click Send > POST /x 500 0", off}}, no},
		{"found but not searched further", "Find the folder Bills and open the settings.", []step{{"", inbox}}, no},
	})
}
