package main

import (
	"fmt"
	"io"
)

// results prints and counts what every test came to.
type results struct {
	out                     io.Writer
	passed, skipped, failed int
}

func (r *results) heading(client string, secure bool) {
	fmt.Fprintf(r.out, "\n%s, %s\n", client, transport(secure))
}

func transport(secure bool) string {
	if secure {
		return "TLS"
	}
	return "insecure"
}

func (r *results) pass(name string) {
	r.passed++
	fmt.Fprintf(r.out, "  passed   %s\n", name)
}

func (r *results) skip(name, why string) {
	r.skipped++
	fmt.Fprintf(r.out, "  skipped  %s: %s\n", name, why)
}

// fail prints what a test said, too.
func (r *results) fail(name, said string) {
	r.failed++
	fmt.Fprintf(r.out, "  FAILED   %s\n%s", name, said)
}

func (r *results) summary() {
	fmt.Fprintf(r.out, "\n%d passed, %d skipped, %d failed\n", r.passed, r.skipped, r.failed)
}
