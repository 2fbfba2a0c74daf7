package main

import (
	"context"
	"fmt"

	"understudy/test/sites"
)

// repairedCases is how many cases with a fault that was found are walked again,
// spread evenly over all of them: each takes two tests more.
const repairedCases = 32

// measureRepair walks cases whose faults were found again: without their
// faults, with the first one put right in another way, and with something
// changed that has nothing to do with it.
func measureRepair(ctx context.Context, b *bench) error {
	cases := b.chosen()
	tests, err := b.faultyTests(ctx, cases)
	if err != nil {
		return err
	}
	var found []int
	for i := range cases {
		if anyFound(tests[i]) {
			found = append(found, i)
		}
	}
	p := &repairs{b: b, clean: map[string]int{}}
	for k := range min(len(found), repairedCases) {
		i := found[k*len(found)/min(len(found), repairedCases)]
		if err := p.plan(cases[i], tests[i]); err != nil {
			return err
		}
	}
	after, err := b.walk(ctx, "repaired sites", p.jobs)
	if err != nil {
		return err
	}
	var gone, goneToo, stays tally
	for _, f := range p.found {
		for _, o := range []struct {
			at      place
			there   bool // the issue should be
			tallied *tally
		}{{f.clean, false, &gone}, {f.another, false, &goneToo}, {f.edited, true, &stays}} {
			if o.at.job < 0 || len(after[o.at.job].walks) == 0 {
				continue
			}
			t := after[o.at.job]
			right := (t.verdicts[o.at.fault].Rank > 0) == o.there
			o.tallied.count(right)
			if !right {
				b.noteRepair(p.jobs[o.at.job].key, t, o.at.fault)
			}
		}
	}
	b.table.add("repair", gone.atLeast("found faults whose issue is gone from the clean page", 95))
	b.table.add("repair", goneToo.atLeast("gone when put right in another way", 95))
	b.table.add("repair", stays.atLeast("still there after an edit that repairs nothing", 95))
	return nil
}

func inTopThree(t *test, fault int) bool {
	return fault < len(t.verdicts) && t.verdicts[fault].Rank >= 1 && t.verdicts[fault].Rank <= 3
}

func anyFound(t *test) bool {
	for i := range t.verdicts {
		if inTopThree(t, i) {
			return true
		}
	}
	return false
}

// repairs are the tests of repaired sites.
type repairs struct {
	b     *bench
	jobs  []job
	clean map[string]int // jobs by site, task and devices
	found []foundFault
}

// foundFault is a fault that was found, and where its repairs are judged.
type foundFault struct{ clean, another, edited place }

// place is one fault of one job; a negative job is none.
type place struct{ job, fault int }

// plan adds what is to be walked for a case whose faults were found.
func (p *repairs) plan(c sites.Case, before *test) error {
	clean, offset, err := p.cleanPage(c)
	if err != nil {
		return err
	}
	edited, err := p.add(c, "edited", sites.Options{Faults: c.Faults, Decoys: append(sites.Edited(c.Faults[0]), c.Decoys...)})
	if err != nil {
		return err
	}
	another := -1
	if inTopThree(before, 0) {
		if another, err = p.add(c, "repaired", c.RepairedOptions()); err != nil {
			return err
		}
	}
	for fault := range c.Faults {
		if !inTopThree(before, fault) {
			continue
		}
		f := foundFault{clean: place{clean, offset + fault}, another: place{-1, 0}, edited: place{edited, fault}}
		if fault == 0 {
			f.another = place{another, 0}
		}
		p.found = append(p.found, f)
	}
	return nil
}

func (p *repairs) add(c sites.Case, name string, o sites.Options) (int, error) {
	j, err := p.b.variant(c, name, o, 0)
	p.jobs = append(p.jobs, j)
	return len(p.jobs) - 1, err
}

// cleanPage adds the clean site, which cases of one task share, and the faults
// that are to be missing there. It returns the index of the first of them.
func (p *repairs) cleanPage(c sites.Case) (index, offset int, err error) {
	shared := fmt.Sprint(c.Site, "-", c.Task, "-all ", c.Viewports)
	index, known := p.clean[shared]
	if !known {
		whole := c
		whole.Name, whole.Faults = shared, nil
		if index, err = p.add(whole, "clean", sites.Options{}); err != nil {
			return 0, 0, err
		}
		p.clean[shared] = index
	}
	offset = len(p.jobs[index].faults)
	p.jobs[index].faults = append(p.jobs[index].faults, c.Faults...)
	return index, offset, nil
}

// noteRepair tells of a repair that changed nothing, or an edit that changed something.
func (b *bench) noteRepair(key string, t *test, fault int) {
	v := t.verdicts[fault]
	b.note("repair %s: %s rank %d", key, v.Fault.Kind, v.Rank)
	for i := range t.counted[:min(3, len(t.counted))] {
		b.note("    %d %s", i+1, describe(&t.counted[i]))
	}
}
