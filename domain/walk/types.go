package walk

import (
	"strings"

	"understudy/domain/mind"
)

// What is seen, decided and done, as every part of a walk speaks of it.
type (
	Page       = mind.Page
	Element    = mind.Element
	Text       = mind.Text
	Region     = mind.Region
	Box        = mind.Box
	Size       = mind.Size
	Action     = mind.Action
	ActionType = mind.ActionType
	Effect     = mind.Effect
	Request    = mind.Request
	Decision   = mind.Decision
	Purpose    = mind.Purpose
	Signal     = mind.Signal
	Completion = mind.Completion
	// Conditions are what a test says success is.
	Conditions = mind.SuccessConditions
)

// StateKey identifies the state that a page is in: pages of one address and main
// heading are one.
func StateKey(p *Page) string { return mind.StateKey(p) }

// Path is the path of an address, "/" when it has none, without its query.
func Path(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
		if i := strings.IndexByte(address, '/'); i >= 0 {
			address = address[i:]
		} else {
			address = "/"
		}
	}
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// Host is the host of an address, "" when it has none.
func Host(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// IsField reports what takes a value.
func IsField(e *Element) bool { return mind.IsField(e) }

// The acts, purposes, ends and signals of a walk.
const (
	Click  = mind.Click
	Type   = mind.Type
	Append = mind.Append
	Select = mind.Select
	Check  = mind.Check
	Press  = mind.Press
	Scroll = mind.Scroll
	Back   = mind.Back
	Wait   = mind.Wait
	Hover  = mind.Hover
	Upload = mind.Upload
	Drag   = mind.Drag
	GiveUp = mind.GiveUp
	Done   = mind.Done

	Navigate = mind.Navigate
	ReadOn   = mind.ReadOn
	Dismiss  = mind.Dismiss
	Fill     = mind.Fill
	Submit   = mind.Submit
	OpenMenu = mind.OpenMenu
	Seek     = mind.Seek
	Return   = mind.Return
	Finish   = mind.Finish

	EndDone    = mind.EndDone
	EndGaveUp  = mind.EndGaveUp
	EndBlocked = mind.EndBlocked

	SigMissedTarget  = mind.SigMissedTarget
	SigRivals        = mind.SigRivals
	SigUnclear       = mind.SigUnclear
	SigHardToSee     = mind.SigHardToSee
	SigCovered       = mind.SigCovered
	SigInterrupted   = mind.SigInterrupted
	SigFieldError    = mind.SigFieldError
	SigUnlabelled    = mind.SigUnlabelled
	SigDisabled      = mind.SigDisabled
	SigBelowFold     = mind.SigBelowFold
	SigHiddenMenu    = mind.SigHiddenMenu
	SigLongText      = mind.SigLongText
	SigLostScent     = mind.SigLostScent
	SigHesitation    = mind.SigHesitation
	SigDeadClick     = mind.SigDeadClick
	SigBrokenPage    = mind.SigBrokenPage
	SigMouseOnly     = mind.SigMouseOnly
	SigUnknownWidget = mind.SigUnknownWidget

	Verified   = mind.Verified
	NotReached = mind.NotReached
	Unverified = mind.Unverified
)

// Deed is what was done before a look, zero for the first look.
type Deed struct {
	Action Action
	// Target is the element acted on as the look before showed it, nil for none.
	Target *Element
	// DwellMS is the simulated time spent on the look before, from seeing it to
	// having acted, in ms. What stood uncovered there was read in it.
	DwellMS int
	Effect  Effect
}

// Judge decides whether a walk reached its goal, from what the browser saw. It is
// shown every look with what was done before it; the last look is followed by one
// more call with itself and a deed that ends the walk (Done or GiveUp).
type Judge interface {
	Observe(page Page, did Deed)
	Verdict() Completion
}
