package oracle_test

import "testing"

// TestWhatWasDoneToAThingShows: on its list, in its row, or on the control that did it.
func TestWhatWasDoneToAThingShows(t *testing.T) {
	const board = "@ /board | Board\n# Board\n- Water the plants | button Open Water the plants\n- Book the van | button Open Book the van"
	const card = "@ /board/2 | Board\n## Water the plants ; dialog\nbutton Archive ; dialog\n" + "- Water the plants\n- Book the van"
	without := swap(board, "- Water the plants | button Open Water the plants\n", "")
	archive := `Archive the card "Water the plants"`

	const folders = "@ / | Sync\n# Folders\n- Music, unshared | button Pause ; id p\n- Photos, unshared | button Pause ; id q"
	paused := swap(folders, "Music, unshared | button Pause ; id p", "Music, paused | button Resume ; id r")
	pause := `Pause the folder "Music"`

	const light = "@ / | Board\n# Board\nbutton Switch to dark mode ; id m"
	dark := "Switch the board to the dark theme."

	const shelf = "@ /g | Garden\n# Garden\nselect Manage = Manage : Manage, Rename, Set as default"
	told := shelf + "\nGarden is the default shelf now."
	first := "The shelf Garden should be the default shelf from now on."

	const links = "@ / | Links\n# Links\n- Bread | link cooking\n- Tides | link sea\n- Stars | link night"
	const cooking = "@ /?tag=cooking | Links: cooking\n# Links: cooking\n- Bread | link cooking"
	show := "Show only the links that have the tag cooking."

	const titles = "@ /books | Books\n# Books\nFriends\nOld clients\nFamily\nbutton Delete ; id d"
	drop := `Delete the book "Old clients"`

	const unread = "@ /unread | Unread\n# Unread\n- The new lens | link Gadgets\n- Loaves | link Ovens"
	const feed = "@ /feed/2 | Gadgets\n# Gadgets\n- button Remove this feed\n- The new lens | link The new lens, by Gadgets"
	sure := swap(feed, "- button Remove this feed", "- Are you sure? | button yes | button no")
	const feeds = "@ /feeds | Feeds\n# Feeds\n- Ovens | button Remove\n- Boats | button Remove"
	remove := `You no longer want to read "Gadgets". Remove this feed.`

	const film = "@ /reef | Reef\n# Reef\n[cover]\nbutton Play video"
	const plays = "@ /reef | Reef\n# Reef\n[cover]\n[bar]\nbutton Pause\nbutton Mute"
	judge(t, []judged{
		{"gone with a button of a bar, and a yes", remove, []step{{"", unread}, {"click Gadgets", feed}, {"click Remove this feed", sure}, {"click yes > POST /feed/2/remove 302 0", feeds}}, yes},
		{"a no to it", remove, []step{{"", unread}, {"click Gadgets", feed}, {"click Remove this feed", sure}, {"click no", feed}}, no},
		{"moved on its own page", `Move the letter "The roof" to the folder Bills`, []step{{"", "@ /mail | Mail\n# Inbox\n- Ada | link The roof\n- Elke | link The keys"}, {"click The roof", "@ /mail/2 | The roof\n# The roof\nbutton Move to"}, {"click Move to", "@ /mail/2 | The roof\n# The roof\nbutton Move to\nlink Bills"}, {"click Bills > POST /move 200 1", "@ /mail/1 | The keys\n# The keys"}}, yes},
		{"opened, not moved", `Move the letter "The roof" to the folder Bills`, []step{{"", "@ /mail | Mail\n# Inbox\n- Ada | link The roof\n- Elke | link The keys\nlink Bills"}, {"click The roof", "@ /mail/2 | The roof\n# The roof\nlink Bills"}, {"click Bills", "@ /mail/bills | Bills\n# Bills"}}, no},
		{"what plays has another button", "Play the film.", []step{{"", film}, {"click Play video", plays}}, yes},
		{"it does not play", "Play the film.", []step{{"", film}, {"click Play video", film}}, no},
		{"one of two plays", "Play the film.", []step{{"", film + "\nbutton Play the advertisement"}, {"click Play video", plays}}, no},
		{"shown alone, of what was searched for", show, []step{{"", links}, {"wait", cooking}, {"click cooking", swap(cooking, "Links: cooking", "Links: cooking [cooking]")}}, yes},
		{"gone from the list that one came from", archive, []step{{"", board}, {"click Open Water the plants", card}, {"click Archive > DELETE /api/2 200 0", without}}, yes},
		{"another archived", archive, []step{{"", board}, {"click Open Book the van", swap(card, "Water the plants ; dialog", "Book the van ; dialog")}, {"click Archive > DELETE /api/3 200 0", swap(board, "- Book the van | button Open Book the van", "")}}, no},
		{"archiving is refused", archive, []step{{"", board}, {"click Open Water the plants", card}, {"click Archive > DELETE /api/2 500 0", without}}, no},
		{"told in its row", pause, []step{{"", folders}, {"click Pause @ Music > PUT /config 200 0", paused}}, yes},
		{"another paused", pause, []step{{"", folders}, {"click Pause @ Photos > PUT /config 200 0", swap(folders, "Photos, unshared | button Pause ; id q", "Photos, paused | button Resume ; id r")}}, no},
		{"pausing is refused", pause, []step{{"", folders}, {"click Pause @ Music > PUT /config 500 0", paused}}, no},
		{"turned over", dark, []step{{"", light}, {"click Switch to dark mode", swap(light, "dark", "light")}}, yes},
		{"turned over and back", dark, []step{{"", light}, {"click Switch to dark mode", swap(light, "dark", "light")}, {"click Switch to light mode", light}}, no},
		{"nothing came of it", dark, []step{{"", light}, {"click Switch to dark mode", light}}, no},
		{"told of it", first, []step{{"", shelf}, {"select Manage = Set as default > POST /g 200 0", told}}, yes},
		{"told of another", first, []step{{"", swap(shelf, "Garden", "Kitchen")}, {"select Manage = Set as default > POST /k 200 0", swap(told, "Garden", "Kitchen")}}, no},
		{"only chosen", first, []step{{"", shelf}, {"select Manage = Set as default", shelf}}, no},
		{"shown alone", show, []step{{"", links}, {"click cooking", cooking}}, yes},
		{"others shown alone", show, []step{{"", links}, {"click sea", swap(cooking, "cooking", "sea", "Bread", "Tides")}}, no},
		{"gone from below its fellows", drop, []step{{"", titles}, {"click Delete > POST /delete 200 0", swap(titles, "Old clients\n", "")}}, yes},
		{"another gone from there", drop, []step{{"", titles}, {"click Delete > POST /delete 200 0", swap(titles, "Family\n", "")}}, no},
	})
}
