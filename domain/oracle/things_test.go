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

	const downloads = "@ / | Downloads\nbutton Pause ; id p\nbutton Resume ; id r\n# Downloads\n- link Geology lectures | button 23 KiB\n- link Screensavers | button 20 KiB"
	wait := `"Geology lectures" can wait: pause this one download.`

	const found = "@ / | Notes\n# Notes\nlink Train times\nlink Opening times"
	const notes = "@ / | Notes\n# Notes\nThe first train leaves at 7:12.\nbutton Edit"
	const editor = "@ / | Notes\n# Notes\narea Text = The first train leaves at 7:12. ; form 1\nbutton Confirm changes ; form 1"
	later := `In the note "Train times" change the departure from 7:12 to 7:40.`
	change := func(note, address string) []step {
		return []step{{"", found}, {"click " + note, notes}, {"click Edit", editor}, {"type Text = The first train leaves at 7:40.", swap(editor, "7:12", "7:40")}, {"click Confirm changes > PUT " + address + " 204 1", swap(notes, "7:12", "7:40")}}
	}

	const torrents = "@ / | Downloads\nbutton All\nbutton Completed\nbutton Remove\n# Downloads\n- link Screensavers 1998 | 23 KiB Stalled at 0 B/s of many\n- link Geology lectures | 20 KiB Stalled at 0 B/s of many"
	const really = torrents + "\n## Remove Screensavers 1998? ; dialog\nbutton Remove ; dialog ; id yes"
	gone := swap(torrents, "- link Screensavers 1998 | 23 KiB Stalled at 0 B/s of many\n", "", "20 KiB Stalled at 0", "24 KiB Running at 7")
	out := `Nobody wants "Screensavers 1998" any more. Take it out of the list.`

	const clients = "@ /clients | Clients\n# Clients\n- link 4 | Sample\n- link 5 | Rossi"
	const client = "@ /client?id=4 | Client Sample\n# Client Sample\nsubmit Delete client"
	const certain = "@ /change | Client Sample\n# Client Sample\nAre you sure?\nsubmit YES\nsubmit NO ; form 2"
	forget := `Delete the client "Sample", and nobody else.`
	judge(t, []judged{
		{"gone while one waits, beside what changes by itself", out, []step{{"", torrents}, {"click Screensavers 1998", torrents}, {"click Remove", really}, {"click Remove > POST /delete 200 0", torrents}, {"wait", gone}}, yes},
		{"another list shown", out, []step{{"", torrents}, {"click Screensavers 1998", torrents}, {"click Remove", really}, {"click Completed", swap(gone, "- link Geology lectures | 24 KiB Running at 7 B/s of many", "")}}, maybe},
		{"a yes to a form of one address", forget, []step{{"", clients}, {"click 4", client}, {"click Delete client", certain}, {"click YES > POST /change 200 0", "@ /change | Clients\n# Done\nlink Back"}}, yes},
		{"pressed for what was selected, and taken", wait, []step{{"", downloads}, {"click Geology lectures", downloads}, {"click Pause > POST /pause 200 0", downloads}}, yes},
		{"pressed for another", wait, []step{{"", downloads}, {"click Screensavers", downloads}, {"click Pause > POST /pause 200 0", downloads}}, no},
		{"the other way round", wait, []step{{"", downloads}, {"click Geology lectures", downloads}, {"click Resume > POST /resume 200 0", downloads}}, no},
		{"pressed and not taken", wait, []step{{"", downloads}, {"click Geology lectures", downloads}, {"click Pause > POST /pause 500 0", downloads}}, no},
		{"saved under its name", later, change("Train times", "/notes/Train%20times"), yes},
		{"saved where one has opened it", later, change("Train times", "/notes/2"), yes},
		{"saved under another name", later, change("Opening times", "/notes/Opening%20times"), maybe},
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
