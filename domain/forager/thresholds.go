package forager

// Thresholds of the walk, all on scents from 0 to 1 unless a unit is named.
// Those without a source are assumptions that were set on pages of others and
// are the same for every page.
const (
	// named is the scent from which a label is the very thing: nothing else is
	// looked at any more.
	named = 0.9
	// offers is the scent from which a control is what the task says to use.
	offers = 0.8
	// leastScent is below what anybody follows.
	leastScent = 0.12
	// triedShare is what each fruitless try leaves of a thing's worth.
	triedShare = 0.25
	// visitedShare is what is left of a link to a place that was seen and did not
	// have it.
	visitedShare = 0.3
	// abroadShare is what is left of links that leave the site: what is looked
	// for is looked for here.
	abroadShare = 0.35
	// unknownMenu is the worth of something closed whose name says nothing, anyMenu
	// that of a menu, which holds what is not on the page.
	unknownMenu, anyMenu = 0.13, 0.4
	// told is the worth of something closed of the kind that one was told to look into.
	toldMenu = 0.52
	// sendsToo is what a button that sends promises to somebody who looks for one of
	// another name.
	sendsToo = 0.8
	// foundShare is what the words below a hit promise, of what its own name does;
	// hitHeight is how far below in px they stand.
	foundShare, hitHeight = 0.85, 90
	// placeShare is what the way to the place promises in which one is to look.
	placeShare = 0.9
	// ownName is the match from which a word is said by itself and not by one like it.
	ownName = 0.85
	// partShare is the scent of a label that holds the name that is looked for and
	// more.
	partShare = 0.43
	// titleWords is how many words must be said as the task says them, one behind the other,
	// for a label that goes on behind them to be that of the thing (an assumption).
	titleWords = 4
	// itselfShare is the scent of the thing itself to somebody who wants to do something
	// to it: less than that of a control that does it.
	itselfShare = 0.75
	// kindShare is the scent of a place that is called as what the thing is one of.
	kindShare = 0.6
	// keptShare is the scent of a place where applications usually keep such things,
	// alsoSaid what is left of it when only what else the task says tells.
	keptShare, alsoSaid = 0.6, 0.6
	// otherPart is what is left of a deed whose label says of something else what it is
	// done to, where it stands with the thing, and again of one that only leads there.
	otherPart = 0.6
	// tellingShare is the share of the most telling word's weight from which another is
	// worth searching for.
	tellingShare = 0.6
	// otherDeed is what is left of what a button promises that sends something and says
	// nothing of the deed.
	otherDeed = 0.5
	// impliedThing is how far a label speaks of the thing that names nothing else: of what is
	// still to be made, or on the page of its place.
	impliedThing = 0.7
	// primary is the salience from which a control is what the page puts first, and
	// primaryShare what it promises to who has begun.
	primary, primaryShare = 0.6, 0.5
	// opensShare is what is left of a deed on what only opens something.
	opensShare = 0.5
	// sameConcept is the scent of a label of the very concept that is looked for.
	sameConcept = 0.7
	// otherShare is what a control promises at most to somebody who looks for one of
	// another name.
	otherShare = 0.45
	// elsewhere is what is left of a deed that is offered where it is not to be done.
	elsewhere = 0.2
	// homeWorth is what the link to the front page promises at most.
	homeWorth = 0.1
	// headingShare of a heading's scent is added to what stands below it
	// (CoLiDeS: a region is chosen by its heading, then a widget in it).
	headingShare = 0.3
	// iconShare is how far a shape that not everybody knows tells what a label would.
	iconShare = 0.6
	// contextLeast is how far the surroundings must name the object for an act on
	// it to be offered here.
	contextLeast = 0.55
	// arrivedLeast is how well a link must name what is looked for for the page
	// behind it to be the place.
	arrivedLeast = 0.6
	// aboutLeast is how far a page must be about something to be looked through.
	aboutLeast = 0.65
	// backCost is what another place must promise more for going back (SNIF-ACT 2.0).
	backCost = 0.1
	// actSkim is the share of a page's words that somebody reads who came to do
	// something, of what is read by those who look for something.
	actSkim = 0.35
	// lookingIdle is the share of the time spent on looking at something new that
	// tries patience when it brings nothing.
	lookingIdle = 0.4
	// searchBelow is the scent under which the search box is used (simulated-users:
	// "when the best scent is below 0.3").
	searchBelow = 0.3
	// rivalGap is the difference in scent that nobody perceives.
	rivalGap = 0.04
	// leastContrast is the ratio below which nothing is seen at all; from
	// largeText (WCAG 2.2, 1.4.3 for large text) nothing is missed.
	leastContrast, largeText = 1.3, 3.0
	// readableText is the contrast from which more of it helps nobody (WCAG 2.2, 1.4.6).
	readableText = 7.0
	// shapeSeen is the salience from which a control is noticed by its shape
	// whatever its label looks like.
	shapeSeen = 0.35
	// secondShape is what is left of that on a second look.
	secondShape = 0.7
	// fieldSeen is the salience from which an empty box is noticed as one to fill in.
	fieldSeen = 0.1
	// touchWidth is the viewport in CSS px below which people use a finger.
	touchWidth = 900
	// wallOfText is the words in one block from which it is skipped.
	wallOfText = 120
	// attentive is how many screenfuls of a page that is about the goal are read
	// on at most; long manuals are searched otherwise.
	attentive = 12
	// roomy is the part of the window from which something may hold what is looked
	// for, filling that from which it is what the page is there for.
	roomy, filling = 0.2, 0.5
	// backdropWords are the words over a picture from which it is their background.
	backdropWords = 12
	// gateControls is how many controls stand beside a proof of being human at most
	// where it is all of the page.
	gateControls = 4
	// longestName and longestSaid are how much of a name, and of what is wanted or
	// found, is thought at most, in bytes.
	longestName, longestSaid = 60, 160
	// maxElements bounds how many elements of a look are considered.
	maxElements = 4000
)
