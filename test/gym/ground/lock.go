package ground

import "sync"

var locks sync.Map

// lock lets one at a time have a name.
func lock(name string) (unlock func()) {
	mu, _ := locks.LoadOrStore(name, &sync.Mutex{})
	mu.(*sync.Mutex).Lock()
	return mu.(*sync.Mutex).Unlock
}
