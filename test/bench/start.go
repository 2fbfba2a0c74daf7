package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// measureStart times the program from exec to the line that says ready.
func measureStart(ctx context.Context, b *bench) error {
	const runs = 3
	var empty, existing times
	for i := range runs {
		name := fmt.Sprintf("start-%d", i)
		for _, into := range []*times{&empty, &existing} {
			err := b.with(ctx, name, func(s *service) error {
				*into = append(*into, s.Startup)
				return nil
			})
			if err != nil {
				return err
			}
		}
		if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
			return err
		}
	}
	const aim, note = "< 10 s", "median of 3"
	b.table.add("start", "exec to ready, empty data directory", short(empty.at(0.5)), aim, note)
	b.table.add("start", "exec to ready, existing data directory", short(existing.at(0.5)), aim, note)
	return nil
}
