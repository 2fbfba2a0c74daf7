package testrun

// Embedded is the model that is built in, and Newest the name by which a wish
// means it whatever its version.
const (
	Embedded = "forager-2"
	Newest   = "forager"
)

// successors are what took the place of models that are no longer served.
var successors = map[string]string{"forager-1": Embedded}

// Successor is the model that took the place of one, itself when none did.
func Successor(model string) string {
	if next, gone := successors[model]; gone {
		return next
	}
	return model
}

// model is the one that the wish means.
func (w Wish) model() string {
	if w.Model == Newest {
		return Embedded
	}
	return w.Model
}
