// Command conformance proves that foreign EventStoreDB clients find in
// `understudy node` the server that they expect (`make conformance`): the
// official Go client's own tests, as its module has them, and two npm clients
// by a script of ours, each without and with TLS. It prints what passed, what
// was left out and why, and what failed, and ends with 1 when something did.
//
// Nothing of the clients is kept here: their sources come from the registries
// when it runs, at the versions named in this package and in the Makefile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"understudy/eventstore/node/certtest"
)

func main() {
	binary := flag.String("binary", "bin/understudy", "the program whose node is put to the test")
	npm := flag.String("npm", ".cache/npm-clients", "folder in which the npm clients are installed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	r := &results{out: os.Stdout}
	err := run(ctx, *binary, *npm, r)
	r.summary()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
	}
	if err != nil || r.failed > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, npm string, r *results) (err error) {
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	if npm, err = filepath.Abs(npm); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	suite, err := copyGoClient(ctx, filepath.Join(dir, "client"))
	if err != nil {
		return err
	}
	certs, err := certtest.Make(filepath.Join(suite, "certs"))
	if err != nil {
		return err
	}
	for _, secure := range []bool{false, true} {
		if err := runGoClient(ctx, suite, binary, secure, r); err != nil {
			return err
		}
	}
	for _, client := range npmClients {
		for _, secure := range []bool{false, true} {
			if err := runNPMClient(ctx, npm, client, binary, certs, secure, r); err != nil {
				return err
			}
		}
	}
	return nil
}
