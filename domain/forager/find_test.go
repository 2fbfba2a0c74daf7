package forager

import "testing"

// TestAnswersEndTheWalk: a question is answered by what stands there to be read,
// not by what only points to it.
func TestAnswersEndTheWalk(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "an answer in view ends the walk at once", task: "Find out who the treasurer is",
		site: `@ / | Club
			# Our club
			The treasurer is Maria Gomez.
			link News -> /news
			@ /news | News
			# News`,
		want: "done",
	}, {
		name: "an answer below the fold is scrolled to", task: "Find out who the treasurer is",
		site: `@ / | Club
			# Our club
			We meet every Tuesday evening.
			~
			The treasurer is Maria Gomez.`,
		want: "scroll, done",
	}, {
		name: "what a link has jumped over is looked at", task: "Find out who the treasurer is",
		site: `@ / | Club
			link Treasurer and board -> #9999
			# Our club
			~
			~
			~
			The treasurer is Maria Gomez.
			~
			~
			~
			We meet every Tuesday evening.`,
		want: "click Treasurer and board, scroll, scroll, scroll, done",
	}, {
		name: "a layer that is at its end says nothing of the page", task: "Find out who the treasurer is",
		site: `@ / | Club
			# Our club
			button Treasurer -> /~photo
			~
			~
			The treasurer is Maria Gomez.
			~
			@ /~photo | Club
			# Our club
			button Treasurer -> /~photo
			~
			~
			The treasurer is Maria Gomez.
			~
			[dialog] A photo
			button Close -> /`,
		want: "click Treasurer, scroll in Close, click Close, scroll, scroll, done",
	}, {
		name: "a title that the task quotes is known below its first line", task: `Read the article "Science has not yet mastered prophecy"`,
		site: `@ / | A blog
			# A blog
			link Articles -> /all
			link Science has not yet mastered prophecy. We predict too much for the next year and yet far too little for the next ten. -> /post
			~
			link Older posts -> /old
			@ /all | Articles
			# Articles
			@ /old | Older posts
			# Older posts
			@ /post | Science has not yet mastered prophecy
			# Science has not yet mastered prophecy
			We predict too much for the next year.`,
		want: "click Science has not yet mastered prophecy. We predict too much for the next year and yet far too little for the next ten., done",
	}, {
		name: "the name of a link is no answer and is followed", task: "Find out how to restore a deleted file",
		site: `@ / | Help
			# Help
			link How to restore a deleted file -> /restore
			link How to share a folder -> /share
			@ /restore | Restore
			# How to restore a deleted file
			Open the bin, choose the deleted file and press Restore to put the file back.
			@ /share | Share
			# How to share a folder
			Press Share and enter an address.`,
		want: "click How to restore a deleted file, done",
	}, {
		name: "nor is the name of a link to another page", task: "Find out what happens to late entries",
		site: `@ / | Race
			# Race
			link What happens to late entries in the race -> /late
			link Start -> /start
			@ /late | Late entries
			# Late entries
			Late entries start behind all others.
			@ /start | Start
			# Start`,
		want: "click What happens to late entries in the race, done",
	}, {
		name: "nor is it where it stands in a sentence", task: "Find out why the last delivery failed",
		site: `@ / | Parcels
			# Parcels
			The last delivery has come back; why the last delivery to the harbour failed
			link Why the last delivery to the harbour failed -> /why ; in
			link Start -> /start
			@ /why | Delivery
			# Delivery
			The last delivery failed because nobody was in.
			@ /start | Start
			# Start`,
		want: "click Why the last delivery to the harbour failed, done",
	}, {
		name: "a page that marks what was searched for is no list of hits", task: "Find out what \"Quorum Rule\" means",
		site: `@ / | Club
			# Our club
			[search]
			search Search -> /search?q=quorum+rule
			submit Search -> /search?q=quorum+rule
			@ /search?q=quorum+rule | Search results
			# Search results
			link Quorum Rule -> /rules?hit[]=quorum+rule
			link Playground -> /play
			@ /rules?hit[]=quorum+rule | Rules
			# Quorum Rule
			The quorum rule means that twelve members have to be there.
			button Quorum -> /rules?hit[]=quorum+rule
			@ /play | Playground
			# Playground`,
		want: "type Search=quorum rule, click Search, click Quorum Rule, done",
	}, {
		name: "one's own search words are no answer", task: "Find out what \"Quorum Rule\" means",
		site: `@ / | Handbook
			# Handbook
			[search]
			search Search -> /search?q=quorum+rule
			submit Search -> /search?q=quorum+rule
			@ /search?q=quorum+rule | Search results
			# Search results
			Results for Quorum Rule
			- link Voting -> /voting | Quorum Rule and other rules of voting.
			[search]
			search Search = Quorum Rule -> /search?q=quorum+rule
			submit Search -> /search?q=quorum+rule
			@ /voting | Voting
			# Voting
			The Quorum Rule means that half of the members have to be present.`,
		want: "type Search=quorum rule, click Search, click Voting, done",
	}})
}

