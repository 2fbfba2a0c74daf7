package walk

import "understudy/domain/mind"

type (
	// Page is what one look perceives.
	Page = mind.Page
	// Element is something on it that can be acted on.
	Element = mind.Element
	// Text is a block of words on it.
	Text = mind.Text
	// Box is where something stands, in CSS px.
	Box = mind.Box
	// Size is that of a viewport, in CSS px.
	Size = mind.Size
)

// IsField reports what takes a value.
func IsField(e *Element) bool { return mind.IsField(e) }
