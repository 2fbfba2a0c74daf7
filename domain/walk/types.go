package walk

import "understudy/domain/mind"

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