// TestNamesAreLookedForAsTheyAreWritten.
func TestNamesAreLookedForAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a thing in quotes is looked for by its name", task: "Open \"Blue Harbour\"",
		site: `@ / | Places
			# Places
			link Harbour -> /harbour
			link Blue Harbour -> /blue
			link Blue -> /b
			@ /blue | Blue Harbour
			# Blue Harbour
			A quiet bay.
			@ /harbour | Harbour
			# Harbour
			@ /b | Blue
			# Blue`,
		want: "click Blue Harbour, done",
	}, {
		name: "a card is opened by its words", task: "Open \"Blue Harbour\"",
		site: `@ / | Places
			# Places
			- Red Cliff | A steep wall. | link -> /red
			- Blue Harbour | A quiet bay. | link -> /blue
			@ /blue | Blue Harbour
			# Blue Harbour
			A quiet bay.
			@ /red | Red Cliff
			# Red Cliff`,
		want: "click , done",
	}, {
		name: "what says all but the name is left until the page was read", task: "Find the page about the annual prize of Zanzibar",
		site: `@ / | Prizes
			# Prizes
			link Annual prize -> /annual
			~
			link Annual prize of Zanzibar -> /zanzibar
			@ /annual | Annual
			# Annual
			@ /zanzibar | Annual prize of Zanzibar
			# Annual prize of Zanzibar
			It is given in May.`,
		want: "scroll, click Annual prize of Zanzibar, done",
	}, {
		name: "other labels are left until the page was read", task: "Open the article \"Blue Harbour\"",
		site: `@ / | Places
			# Places
			link Harbour -> /harbour
			link Articles -> /articles
			~
			link Blue Harbour -> /blue
			@ /articles | Articles
			# Articles
			@ /blue | Blue Harbour
			# Blue Harbour
			A quiet bay.
			@ /harbour | Harbour
			# Harbour`,
		want: "scroll, click Blue Harbour, done",
	}})
}

// TestAListIsNotThePlaceItself: an entry of exactly the name is opened.
func TestAListIsNotThePlaceItself(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a command in a list of commands", task: "Find the page that describes the command PRUNE.",
		site: `@ / | Commands
			# Commands
			PRUNE - take away what nobody uses any more
			- link PRUNE -> /prune
			- link GRAFT -> /graft
			@ /prune | PRUNE
			# PRUNE
			It takes away what nobody uses.
			@ /graft | GRAFT
			# GRAFT`,
		want: "click PRUNE, done",
	}})
}

