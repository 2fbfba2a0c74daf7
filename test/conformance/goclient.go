package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// goClient is the official Go client, at the version that the product uses.
const goClient = "github.com/EventStore/EventStore-Client-Go/v4@v4.2.0"

// goLimit bounds one run of its tests, their compilation included.
const goLimit = 10 * time.Minute

// helper starts nodes where the client's tests start containers.
//
//go:embed testdata/containers_test.go
var helper []byte

const (
	vendorData  = "looks for the events of the vendor's data image"
	persistent  = "needs persistent subscriptions, which the node does not serve"
	projections = "needs server-side projections, which the node does not serve"
	plugin      = "needs the vendor's plugin for user certificates"
)

// left are the tests that are left out, and why; all others have to pass.
// Those with a transport exist with that one only.
var left = []struct{ name, why, transport string }{
	{"TestStreams/ReadStreamTests/readStreamEventsForwardsFromZeroPosition", vendorData, ""},
	{"TestStreams/ReadStreamTests/readStreamEventsBackwardsFromEndPosition", vendorData, ""},
	{"TestStreams/SubscriptionTests/allSubscriptionWithFilterDeliversCorrectEvents", vendorData, ""},
	{"TestExpectations/ReadAllTests/readAllEventsForwardsFromZeroPosition(", vendorData, ""},
	{"TestExpectations/ReadAllTests/readAllEventsForwardsFromNonZeroPosition", vendorData, ""},
	{"TestExpectations/ReadAllTests/readAllEventsBackwardsFromZeroPosition", vendorData, ""},
	{"TestExpectations/ReadAllTests/readAllEventsBackwardsFromNonZeroPosition", vendorData, ""},
	{"TestStreams/AuthenticationTests/callInsecureWithoutCredentials", persistent, "insecure"},
	{"TestStreams/AuthenticationTests/callInsecureWithInvalidCredentials", persistent, "insecure"},
	{"TestStreams/AuthenticationTests/callWithTLSAndDefaultCredentials", persistent, "TLS"},
	{"TestStreams/AuthenticationTests/callWithTLSAndOverrideCredentials", persistent, "TLS"},
	{"TestPersistentSubscriptions", persistent, ""},
	{"TestProjections", projections, ""},
	{"TestPlugins", plugin, ""},
}

// copyGoClient copies the client's module, with our helper in place of its
// own, and returns the folder.
func copyGoClient(ctx context.Context, dir string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", goClient).Output()
	if err != nil {
		return "", fmt.Errorf("download %s: %w: %s", goClient, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("download %s: %w", goClient, err)
	}
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "esdb", "containers_test.go"), helper, 0o600)
}

// runGoClient runs the client's tests on nodes that it starts.
func runGoClient(ctx context.Context, dir, binary string, secure bool, r *results) error {
	r.heading("official Go client's own tests, "+goClient, secure)
	ctx, cancel := context.WithTimeout(ctx, goLimit)
	defer cancel()
	skip := make([]string, len(left))
	for i, l := range left {
		parts := strings.Split(l.name, "/")
		for j, part := range parts {
			parts[j] = "^" + regexp.QuoteMeta(part) + "$"
		}
		skip[i] = strings.Join(parts, "/")
		if l.transport == "" || l.transport == transport(secure) {
			r.skip(l.name, l.why)
		}
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "-mod=mod", "-skip", strings.Join(skip, "|"), "./esdb")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "UNDERSTUDY_BINARY="+binary, fmt.Sprintf("EVENTSTORE_INSECURE=%t", !secure))
	// A group of their own, so that no node outlives tests that were cut off.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	before := *r
	tests, err := readTests(bufio.NewScanner(out))
	err = errors.Join(err, cmd.Wait())
	if swept := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); !errors.Is(swept, syscall.ESRCH) {
		err = errors.Join(err, errors.New("the tests left nodes running"), swept)
	}
	tests.report(r)
	if r.passed == before.passed || (err != nil && r.failed == before.failed) {
		return fmt.Errorf("the tests did not run to their end: %w\n%s%s", err, stderr.String(), tests.rest.String())
	}
	return nil
}

// tests is what `go test -json` told.
type tests struct {
	order  []string
	result map[string]string
	output map[string]*strings.Builder
	// rest is what belongs to no test: faults of the compiler.
	rest strings.Builder
}

func readTests(lines *bufio.Scanner) (*tests, error) {
	t := &tests{result: map[string]string{}, output: map[string]*strings.Builder{}}
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var told struct{ Action, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &told); err != nil {
			return t, fmt.Errorf("go test said %q: %w", lines.Text(), err)
		}
		switch {
		case told.Test == "":
			t.rest.WriteString(told.Output)
		case told.Action == "run":
			t.order = append(t.order, told.Test)
			t.output[told.Test] = &strings.Builder{}
		case told.Action == "output":
			t.output[told.Test].WriteString(told.Output)
		case told.Action == "pass", told.Action == "skip", told.Action == "fail":
			t.result[told.Test] = told.Action
		}
	}
	return t, lines.Err()
}

// report passes the tests on that have none below them; the result of one that
// has is theirs.
func (t *tests) report(r *results) {
	for _, name := range t.order {
		inner := hasBelow(name, t.order)
		said := t.output[name].String()
		switch result := t.result[name]; {
		case result == "pass" && !inner:
			r.pass(name)
		case result == "skip":
			r.skip(name, "by the client's own decision: it does not apply to this transport")
		case result == "pass":
		case inner && result == "fail" && t.failedBelow(name):
		default: // failed, or cut off
			r.fail(name, said)
		}
	}
}

// hasBelow reports whether a test has others below it, which may all have been
// left out.
func hasBelow(name string, ran []string) bool {
	for _, l := range left {
		if strings.HasPrefix(l.name, name+"/") {
			return true
		}
	}
	for _, other := range ran {
		if strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

func (t *tests) failedBelow(name string) bool {
	for other, result := range t.result {
		if strings.HasPrefix(other, name+"/") && result == "fail" {
			return true
		}
	}
	return false
}
