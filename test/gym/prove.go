package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"understudy/test/gym/ground"
	"understudy/test/harness"
)

// prove has a scripted user do every task: it can be done, that shows, and who
// does nothing has not done it.
func prove(ctx context.Context, o options) error {
	all, err := o.chosen()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(ground.Cache("pictures"), 0o755); err != nil {
		return err
	}
	failed := 0
	for _, e := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := proved(ctx, e); err != nil {
			failed++
			fmt.Printf("FAIL  %s: %v\n", e.name(), err)
			continue
		}
		fmt.Printf("ok    %s\n", e.name())
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d tasks are not proved", failed, len(all))
	}
	return nil
}

func proved(ctx context.Context, e errand) (err error) {
	g, err := ground.Prepare(ctx, e.site, e.task, 2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	here := filepath.Join(harness.Root(), "test", "gym")
	picture := ground.Cache("pictures", e.site.Name+"-"+e.task.Name+".png")
	cmd := exec.CommandContext(ctx, "node", filepath.Join(here, "drive.mjs"),
		filepath.Join(here, e.half, e.site.Name, "user.mjs"), e.task.Name, g.URL, picture)
	if out, err := cmd.CombinedOutput(); err != nil {
		_, said, _ := bytes.Cut(out, []byte("\n\n"))
		return fmt.Errorf("the scripted user fails (%s): %w\n%.600s", picture, err, said)
	}
	truths, err := g.Truths()
	switch {
	case err != nil:
		return err
	case len(truths) != 2:
		return fmt.Errorf("%d visitors came instead of 2", len(truths))
	case truths[0].Done:
		return errors.New("who does nothing has done it")
	case !truths[1].Done && e.task.Limit == "":
		return fmt.Errorf("it was done and does not show (%s)", picture)
	}
	return nil
}
