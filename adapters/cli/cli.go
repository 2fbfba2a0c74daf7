// Package cli is the front door for terminals and pipelines: commands that call a
// service by REST, as any other client. The one that runs tests starts a service of
// its own where none is named.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/client"
)

// Exit statuses, which pipelines rely on.
const (
	ExitPassed      = 0
	ExitGateFailed  = 1 // or significantly worse than the baseline
	ExitUsage       = 2 // a flag, a file or a field of the request is wrong
	ExitTestFailed  = 3 // the test could not be carried through
	ExitUnreachable = 4 // the service does not answer
	ExitNotJudged   = 5 // called off, or without evidence for a verdict
)

// ExitError ends the program with a status. Err is nil where everything was said.
type ExitError struct {
	Status int
	Err    error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Local is a service of this machine: one that runs, or was started for one command.
type Local struct {
	Base          string // of REST
	Live, Sandbox string // API keys
	// Ended is closed when a started one has ended, by itself as well.
	Ended <-chan struct{}
	// Stop ends a started one, and tells how it has ended.
	Stop func() error
}

// Env is what the commands have from outside.
type Env struct {
	Getenv func(string) string
	// Start starts a service on a data directory; "" is a temporary one.
	Start func(ctx context.Context, dataDir string) (*Local, error)
	// Running is the service that runs on this machine's data directory; nil: none does.
	Running func(ctx context.Context) *Local
	// Document is the OpenAPI document, in YAML.
	Document []byte
}

// Commands are the commands of this package.
func Commands(env Env) []*cobra.Command {
	return []*cobra.Command{
		testCommand(env), compareCommand(env), initCommand(env), listCommand(env), showCommand(env), watchCommand(env), cancelCommand(env),
		reportCommand(env), personasCommand(env), keysCommand(env), loginCommand(env), logoutCommand(env),
	}
}

// usage is the error of a call that is wrong in itself.
func usage(format string, args ...any) error {
	return &ExitError{Status: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// StatusOf is the exit status that an error asks for.
func StatusOf(err error) int {
	var exit *ExitError
	var refused *client.Error
	var unreachable *client.UnreachableError
	switch {
	case err == nil:
		return ExitPassed
	case errors.As(err, &exit):
		return exit.Status
	case errors.As(err, &unreachable):
		return ExitUnreachable
	case errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError:
		return ExitUnreachable
	case errors.As(err, &refused) && refused.Status != http.StatusPaymentRequired && refused.Status != http.StatusConflict && refused.Status != http.StatusTooManyRequests:
		return ExitUsage
	case errors.As(err, &refused), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ExitNotJudged
	}
	return ExitGateFailed
}

// unjudged gives what kept a command from its verdict a status: nothing was judged, so
// that it is none of a verdict.
func unjudged(ctx context.Context, err error) error {
	exit := (*ExitError)(nil)
	switch {
	case err == nil:
		return nil
	case gone(ctx):
		return context.Cause(ctx)
	case errors.As(err, &exit):
		return err
	case ctx.Err() != nil:
		return &ExitError{ExitNotJudged, fmt.Errorf("called off: %w", context.Cause(ctx))}
	case StatusOf(err) == ExitGateFailed:
		return &ExitError{ExitTestFailed, err}
	}
	return err
}

// besides adds what failed as well to an error, which keeps its status.
func besides(err, failed error) error {
	if failed == nil {
		return err
	}
	return &ExitError{StatusOf(err), fmt.Errorf("%w; %w", err, failed)}
}

// bounded is the context of a command that runs tests: it ends with the time that
// everything may take. Who interrupts twice does not wait for what is called off.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("--timeout is over"))
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	return ctx, cancel
}

// during is a context that ends with a service that was started for a command; its cause
// is then an ExitError.
func during(ctx context.Context, local *Local) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-local.Ended:
			cancel(&ExitError{ExitTestFailed, fmt.Errorf("the service that was started has ended: %w", local.Stop())})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// gone reports whether the service that was started for a command has ended by itself.
func gone(ctx context.Context) bool {
	exit := (*ExitError)(nil)
	return errors.As(context.Cause(ctx), &exit)
}

// stopped ends a service that was started for a command, after the command's own end.
func stopped(local *Local, err error) error {
	if failed := local.Stop(); failed != nil && err == nil {
		return &ExitError{ExitTestFailed, fmt.Errorf("end the service: %w", failed)}
	}
	return err
}

// WrongCalls has every wrong call of root, and of what is below it, end with ExitUsage:
// a flag or an argument that a command does not take, and a command that there is not.
func WrongCalls(root *cobra.Command) {
	wrong := func(err error) error {
		if err == nil {
			return nil
		}
		return &ExitError{ExitUsage, err}
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return wrong(err) })
	_ = below(root, func(cmd *cobra.Command) error {
		if !cmd.Runnable() {
			// Cobra would answer a subcommand that it does not know with the help
			// and without an error: a backup with a slip of the pen would seem made.
			cmd.Args, cmd.RunE = known, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		if check := cmd.Args; check != nil {
			cmd.Args = func(cmd *cobra.Command, args []string) error { return wrong(check(cmd, args)) }
		}
		return nil
	})
}

// known refuses what is none of a command's subcommands, with those that are near.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := cobra.NoArgs(cmd, args)
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, ", "))
	}
	return err
}

// Until is a reader whose reads end with ctx, as one of a terminal does not by itself.
func Until(ctx context.Context, in io.Reader) io.Reader { return &until{ctx, in} }

type until struct {
	ctx context.Context
	in  io.Reader
}

func (r *until) Read(p []byte) (int, error) {
	type read struct {
		bytes []byte
		err   error
	}
	done := make(chan read, 1)
	go func() {
		own := make([]byte, len(p)) // p is the caller's again once ctx has ended
		n, err := r.in.Read(own)
		done <- read{own[:n], err}
	}()
	select {
	case got := <-done:
		return copy(p, got.bytes), got.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

// say writes a line for people.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
