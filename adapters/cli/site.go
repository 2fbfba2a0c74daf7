package cli

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"syscall"
	"time"
)

const (
	// knock is the pause between tries to reach the site, knockLimit bounds one.
	knock, knockLimit = 200 * time.Millisecond, 5 * time.Second
	// stopGrace is what the site has to end in before it is killed.
	stopGrace = 5 * time.Second
)

// startSite runs --start, waits until --wait-on answers, and ends the site by stop.
func (r *run) startSite(ctx context.Context, plans []plan) (stop func(), err error) {
	stop = func() {}
	var ended chan error
	address := r.flags.waitOn
	if address == "" && r.flags.start != "" {
		address = plans[0].URL
	}
	if r.flags.start != "" {
		if answers(ctx, address) {
			return stop, usage("--start: %s answers already; end what runs there, or leave out --start", address)
		}
		site := exec.Command("sh", "-c", r.flags.start) //nolint:gosec,noctx // it is the caller's command, which ends as a group
		site.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		site.Stdout, site.Stderr = r.told, r.told
		if err := site.Start(); err != nil {
			return stop, usage("--start: %v", err)
		}
		ended = make(chan error, 1)
		gone := make(chan struct{})
		go func() { ended <- site.Wait(); close(gone) }()
		stop = func() {
			_ = syscall.Kill(-site.Process.Pid, syscall.SIGTERM)
			select {
			case <-gone:
			case <-time.After(stopGrace):
			}
			_ = syscall.Kill(-site.Process.Pid, syscall.SIGKILL) // what is left of the group
		}
	}
	if address == "" {
		return stop, nil
	}
	if err := r.await(ctx, address, ended); err != nil {
		stop()
		return func() {}, err
	}
	return stop, nil
}

// await waits until an address answers, with whatever is not an error of the server.
func (r *run) await(ctx context.Context, address string, ended <-chan error) error {
	waiting, cancel := context.WithTimeoutCause(ctx, r.flags.patience, fmt.Errorf("%s does not answer within %s", address, r.flags.patience))
	defer cancel()
	for {
		if answers(waiting, address) {
			return nil
		}
		select {
		case err := <-ended:
			return usage("--start: the command ended before %s answered (%v)", address, err)
		case <-waiting.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &ExitError{ExitUnreachable, context.Cause(waiting)}
		case <-time.After(knock):
		}
	}
}

func answers(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, knockLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode < http.StatusInternalServerError
}