// TestSearchBoxes: they are used for names, their hits are opened, once.
func TestSearchBoxes(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "what is named is searched for at once and what offers to create it is not used", task: "Find the page about Ada Lovelace",
		site: `@ / | Wiki
			# Wiki
			[navigation]
			link Portal -> /portal
			[search]
			search Search -> /w?q=Ada+Lovelace
			submit Search -> /w?q=Ada+Lovelace
			[]
			Welcome to the wiki.
			@ /w?q=Ada+Lovelace | Search results
			# Search results
			You may create the page Ada Lovelace on this wiki.
			link Ada Lovelace -> /new ; in
			- link Countess Ada Lovelace -> /ada | A writer who saw what engines could do.
			@ /ada | Countess Ada Lovelace
			# Countess Ada Lovelace
			A writer.
			@ /new | New page
			# New page
			@ /portal | Portal
			# Portal`,
		want: "type Search=ada lovelace, click Search, click Countess Ada Lovelace, done",
	}, {
		name: "what it is about is searched for, and not when it was", task: "Find out how much the plumber cost in June 2021.",
		site: `@ / | Book
			# Book
			[search]
			search Search -> /s
			[]
			All that was paid.
			@ /s | Search results
			# Search results
			The plumber cost £120.00 on 14 June 2021.`,
		want: "type Search=plumber cost, press Enter, done",
	}, {
		name: "a box that holds the query already is not used again", task: "Find the page about Lovelace",
		site: `@ / | Wiki
			# Wiki
			[search]
			search Search -> /w?q=Lovelace
			[]
			Welcome to the wiki.
			@ /w?q=Lovelace | Search results
			# Search results
			Nothing was found.
			[search]
			search Search = Lovelace -> /w?q=Lovelace
			[]
			- link Engines -> /engines | On machines.
			@ /engines | Engines
			# Engines
			On machines.`,
		want: "type Search=lovelace, press Enter, click Engines, back, back, blocked",
	}})
}

// TestPlacesComeFirst: where something is to be done or to be looked up is gone to
// before anything else.
func TestPlacesComeFirst(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "the place that the task names", task: "Look up in the glossary what a decorator is",
		site: `@ / | Manual
			# Manual
			link Tutorial -> /tutorial
			link Decorators -> /decorators
			link Glossary -> /glossary
			@ /glossary | Glossary
			# Glossary
			## decorator
			A decorator is a function that returns another function.
			@ /tutorial | Tutorial
			# Tutorial
			@ /decorators | Decorators
			# Decorators`,
		want: "click Glossary, done",
	}, {
		name: "a place is left for the one that is called as the task calls it", task: "Find out in the tutorial how list comprehensions work",
		site: `@ / | Documentation of the language
			# Documentation of the language
			link Library reference -> /library
			link Tutorial -> /tutorial
			link Frequently asked questions -> /questions
			@ /tutorial | The tutorial
			# The tutorial
			link List comprehensions -> /lists
			@ /lists | List comprehensions
			# List comprehensions
			List comprehensions provide a short way to create lists.
			@ /questions | Frequently asked questions
			# Frequently asked questions
			link Design -> /library
			@ /library | Library
			# Library
			Modules.`,
		want: "click Tutorial, click List comprehensions, done",
	}, {
		name: "a page is the kind that is looked for by its link's word and its own", task: "Open the page that tells about the person who writes this blog",
		site: `@ / | Clean blog
			# Clean blog
			link About -> /about
			link Contact -> /contact
			link Failure is not an option -> /post
			@ /about | Clean blog
			# About Me
			This is what I do. Much of it is done at sea, and most of that by night.
			@ /contact | Clean blog
			# Contact Me
			Have questions? I have answers.
			@ /post | Clean blog
			# Failure is not an option
			Posted in August.`,
		want: "click About, done",
	}, {
		name: "an edit on another page is begun there", task: "Add the sentence \"It opened in 1911.\" to the page about the Bridge",
		site: `@ / | Town wiki
			# Town wiki
			link Edit -> /edit
			link Bridge -> /bridge
			link Market -> /market
			@ /bridge | Bridge
			# Bridge
			The bridge is old.
			link Edit -> /bridge/edit
			@ /bridge/edit | Editing Bridge
			# Editing Bridge
			[form]
			area Content = The bridge is old.
			submit Save -> /bridge/saved
			@ /bridge/saved | Bridge
			# Bridge
			The bridge is old. It opened in 1911.
			@ /edit | Editing Town wiki
			# Editing Town wiki
			[form]
			area Content = Welcome
			submit Save -> /
			@ /market | Market
			# Market`,
		want: "click Bridge, click Edit, append Content=It opened in 1911., click Save, done",
	}})
}
