package forager

import (
	"fmt"
	"testing"

	"understudy/domain/language"
	"understudy/domain/persona"
	"understudy/domain/task"
)

// TestThingsAreTakenHoldOf: who does something to a thing does it where that is
// offered for it, and takes hold of the thing first where it is not.
func TestThingsAreTakenHoldOf(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "what is opened has the deed", task: `The card "Water the plants" has become pointless. Archive it.`,
		site: `@ / | Board
			# Board
			- link Water the plants -> /2
			- link Book the van -> /3
			@ /2 | Water the plants
			# Water the plants
			button Archive task -> /~done
			@ /3 | Book the van
			# Book the van
			button Archive task
			@ /~done | Board
			# Board
			- link Book the van -> /3`,
		want: "click Water the plants, click Archive task, done",
	}, {
		name: "nothing else is done away with", task: `Nobody needs the print job "Poster of the bake sale" any more. Cancel it.`,
		site: `@ / | Jobs
			# Jobs
			[form]
			submit Show finished jobs -> /~all
			[]
			- Reading list | moira | button Cancel Job -> /gone
			- Letter to the parents | dagfinn | button Cancel Job -> /gone
			@ /~all | Jobs
			# Jobs
			[form]
			submit Show finished jobs -> /~all
			[]
			- Timetable | moira | button Cancel Job -> /gone
			- Labels | dagfinn | button Cancel Job -> /gone
			@ /gone | Jobs
			# Cancel a job
			It has been cancelled.`,
		want: "click Show finished jobs, gave_up",
	}, {
		name: "a bar does it to what is selected", task: `Delete the message "Win a cruise"`,
		site: `@ / | Mail
			# Inbox
			button Delete
			link Deleted items -> /bin
			- thing Dinner on Friday
			- thing Win a cruise -> /~one ; by click
			@ /bin | Bin
			# Deleted items
			@ /~one | Mail
			# Inbox
			button Delete -> /~gone
			link Deleted items -> /bin
			- thing Dinner on Friday
			- thing Win a cruise
			@ /~gone | Mail
			# Inbox
			button Delete
			link Deleted items -> /bin
			- thing Dinner on Friday`,
		want: "hover Win a cruise, click Win a cruise, click Delete, done",
	}, {
		name: "one of a section does it to what that is called", task: `Delete the address book "Old clients"`,
		site: `@ / | Books
			# Books
			[section] Friends
			## Friends
			button Delete -> /~wrong
			[section] Old clients
			## Old clients
			button Delete -> /~sure
			@ /~wrong | Books
			# Books
			@ /~sure | Books
			# Delete Old clients?
			submit Yes -> /~gone
			submit Cancel
			@ /~gone | Books
			# Books
			[section] Friends
			## Friends
			button Delete`,
		want: "click Delete, click Yes, done",
	}, {
		name: "a new thing may be called otherwise", task: `Put a new card on the board: "Return the old keys"`,
		site: `@ / | Kanban board
			# Kanban board
			button Filter
			button New task -> /~new
			@ /~new | Kanban board
			[dialog] New task
			field Title
			submit Create -> /~done
			@ /~done | Kanban board
			# Kanban board
			- thing Return the old keys`,
		want: "click New task, type Title=Return the old keys, click Create, done",
	}, {
		name: "what a thing is one of says where it is", task: "The pupil Rosa Lind has moved to Whitby: change her city.",
		site: `@ / | School
			# School
			search Search
			link Rooms -> /rooms
			link Pupils -> /pupils
			@ /rooms | Rooms
			# Rooms
			@ /pupils | Pupils
			# Pupils
			- Rosa Lind | button Edit -> /edit
			- Sue Fenn | button Edit
			@ /edit | Rosa Lind
			# Rosa Lind
			[form]
			field Name = Rosa Lind
			field City = Leeds
			submit Save -> /saved
			@ /saved | Rosa Lind
			# Rosa Lind
			Whitby`,
		want: "click Pupils, click Edit, type City=Whitby, click Save, done",
	}, {
		name: "a control offers what is wanted", task: "Switch the board to the dark theme.",
		site: `@ / | Board
			# Board
			button New task
			button Switch to dark mode -> /~dark
			@ /~dark | Board
			# Board
			button New task
			button Switch to light mode`,
		want: "click Switch to dark mode, done",
	}, {
		name: "one of what can be shown alone", task: "Show only the links that have the tag cooking.",
		site: `@ / | Links
			# Links
			- link Bread -> https://bread.example/ | link cooking -> /?tag=cooking
			- link Tides -> https://tides.example/ | link sea -> /?tag=sea
			@ /?tag=cooking | Links: cooking
			# Links: cooking
			- link Bread -> https://bread.example/ | link cooking -> /?tag=cooking
			@ /?tag=sea | Links: sea
			# Links: sea`,
		want: "click cooking, done",
	}, {
		name: "a list offers deeds, and does them at once", task: "The shelf Garden should be the default shelf from now on.",
		site: `@ / | Shelves
			# Shelves
			- link Kitchen -> /k
			- link Garden -> /g
			@ /k | Kitchen
			# Kitchen
			list Manage = Manage : Manage, Rename, Set as default -> /~wrong
			@ /g | Garden
			# Garden
			list Manage = Manage : Manage, Rename, Set as default -> /g~done
			@ /g~done | Garden
			# Garden
			Garden is the default shelf now.`,
		want: "click Garden, select Manage=Set as default, done",
	}, {
		name: "a button carries out what was taken from a list", task: `Archive the order "Nine chairs"`,
		site: `@ / | Orders
			# Orders
			- link Six lamps -> /6
			- link Nine chairs -> /9
			@ /6 | Six lamps
			# Six lamps
			@ /9 | Nine chairs
			# Nine chairs
			list Actions = Choose : Choose, Print, Archive
			submit Go -> /~done
			@ /~done | Orders
			# Orders
			- link Six lamps -> /6`,
		want: "click Nine chairs, select Actions=Archive, click Go, done",
	}})
}

// TestAWalkChangesNoWord: what was read of a text is shared by all walks.
func TestAWalkChangesNoWord(t *testing.T) {
	const what = "The printer Library should be the default printer of this server from now on."
	read := func() (out string) {
		goal := task.Parse(what, nil)
		for _, s := range goal.Subgoals {
			for _, v := range s.Values {
				out += fmt.Sprintln(language.Read(v.Text).Content())
			}
		}
		return out
	}
	before := read()
	if before == "" {
		t.Fatal("the task has no value")
	}
	const printers = `@ / | Printers
		# Library
		button Print a test page
		button Set as default printer -> /~done
		@ /~done | Printers
		# Library
		Library is the default printer.`
	walkOn(printers, what, persona.Facets{}, 1)
	if after := read(); after != before {
		t.Errorf("was read as %s, then as %s", before, after)
	}
}
