package ground

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"understudy/test/harness"
)

const (
	// startLimit bounds how long a site takes to listen.
	startLimit = 30 * time.Second
	// askLimit bounds a question to a site.
	askLimit  = 20 * time.Second
	stopLimit = 3 * time.Second
)

// Place is a visitor's own copy of a site.
type Place struct {
	Dir     string // its files, empty at first
	Origin  string // as the visitor knows it: http://127.0.0.1:9000
	Address string // where the site really listens: 127.0.0.1:9100
	// Handler serves in the place of a listening process.
	Handler http.Handler
	// Header is added to every request, such as the proof of who is logged in.
	Header http.Header

	ctx       context.Context
	processes []*harness.Process
}

func open(ctx context.Context, site Site, origin string) (*Place, error) {
	dir, err := os.MkdirTemp("", "gym-"+site.Name+"-")
	if err != nil {
		return nil, err
	}
	p := &Place{Dir: dir, Origin: origin, Header: http.Header{}, ctx: ctx}
	if p.Address, err = harness.FreeAddress(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if err := site.Open(p); err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not open: %w", site.Name, err), p.close())
	}
	return p, nil
}

// Port is that of Address.
func (p *Place) Port() string { return p.Address[strings.LastIndex(p.Address, ":")+1:] }

// FreePort is one for something else that the site runs.
func (p *Place) FreePort() (string, error) {
	address, err := harness.FreeAddress(p.ctx)
	return address[strings.LastIndex(address, ":")+1:], err
}

// Start runs a program beside this one, in the place's folder.
func (p *Place) Start(env []string, name string, args ...string) (*harness.Process, error) {
	process, err := harness.Launch(p.command(env, name, args...))
	if err == nil {
		p.processes = append(p.processes, process)
	}
	return process, err
}

// Serve is Start for the program that listens on Address, and waits until it answers.
func (p *Place) Serve(env []string, name string, args ...string) error {
	process, err := p.Start(env, name, args...)
	if err != nil {
		return err
	}
	for late := time.Now().Add(startLimit); ; {
		_, _, err := p.Ask(http.MethodGet, "/", "")
		if err == nil {
			return nil
		}
		select {
		case <-process.Exited():
			return fmt.Errorf("%s ended with %d: %.2000s", name, process.Code(), process.Printed())
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(late) {
			return fmt.Errorf("%s does not answer: %w: %.2000s", name, err, process.Printed())
		}
	}
}

// PHP serves a folder with PHP's own server; code runs before every script.
func (p *Place) PHP(root, code string, args ...string) error {
	before := filepath.Join(p.Dir, "before.php")
	if err := os.WriteFile(before, []byte("<?php error_reporting(0); "+code), 0o644); err != nil {
		return err
	}
	args = append([]string{"-d", "auto_prepend_file=" + before, "-d", "display_errors=0", "-d", "session.save_path=" + p.Dir,
		"-S", p.Address, "-t", root}, args...)
	return p.Serve(nil, "php", args...)
}

// Run runs a program to its end and returns what it prints.
func (p *Place) Run(env []string, name string, args ...string) (string, error) {
	out, err := p.command(env, name, args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %.2000s", name, strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (p *Place) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.ctx, name, args...)
	cmd.Dir = p.Dir
	cmd.Env = append(append(os.Environ(), "HOME="+p.Dir), env...)
	return cmd
}

// Ask sends a request to the site itself, past the proxy. headers are names and
// values.
func (p *Place) Ask(method, path, body string, headers ...string) (status int, answer string, err error) {
	ctx, cancel := context.WithTimeout(p.ctx, askLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.Address+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for name, values := range p.Header {
		r.Header[name] = values
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	return res.StatusCode, string(read), err
}

// File is a file of the place; "" when there is none.
func (p *Place) File(name string) string {
	text, _ := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(name)))
	return string(text)
}

// Prepared fills the place's folder from a copy that was prepared once; version
// names what it was prepared from.
func (p *Place) Prepared(version string, prepare func(p *Place) error) error {
	seed := Cache("seeds", version)
	unlock := lock(seed)
	defer unlock()
	if _, err := os.Stat(seed); err != nil {
		part := seed + ".part"
		fresh := &Place{Dir: part, Origin: p.Origin, Address: p.Address, Header: http.Header{}, ctx: p.ctx}
		if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o755)); err != nil {
			return err
		}
		if err := errors.Join(prepare(fresh), fresh.end()); err != nil {
			return err
		}
		if err := os.Rename(part, seed); err != nil {
			return err
		}
	}
	return os.CopyFS(p.Dir, os.DirFS(seed))
}

func (p *Place) end() (err error) {
	for i := len(p.processes) - 1; i >= 0; i-- {
		_, ended := p.processes[i].Terminate(stopLimit)
		err = errors.Join(err, ended)
	}
	p.processes = nil
	return err
}

func (p *Place) close() error { return errors.Join(p.end(), os.RemoveAll(p.Dir)) }
