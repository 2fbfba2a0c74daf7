//go:build !linux

package main

// smallDisk: there are no disks here that can be made for a trial.
func (t *splitTrial) smallDisk() error { return nil }

func unmounted(string) error { return nil }
