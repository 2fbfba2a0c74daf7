package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"understudy/eventstore/node/certtest"
	"understudy/test/harness"
)

// npmClients are the packages that the Makefile installs.
var npmClients = []string{"@eventstore/db-client", "@kurrent/kurrentdb-client"}

const (
	// npmLimit bounds one run of the script.
	npmLimit = 5 * time.Minute
	// stopLimit bounds a node's end.
	stopLimit = 15 * time.Second
)

// script puts one client to work.
//
//go:embed testdata/clients.mjs
var script []byte

// The passwords of the node's users.
const (
	adminPassword  = "conformance-admin"
	readerPassword = "conformance-reader"
)

// runNPMClient runs the script on a node of its own.
func runNPMClient(ctx context.Context, npm, client, binary string, certs certtest.Files, secure bool, r *results) (err error) {
	manifest, err := os.ReadFile(filepath.Join(npm, "node_modules", client, "package.json"))
	if err != nil {
		return fmt.Errorf("%s is not installed, run `make conformance`: %w", client, err)
	}
	var installed struct{ Version string }
	if err := json.Unmarshal(manifest, &installed); err != nil {
		return err
	}
	r.heading("npm client "+client+"@"+installed.Version, secure)
	ctx, cancel := context.WithTimeout(ctx, npmLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "conformance-npm-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	address, stop, err := startNode(ctx, binary, filepath.Join(dir, "data"), certs, secure)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	scheme := "esdb"
	if strings.HasPrefix(client, "@kurrent/") {
		scheme = "kurrentdb" // the same under its later name
	}
	env := append(os.Environ(), "MODULES="+npm, "CLIENT="+client)
	if secure {
		to := func(user, password string) string {
			return fmt.Sprintf("%s://%s:%s@%s?tls=true&tlsCAFile=%s", scheme, user, password, address, url.QueryEscape(certs.CA))
		}
		env = append(env, "URL="+to("admin", adminPassword), "READER_URL="+to("reader", readerPassword), "STRANGER_URL="+to("admin", "not-the-password"))
	} else {
		env = append(env, "URL="+scheme+"://"+address+"?tls=false")
	}
	file := filepath.Join(dir, "clients.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", file)
	cmd.Env = env
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines, told := bufio.NewScanner(out), 0
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var test struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &test); err != nil {
			return errors.Join(fmt.Errorf("the script said %q: %w", lines.Text(), err), cmd.Wait())
		}
		told++
		if test.Error != "" {
			r.fail(test.Name, test.Error+"\n")
			continue
		}
		r.pass(test.Name)
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return fmt.Errorf("the script of %s after %d tests: %w", client, told, err)
	}
	if told == 0 {
		return fmt.Errorf("the script of %s ran no test", client)
	}
	return nil
}

// startNode starts a node; stop ends it with SIGTERM, after which it must
// leave with 0.
func startNode(ctx context.Context, binary, data string, certs certtest.Files, secure bool) (address string, stop func() error, err error) {
	args := []string{"--data-dir", data}
	if secure {
		args = append(args, "--tls-cert", certs.Cert, "--tls-key", certs.Key)
	} else {
		args = append(args, "--insecure")
	}
	n, at, err := harness.LaunchNode(ctx, binary, []string{"UNDERSTUDY_NODE_PASSWORD=" + adminPassword, "UNDERSTUDY_READER_PASSWORD=" + readerPassword}, args...)
	if err != nil {
		return "", nil, err
	}
	stop = func() error {
		code, err := n.Terminate(stopLimit)
		if err == nil && code != 0 {
			err = fmt.Errorf("the node left with %d:\n%s", code, n.Printed())
		}
		return err
	}
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return "localhost:" + port, stop, nil // as the certificates have it
}
