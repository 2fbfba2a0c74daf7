package forager

import (
	"testing"

	"understudy/domain/walk"
)

// TestAnActIsDoneWhereItBelongs: in its place, with what is there for it, and not with what
// only speaks of it or undoes it.
func TestAnActIsDoneWhereItBelongs(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "what is taken off a list is removed from it", task: `Take the poster "Spring fair" off the list.`,
		site: `@ / | Posters
			# Posters
			- thing Spring fair -> /~menu ; by right_click
			- thing Winter ball
			@ /~menu | Posters
			# Posters
			- thing Spring fair
			- thing Winter ball
			button Rename…
			button Remove from list… -> /~gone
			@ /~gone | Posters
			# Posters
			- thing Winter ball`,
		want: "hover Spring fair, click Spring fair, right_click Spring fair, click Remove from list…, done",
	}, {
		name: "a new window is nothing new", task: `Create a new folder for your letters, "Holidays"`,
		site: `@ / | Letters
			# Letters
			- link From Ada -> /ada
			button Open in new window -> /ada
			button Manage folders -> /folders
			@ /ada | From Ada
			# From Ada
			@ /folders | Folders
			# Folders
			button Create -> /folders~new
			@ /folders~new | Folders
			# New folder
			field Folder name
			submit Save -> /folders~done
			@ /folders~done | Folders
			# Folders
			- Holidays
			button Create -> /folders~new`,
		want: "click Manage folders, click Create, type Folder name=Holidays, click Save, done",
	}, {
		name: "what stands there is not searched for", task: `Rename the upload "Tide tables" to "Tides 2031"`,
		site: `@ / | Uploads
			# Uploads
			search Filter -> /~none
			- thing Tide tables -> /~menu ; by right_click
			- thing Song book
			@ /~none | Uploads
			# Uploads
			search Filter = upload
			@ /~menu | Uploads
			# Uploads
			search Filter -> /~none
			- thing Tide tables
			- thing Song book
			button Rename -> /~name
			@ /~name | Uploads
			# Uploads
			[dialog] Rename upload
			# Rename upload
			field Name = Tide tables
			submit OK -> /~done
			@ /~done | Uploads
			# Uploads
			- thing Tides 2031
			- thing Song book`,
		want: "hover Tide tables, click Tide tables, right_click Tide tables, click Rename, type Name=Tides 2031, click OK, done",
	}, {
		name: "changes are not discarded by who makes them", task: `In the note "Ferries" change the fare from 12 to 14.`,
		site: `@ / | Notes
			# Notes
			- link Ferries -> /f
			@ /f | Ferries
			# Ferries
			The fare is 12.
			button Edit this note -> /f~edit
			@ /f~edit | Ferries
			# Ferries
			area Text = The fare is 12.
			button Discard changes to this note -> /f
			button Confirm changes to this note -> /f~done
			@ /f~done | Ferries
			# Ferries
			The fare is 14.
			button Edit this note -> /f~edit`,
		want: "click Ferries, click Edit this note, type Text=The fare is 14., click Confirm changes to this note, done",
	}, {
		name: "what any list holds is called a record", task: `Add a sailor named "Ivo Lund" to the crew "north"`,
		site: `@ / | Boats
			[navigation]
			link north -> /north
			link south -> /south
			button New crew
			[]
			# Boats
			@ /north | north
			[navigation]
			link north -> /north
			link south -> /south
			button New crew
			[]
			# north
			button New record -> /north~new
			- Ada Reed
			@ /south | south
			# south
			button New record
			@ /north~new | north
			[dialog] New record
			# New record
			field name
			submit Create -> /north~done
			@ /north~done | north
			# north
			button New record -> /north~new
			- Ada Reed
			- Ivo Lund`,
		want: "click north, click New record, type name=Ivo Lund, click Create, done",
	}, {
		name: "what speaks of it is not it", task: `Rename the page "Old mill" to "Mill"`,
		site: `@ / | Wiki
			# Wiki
			- link Old mill -> /mill
			@ /mill | Old mill
			# Old mill
			It ground corn.
			link Recent changes -> /recent
			button More -> /mill~more
			@ /mill~more | Old mill
			# Old mill
			It ground corn.
			link Recent changes -> /recent
			button More
			link Move -> /move
			@ /recent | Recent changes
			# Recent changes
			@ /move | Move page
			# Move page Old mill
			field New title = Old mill
			submit Move page -> /done
			@ /done | Mill
			# Mill
			It ground corn.`,
		want: "click Old mill, click More, click Move, type New title=Mill, click Move page, done",
	}, {
		name: "a place is known by what it is, and looked through by its tabs", task: "Reports should be no longer than 30 pages. Set that in the settings.",
		site: `@ / | Press
			[navigation]
			link Authors -> /authors
			link Preferences -> /prefs
			[]
			# Press
			@ /authors | Authors
			# Authors
			@ /prefs | Preferences
			# Preferences
			tab Look -> /prefs ; current
			tab Limits -> /prefs~limits
			button Edit printer defaults -> /printer
			field Greeting = Hello
			@ /prefs~limits | Preferences
			# Preferences
			tab Look -> /prefs
			tab Limits -> /prefs~limits ; current
			field Longest report (pages) = 90
			submit Save -> /prefs~done
			@ /prefs~done | Preferences
			# Preferences
			Your preferences were saved.
			@ /printer | Printer
			# Printer`,
		want: "click Preferences, click Limits, type Longest report (pages)=30, click Save, done",
	}, {
		name: "a form that is about nothing of the thing is left alone", task: "The guest Ida Moor has a new phone number, 01632 960 001. Change it.",
		site: `@ / | Inn
			link Guests -> /guests
			# Free rooms
			field From
			field Phone of who asks
			submit Check -> /free
			@ /free | Inn
			# Free rooms
			@ /guests | Guests
			# Guests
			- Ida Moor | link Edit -> /ida
			- Karl Hume | link Edit -> /karl
			@ /ida | Ida Moor
			# Ida Moor
			field Phone = 01632 960 777
			submit Save -> /ida~done
			@ /ida~done | Ida Moor
			# Ida Moor
			Phone: 01632 960 001
			@ /karl | Karl Hume
			# Karl Hume`,
		want: "click Guests, click Edit, type Phone=01632 960 001, click Save, done",
	}, {
		name: "what of a thing is changed is called so", task: `Give the book "Winter Bees" the tag "Lent".`,
		site: `@ / | Books
			# Books
			- link Winter Bees -> /w
			- link Summer -> /s
			@ /w | Winter Bees
			# Winter Bees
			thing Title: Winter Bees
			thing Tags: nature -> /w~tags
			thing Pages: 90
			@ /w~tags | Winter Bees
			# Winter Bees
			field Tags = nature
			button OK -> /w~done
			@ /w~done | Winter Bees
			# Winter Bees
			thing Title: Winter Bees
			thing Tags: Lent
			thing Pages: 90`,
		want: "click Winter Bees, click Tags: nature, type Tags=Lent, press Enter, click OK, done",
	}, {
		name: "the only thing that there is is tried", task: `Nobody will ever sing "Old rope". Delete it from the songs.`,
		site: `@ / | Choir
			# Choose where to go
			button Harbour -> /harbour
			@ /harbour | Harbour
			# Harbour
			- Old rope | button Delete Old rope -> /harbour~gone
			- Sea wind | button Delete Sea wind
			@ /harbour~gone | Harbour
			# Harbour
			- Sea wind | button Delete Sea wind`,
		want: "click Harbour, click Delete Old rope, done",
	}, {
		name: "a part that was changed is saved with the whole", task: `Rename the book "Letters form Home" to "Letters from Home"`,
		site: `@ / | Books
			# Books
			- link Letters form Home -> /b
			- link Winter bees -> /w
			@ /b | Letters form Home
			# Letters form Home
			button Edit this book -> /b~edit
			@ /b~edit | Letters form Home
			# Edit Letters form Home
			thing Title: Letters form Home -> /b~title ; by click
			thing Author: Ada Reed
			~
			button Apply changes -> /b~done
			@ /b~title | Letters form Home
			# Edit Letters form Home
			field  = Letters form Home
			button OK -> /b~part
			thing Author: Ada Reed
			~
			button Apply changes -> /b~done
			@ /b~part | Letters form Home
			# Edit Letters form Home
			thing Title: Letters from Home
			thing Author: Ada Reed
			~
			button Apply changes -> /b~done
			@ /b~done | Letters from Home
			# Letters from Home
			button Edit this book -> /b~edit`,
		want: "click Letters form Home, click Edit this book, hover Title: Letters form Home, click Title: Letters form Home, type =Letters from Home, click OK, scroll, click Apply changes, done",
	}, {
		name: "what the site is called tells nothing on it", task: "Find out how Borko packs your files",
		site: `@ / | Borko 1.2 documentation
			# Borko documentation
			link Borko mount -> /mount
			link Borko lock -> /lock
			link How files are packed -> /pack
			@ /mount | Borko mount
			# Borko mount
			Positional arguments
			@ /lock | Borko lock
			# Borko lock
			Positional arguments
			@ /pack | How files are packed
			# How files are packed
			Borko packs your files with LZ4, unless another way is given.`,
		want: "click How files are packed, done",
	}, {
		name: "a part of the front page's address is not the front page", task: "Find the opening hours",
		site: `@ /?part=start | Museum
			# Museum
			link Opening hours -> /?part=hours
			link Collection -> /?part=things
			~
			link Imprint -> /?part=imprint
			@ /?part=hours | Museum
			# Opening hours
			We are open from 9 to 5.
			@ /?part=things | Museum
			# Collection`,
		want: "click Opening hours, done",
	}})
}

// TestAPageThatDrawsItselfAnewIsKnownAgain: by its controls' names, whatever identifiers it counts
// on to; another name is another control.
func TestAPageThatDrawsItselfAnewIsKnownAgain(t *testing.T) {
	button := func(name, selector string) walk.Element {
		return walk.Element{Role: "button", Name: name, Selector: selector}
	}
	open, next := button("Open", "#panel-1 > a"), button("2", "#pager-1 > a")
	for _, c := range []struct {
		name  string
		is    walk.Element
		there []walk.Element
		same  bool
	}{
		{"drawn anew", button("Open", "#panel-4 > a"), nil, true},
		{"beside what was there", button("Open", "#panel-4 > a"), []walk.Element{open}, false},
		{"of another name", button("3", "#pager-2 > a"), nil, false},
		{"elsewhere on the page", button("Open", "#panel-1 > div > a"), nil, false},
	} {
		st := newSite()
		pl := st.at(&walk.Page{URL: host})
		pl.passed[keyOf(&open)], pl.passed[keyOf(&next)] = true, true
		st.redraw(pl, append(c.there, c.is))
		if got := st.key(&c.is) == keyOf(&open); got != c.same {
			t.Errorf("%s: taken for the one that was there: %v", c.name, got)
		}
	}
}
