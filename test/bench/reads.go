package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/adapters/postgres"
	"understudy/projections"
	"understudy/projections/tests"
	"understudy/test/harness"
)

const (
	// bareEnv makes this program the bare handler on the database that it names.
	bareEnv = "UNDERSTUDY_BENCH_BARE"
	// readers read at a time, reading requests in all, in turns. A key may make
	// 1,000 requests a minute; the service's are made in one window, those of the
	// read beside the bare handler with a key for each of its turns.
	readers  = 8
	reading  = 800
	turns    = 10
	readKeys = 20
	readAim  = "≥ 0.7 × the bare handler"
)

// measureReads reads one test from the service and from the least that could
// answer: an echo handler that sends one row of the same table of the same
// Postgres, without keys, limits, headers and logs.
func measureReads(ctx context.Context, b *bench) error {
	if b.against != "" {
		if err := measureAgainst(ctx, b); err != nil {
			return err
		}
	}
	return b.with(ctx, "reads", func(s *service) error {
		test, _, err := s.Sandbox().Create(ctx, harness.SignUp(1))
		if err != nil {
			return err
		}
		if err := completed(ctx, s.Sandbox(), test.ID, 100*time.Millisecond, oneLimit); err != nil {
			return err
		}
		bare, stop, err := serveBare(ctx, s)
		if err != nil {
			return err
		}
		defer stop()
		path := "/tests/" + test.ID
		// Turn and turn about, so that both meet the same machine; the first of them
		// warms both.
		var whole, least time.Duration
		var each, eachBare times
		for turn := range readKeys + 1 {
			key, err := anotherKey(ctx, s)
			if err != nil {
				return err
			}
			took, t, err := readAll(ctx, key, path, reading)
			if err != nil {
				return err
			}
			tookBare, tBare, err := readAll(ctx, bare, path, reading)
			if err != nil {
				return err
			}
			if turn > 0 {
				whole, each = whole+took, append(each, t...)
				least, eachBare = least+tookBare, append(eachBare, tBare...)
			}
		}
		b.table.add("reads", "bare echo handler, one row", perSecond(len(eachBare), least), "", fmt.Sprintf("%d at a time, %s", readers, eachBare.spread()))
		b.table.add("reads", "GET /tests/{id}", perSecond(len(each), whole), readAim,
			fmt.Sprintf("%.2f × the bare handler, %s", least.Seconds()/whole.Seconds(), each.spread()))
		return nil
	})
}

// anotherKey is a client with a key of its own, and so with a window of its own.
func anotherKey(ctx context.Context, s *service) (harness.Client, error) {
	c := s.Sandbox()
	var made struct{ Key string }
	_, err := c.Call(ctx, http.MethodPost, "/keys", map[string]any{"name": "Reader", "scopes": []string{"tests:read"}}, &made)
	return harness.Client{Addr: c.Addr, Key: made.Key}, err
}

