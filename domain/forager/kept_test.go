package forager

import "testing"

// TestThingsAreWhereSuchThingsAreKept goes where applications usually keep such things, and
// takes a thing for the one that is meant however a list writes its name.
func TestThingsAreWhereSuchThingsAreKept(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a place that is called otherwise", task: `The product "Dune" should be called "Dune 2".`,
		site: `@ / | Back office
			[navigation]
			link Help -> /help
			link Statistics -> /stats
			link Catalog -> /catalog
			link Log out -> /out
			[]
			# Welcome
			@ /catalog | Catalog
			# Catalog
			- Dune | link Edit -> /dune
			- Ridge | link Edit -> /ridge
			@ /dune | Dune
			# Dune
			[form]
			field Name = Dune
			submit Save -> /dune~done
			@ /dune~done | Dune 2
			# Dune 2
			Saved.`,
		want: "click Catalog, click Edit, type Name=Dune 2, click Save, done",
	}, {
		name: "a new one is made among those where such a thing is kept", task: `Put a new card on the board: "Return the oars".`,
		site: `@ / | Board
			[navigation]
			link All tasks -> /all
			link Drafts -> /drafts
			[]
			# Board
			button New task -> /new
			button New document -> /document
			link Order new chairs -> /1
			@ /1 | Order new chairs
			# Order new chairs
			[form]
			field Title = Order new chairs
			submit Save
			@ /new | New task
			# New task on the board
			[form]
			field Title =
			submit Create -> /new~done
			@ /new~done | Board
			# Board
			link Order new chairs -> /1
			link Return the oars -> /2`,
		want: "click New task, type Title=Return the oars, click Create, done",
	}, {
		name: "who makes a new one writes over no other", task: `Put a new card on the board: "Return the oars".`,
		site: `@ / | Board
			# Board
			link Order new chairs -> /1
			@ /1 | Order new chairs
			# Order new chairs
			[form]
			field Title = Order new chairs
			submit Save`,
		want: "click Order new chairs, back, gave_up",
	}, {
		name: "a list with the last name first, opened by its numbers", task: "The member Ida Moor has a new phone number, 01632 960 001. Change it.",
		site: `@ / | Members
			# Members
			- link 1 -> /1 | Hale | Ruben | 01632 960 077
			- link 2 -> /2 | Moor | Ida | 01632 960 055
			@ /1 | Member
			# Ruben Hale
			[form]
			field Phone = 01632 960 077
			submit Save
			@ /2 | Member
			# Ida Moor
			[form]
			field Phone = 01632 960 055
			submit Save -> /2~done
			@ /2~done | Member
			# Ida Moor
			Phone: 01632 960 001`,
		want: "click 2, type Phone=01632 960 001, click Save, done",
	}, {
		name: "what stands in its place is not deleted, too", task: `Delete the film "Low Tide".`,
		site: `@ / | Films
			# Films
			- link High Water -> /1
			- link Low Tide -> /2
			@ /2 | Film
			# Low Tide
			button Delete this film -> /2~ask
			@ /2~ask | Film
			# Low Tide
			[dialog] Are you sure?
			button OK -> /1
			button Cancel -> /2
			@ /1 | Film
			# High Water
			button Delete this film -> /1~ask
			@ /1~ask | Film
			# High Water
			[dialog] Are you sure?
			button OK -> /none
			button Cancel -> /1
			@ /none | Films
			# Films`,
		want: "click Low Tide, click Delete this film, click OK, done",
	}, {
		name: "another attribute than its name", task: `Give the film "Low Tide" the label "borrowed".`,
		site: `@ / | Films
			# Films
			- link High Water -> /1
			- link Low Tide -> /2
			@ /2 | Film
			# Film
			- thing Title: Low Tide -> /2~title ; by click
			- thing Published: June -> /2~published ; by click
			- thing Labels: sea -> /2~labels ; by click
			@ /2~title | Film
			# Film
			field Title = Low Tide
			@ /2~published | Film
			# Film
			field Published = June
			@ /2~labels | Film
			# Film
			[form]
			field Labels = sea
			submit Save -> /2~done
			@ /2~done | Film
			# Film
			- thing Title: Low Tide
			- thing Labels: sea, borrowed`,
		want: "click Low Tide, click Labels: sea, type Labels=borrowed, press Enter, click Save, done",
	}, {
		name: "one does not go where one is", task: `Create a survey called "Canteen".`,
		site: `@ / | Surveys - Forms
			[navigation]
			link Surveys -> /
			link Groups -> /groups
			[]
			# Surveys
			button New survey -> /new
			@ /groups | Groups
			# Groups
			@ /new | New survey - Forms
			# New survey
			[form]
			field Name
			submit Create -> /new~done
			@ /new~done | Canteen
			# Canteen`,
		want: "click New survey, type Name=Canteen, click Create, done",
	}})
}
