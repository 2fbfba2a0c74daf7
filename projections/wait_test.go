package projections_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/projections"
	"understudy/projections/worklist"
)

func TestWaitForAPosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := projections.NewPositions()
		if at := p.At(t.Context(), "tests"); at != -1 {
			t.Fatalf("nothing was projected, and the position is %d", at)
		}
		done := make(chan error, 1)
		go func() { done <- p.Wait(t.Context(), "tests", 7) }()
		for _, step := range []struct {
			name     string
			position int64
		}{{"tests", -1}, {"tests", 6}, {"sessions", 9}} {
			p.Advance(step.name, step.position)
			synctest.Wait()
			select {
			case err := <-done:
				t.Fatalf("the wait for 7 ended with %s at %d: %v", step.name, step.position, err)
			default:
			}
		}
		p.Advance("tests", 7)
		synctest.Wait()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(t.Context(), "tests", 3); err != nil {
			t.Errorf("waiting for what is long past: %v", err)
		}
	})
}

// The first event of a log has position 0: it is not there until it is.
func TestWaitForTheFirstPosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := projections.NewPositions()
		p.Advance("tests", -1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Wait(ctx, "tests", 0); domain.CodeOf(err) != domain.CodeUnavailable {
			t.Errorf("nothing was projected, and the wait says %v", err)
		}
	})
}

func TestWaitForOwnWriteIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := projections.NewPositions()
		began := time.Now()
		err := p.WaitOwnWrite(t.Context(), "tests", 1)
		if domain.CodeOf(err) != domain.CodeUnavailable {
			t.Errorf("%v, want a refusal as unavailable", err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %s, want 5 s", took)
		}
	})
}

// Where another process projects, its position is read until it is there; a
// reading that fails is tried again.
func TestWaitForAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := projections.NewPositions()
		reads := 0
		p.Read = func(_ context.Context, name string) (int64, error) {
			if name != "tests" {
				t.Errorf("read %q", name)
			}
			if reads++; reads == 2 {
				return 0, errors.New("connection lost")
			}
			return int64(reads), nil
		}
		if err := p.WaitOwnWrite(t.Context(), "tests", 5); err != nil {
			t.Fatal(err)
		}
		if reads != 5 {
			t.Errorf("position 5 was found by reading %d", reads)
		}
	})
}

func TestPositionOfAnotherProcess(t *testing.T) {
	t.Parallel()
	p := projections.NewPositions()
	p.Advance("tests", 4)
	elsewhere, fault := int64(9), error(nil)
	p.Read = func(context.Context, string) (int64, error) { return elsewhere, fault }
	if at := p.At(t.Context(), "tests"); at != 9 {
		t.Errorf("at %d, want the 9 of the other process", at)
	}
	if elsewhere = 2; p.At(t.Context(), "tests") != 4 {
		t.Error("what this process knows was forgotten")
	}
	if fault = errors.New("connection lost"); p.At(t.Context(), "tests") != 4 {
		t.Error("without the database, what this process knows was forgotten")
	}
}

// TestPartsAreToldApart: who waits for one kind of work is not woken by another.
func TestPartsAreToldApart(t *testing.T) {
	t.Parallel()
	srv, pool := startServer(t), pgtest.Pool(t)
	store := srv.open(delivery.Catalogue)
	p := srv.project(pool, worklist.Projection)
	sessions, deliveries := worklist.Changed(p.positions, worklist.Session), worklist.Changed(p.positions, worklist.Deliver)
	w := past()
	w.deliver("dlv_1", "whk_a", owner(0))
	p.reach(srv.append(store, w.log...))
	select {
	case <-deliveries:
	case <-testContext(t).Done():
		t.Fatal("nobody was told of a delivery")
	}
	select {
	case <-sessions:
		t.Error("who waits for sessions was told of a delivery")
	default:
	}
	deliveries = worklist.Changed(p.positions, worklist.Deliver)
	w.log = nil
	w.tell(delivery.Stream("dlv_1"), delivery.RecordAttempt{Attempt: 1, Delivered: true, StatusCode: 200, Now: w.at()}, domain.Meta{})
	p.reach(srv.append(store, w.log...))
	select {
	case <-deliveries:
		t.Error("the end of a delivery was told as one to be sent")
	default:
	}
}

func TestChangedWakesEveryWatcher(t *testing.T) {
	t.Parallel()
	p := projections.NewPositions()
	a, b := p.Changed("worklist"), p.Changed("worklist")
	p.Advance("worklist", 1)
	for _, c := range []<-chan struct{}{a, b} {
		select {
		case <-c:
		default:
			t.Fatal("a watcher was not woken")
		}
	}
	select {
	case <-p.Changed("worklist"):
		t.Fatal("a change is told before it is there")
	default:
	}
}