// newWindow waits until no requests have been counted yet.
func newWindow(ctx context.Context) error {
	select {
	case <-time.After(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// againstAim is how much of the other program's speed is kept.
const againstAim = "≥ 0.95 × the other program"

// measureAgainst reads a test, a session and a report by their ids from the
// program and from another one, turn and turn about.
func measureAgainst(ctx context.Context, b *bench) error {
	other := &bench{binary: b.against, dir: b.dir, scale: b.scale}
	return b.with(ctx, "reads-this", func(this *service) error {
		return other.with(ctx, "reads-other", func(that *service) error {
			paths, err := resources(ctx, this)
			if err != nil {
				return err
			}
			otherPaths, err := resources(ctx, that)
			if err != nil {
				return err
			}
			for i, what := range []string{"GET /tests/{id}", "GET /sessions/{id}", "GET /reports/{id}"} {
				for _, warm := range []struct {
					of   *service
					path string
				}{{this, paths[i]}, {that, otherPaths[i]}} {
					if _, _, err := readAll(ctx, warm.of.Sandbox(), warm.path, 10*readers); err != nil {
						return err
					}
				}
				if err := newWindow(ctx); err != nil {
					return err
				}
				var took, otherTook time.Duration
				var each, otherEach times
				for range turns {
					d, t, err := readAll(ctx, this.Sandbox(), paths[i], reading/turns)
					if err != nil {
						return err
					}
					took, each = took+d, append(each, t...)
					if d, t, err = readAll(ctx, that.Sandbox(), otherPaths[i], reading/turns); err != nil {
						return err
					}
					otherTook, otherEach = otherTook+d, append(otherEach, t...)
				}
				b.table.add("reads", what+", two programs", perSecond(reading, took), againstAim,
					fmt.Sprintf("%.2f × the other program, %s, the other %s", otherTook.Seconds()/took.Seconds(), each.spread(), otherEach.spread()))
			}
			return nil
		})
	})
}

// resources makes a test and tells where it, a session of it and its report are.
func resources(ctx context.Context, s *service) ([]string, error) {
	c := s.Sandbox()
	test, _, err := c.Create(ctx, harness.SignUp(1))
	if err != nil {
		return nil, err
	}
	if err := completed(ctx, c, test.ID, 100*time.Millisecond, oneLimit); err != nil {
		return nil, err
	}
	var sessions struct{ Data []struct{ ID string } }
	if _, err := c.Call(ctx, http.MethodGet, "/tests/"+test.ID+"/sessions", nil, &sessions); err != nil {
		return nil, err
	}
	var report struct{ ID string }
	if _, err := c.Call(ctx, http.MethodGet, "/tests/"+test.ID+"/report", nil, &report); err != nil {
		return nil, err
	}
	if len(sessions.Data) == 0 {
		return nil, fmt.Errorf("test %s has no sessions", test.ID)
	}
	return []string{"/tests/" + test.ID, "/sessions/" + sessions.Data[0].ID, "/reports/" + report.ID}, nil
}

// readAll reads a path n times, readers at a time, and tells how long it took.
func readAll(ctx context.Context, c harness.Client, path string, n int) (time.Duration, times, error) {
	var group sync.WaitGroup
	all, failures := make([]times, readers), make([]error, readers)
	began := time.Now()
	for r := range readers {
		group.Go(func() {
			for range n / readers {
				took, err := c.Call(ctx, http.MethodGet, path, nil, nil)
				if err != nil {
					failures[r] = err
					return
				}
				all[r] = append(all[r], took)
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	var each times
	for _, t := range all {
		each = append(each, t...)
	}
	return took, each, errors.Join(failures...)
}

// serveBare starts the bare handler as a process of its own, like the service.
func serveBare(ctx context.Context, s *service) (c harness.Client, stop func(), err error) {
	binary, err := os.Executable()
	if err != nil {
		return harness.Client{}, nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return harness.Client{}, nil, err
	}
	// The child has the listener as its descriptor 3.
	file, err := l.(*net.TCPListener).File()
	if err = errors.Join(err, l.Close()); err != nil {
		return harness.Client{}, nil, err
	}
	query := url.Values{"host": {filepath.Join(s.Data(), "postgres")}, "port": {"5432"}, "sslmode": {"disable"}}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), bareEnv+"=postgres://understudy@/understudy?"+query.Encode())
	cmd.ExtraFiles = []*os.File{file}
	cmd.Stderr = os.Stderr
	if err := errors.Join(cmd.Start(), file.Close()); err != nil {
		return harness.Client{}, nil, err
	}
	return harness.Client{Addr: l.Addr().String()}, func() {
		_ = cmd.Process.Kill() // it holds nothing
		_ = cmd.Wait()
	}, nil
}

// bareHandler is the process that serveBare starts.
func bareHandler(ctx context.Context, database string) error {
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	pool, err := postgres.Connect(ctx, database, postgres.PoolOptions{})
	if err != nil {
		return err
	}
	defer pool.Close()
	row := `SELECT doc FROM ` + projections.PostgresSchema(tests.Projection.Name, tests.Projection.Version) + `.tests WHERE id = $1`
	e := echo.New()
	e.HideBanner, e.HidePort, e.Listener = true, true, listener
	e.GET("/v1/tests/:id", func(c echo.Context) error {
		var doc []byte
		if err := pool.QueryRow(c.Request().Context(), row, c.Param("id")).Scan(&doc); err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, doc)
	})
	return e.Start("")
}
