package eventstore

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic over an event as an error: the program cannot take the event in,
// however often it tries.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Safely is do, whose panic it answers with as a *Panic. What do starts goroutines
// for has to be in Safely on each of them.
func Safely(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return do()
}
