package forms

import "understudy/domain/walk"

// AsksFor tells what a field wants by what it says of itself: one of the kinds of
// en/fields.txt, "text" when nothing tells.
func AsksFor(e *walk.Element) string { return kindOf(e, e.Name) }
