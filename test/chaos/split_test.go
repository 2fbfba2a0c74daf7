package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// TestAFewFaultsOfASplitService is the short form of its trial, with a second copy of the
// program as the other release.
func TestAFewFaultsOfASplitService(t *testing.T) {
	t.Parallel()
	ctx, cancel := patience.Context(context.Background(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	binary, err := harness.BuildOnce(ctx, dir)
	other := filepath.Join(dir, "other")
	if err := errors.Join(err, os.Link(binary, other)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = run(ctx, []string{
		"-only", "split", "-kills", "6", "-within", "400ms", "-binary", binary, "-other", other, "-seed", "2",
		"-recovery", patience.Scaled(20 * time.Second).String(),
	}, &out)
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`faults                         6\n`, `tests in real browsers         [1-9]`, `lost                           0\n`, `wrong verdicts                 0\n`,
		`\n[1-9]\d* starts of .*/understudy, [1-9]\d* of .*/other\n`,
	} {
		if !regexp.MustCompile(line).MatchString(out.String()) {
			t.Errorf("the end does not say %q", line)
		}
	}
}

// TestChaosLasts for a time instead of a number of kills.
func TestChaosLasts(t *testing.T) {
	t.Parallel()
	ctx, cancel := patience.Context(context.Background(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	began := time.Now()
	err := run(ctx, []string{"-only", "store", "-for", "2s", "-within", "100ms", "-writers", "4"}, &out)
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("it was over after %s", took)
	}
	if err := run(ctx, []string{"-for", "2s", "-kills", "3"}, &out); err == nil {
		t.Error("it lasts for a time and a number of kills")
	}
}

// TestASlowRecoveryIsAFailure and says after what.
func TestASlowRecoveryIsAFailure(t *testing.T) {
	t.Parallel()
	trial := &splitTrial{settings: settings{recovery: 5 * time.Second}, recoveries: map[string][]time.Duration{}}
	trial.recovered(1, "process killed", 1, 5*time.Second)
	if err := trial.slowness(); err != nil {
		t.Errorf("5 s: %v", err)
	}
	trial.recovered(2, "process paused + Postgres killed", 2, 5001*time.Millisecond)
	err := trial.slowness()
	if !errors.Is(err, errSlow) || !strings.Contains(err.Error(), "fault 2, process paused + Postgres killed: a new test was walked 5.001s after it") {
		t.Errorf("5.001 s: %v", err)
	}
}

// TestTwoPartsBreakAtOnce now and then, and a part twice never; a clock is set where a
// process goes by it.
func TestTwoPartsBreakAtOnce(t *testing.T) {
	t.Parallel()
	trial := newSplitTrial(settings{seed: 1}, t.TempDir(), nil)
	t.Cleanup(trial.hook.Close)
	for _, name := range []string{"one", "two"} {
		c, err := newClock(filepath.Join(trial.dir, name+".clock"))
		if err != nil {
			t.Fatal(err)
		}
		trial.members = append(trial.members, member{&harness.Service{Dir: name}, c})
	}
	const draws = 2000
	twice, clocks := 0, 0
	draw := func() {
		twice, clocks = 0, 0
		for range draws {
			some := trial.draw()
			if len(some) == 2 {
				twice++
				if some[0].part == some[1].part {
					t.Errorf("%s and %s at once", some[0].name, some[1].name)
				}
			}
			for _, f := range some {
				if strings.HasPrefix(f.name, "clock ") {
					clocks++
				}
			}
		}
	}
	draw()
	if clocks > 0 {
		t.Errorf("%d clocks are set by which nobody goes", clocks)
	}
	if twice < draws/10 || twice > draws/3 {
		t.Errorf("two parts break %d times of %d", twice, draws)
	}
	if err := trial.members[0].clock.write(1, 1); err != nil {
		t.Fatal(err)
	}
	if draw(); clocks == 0 {
		t.Error("no clock is set")
	}
}
