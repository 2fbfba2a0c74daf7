package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/adapters/cli"
	"understudy/adapters/httpapi"
)

const (
	// startLimit bounds the start of a service for one command.
	startLimit = 5 * time.Minute
	// probeLimit bounds the question whether a service runs here.
	probeLimit = 2 * time.Second
	// localNetworks are what a service of one's own machine may reach.
	localNetworks = "127.0.0.0/8,::1/128"
)

// passedOn begin the settings that a service for one command takes over: of browsers,
// language models and bounds. Stores, addresses and credentials of the environment are
// those of a service that stays.
var passedOn = []string{
	"UNDERSTUDY_BROWSER", "UNDERSTUDY_PLAYWRIGHT_DIR", "UNDERSTUDY_OPENAI_", "UNDERSTUDY_ANTHROPIC_", "UNDERSTUDY_MODEL_", "UNDERSTUDY_REPLAYS",
	"UNDERSTUDY_STREAMS", "UNDERSTUDY_PLANS", "UNDERSTUDY_CAPS", "UNDERSTUDY_KEEP_", "UNDERSTUDY_DISK_RESERVE_MB", "UNDERSTUDY_LOG_LEVEL",
}

// frontDoor is what the commands of terminals and pipelines have from here.
func frontDoor() cli.Env {
	return cli.Env{Getenv: os.Getenv, Start: startLocal, Running: runningLocal, Document: httpapi.Document()}
}

// startLocal starts a service on a free port for one command, on a data directory or
// a temporary one, which is removed with it. It ends when it is stopped: what ends the
// command must leave time to call its tests off.
func startLocal(ctx context.Context, dataDir string) (_ *cli.Local, err error) {
	remove := func() error { return nil }
	temporary := ""
	if dataDir == "" {
		// What a killed command has left goes with the next one.
		if temporary, remove, err = scratch(filepath.Join(os.TempDir(), fmt.Sprintf("understudy-%d", os.Geteuid()))); err != nil {
			return nil, err
		}
		dataDir = filepath.Join(temporary, "data")
	}
	settings := map[string]string{"UNDERSTUDY_LISTEN": "127.0.0.1:0", "UNDERSTUDY_DATA_DIR": dataDir, "UNDERSTUDY_DEMO": "0"}
	cfg, err := readConfig(func(name string) string {
		switch {
		case settings[name] != "":
			return settings[name]
		case name == "UNDERSTUDY_EGRESS_ALLOW":
			return cmp.Or(os.Getenv(name), localNetworks)
		case slices.ContainsFunc(passedOn, func(prefix string) bool { return strings.HasPrefix(name, prefix) }):
			return os.Getenv(name)
		}
		return ""
	})
	if err != nil {
		return nil, &cli.ExitError{Status: cli.ExitUsage, Err: errors.Join(err, remove())}
	}
	if temporary != "" {
		cfg.tempDir = filepath.Join(temporary, "tmp")
	}
	if err := cfg.takeRoles(allRoles); err != nil {
		return nil, errors.Join(err, remove())
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ready, ended := make(chan string, 1), make(chan struct{})
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: max(cfg.logLevel, slog.LevelError)}))
	var served error // set before ended is closed
	go func() {
		defer close(ended)
		served = serve(running, cfg, &readyLine{ready: ready}, log)
	}()
	end := sync.OnceValue(func() error {
		stop()
		<-ended
		return errors.Join(served, remove())
	})
	select {
	case address := <-ready:
		keys, err := readCredentials(filepath.Join(cfg.dataDir, keysFile))
		if err != nil {
			return nil, errors.Join(err, end())
		}
		return &cli.Local{Base: address + "/v1", Live: keys.Live, Sandbox: keys.Test, Ended: ended, Stop: end}, nil
	case <-ended:
		return nil, end()
	case <-time.After(startLimit):
		err = fmt.Errorf("it took longer than %s", startLimit)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(err, end())
}

// readyLine finds the address in what serve prints once it serves.
type readyLine struct {
	ready  chan<- string
	before []byte
}

func (w *readyLine) Write(p []byte) (int, error) {
	w.before = append(w.before, p...)
	for {
		line, rest, whole := bytes.Cut(w.before, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		w.before = rest
		if address, found := bytes.CutPrefix(line, []byte("ready ")); found {
			w.ready <- string(address)
		}
	}
}

// runningLocal is the service that runs on the data directory of this machine's
// settings; nil: there is none, or it is not this user's. Its keys go to nobody unless
// that directory's event store answers.
func runningLocal(ctx context.Context) *cli.Local {
	dataDir, err := filepath.Abs(cmp.Or(os.Getenv("UNDERSTUDY_DATA_DIR"), defaultDataDir))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	if running, err := runs(ctx, config{dataDir: dataDir, eventStore: os.Getenv("UNDERSTUDY_EVENTSTORE")}); err != nil || !running {
		return nil
	}
	keys, err := readCredentials(filepath.Join(dataDir, keysFile))
	if err != nil {
		return nil
	}
	base := "http://" + dialable(cmp.Or(os.Getenv("UNDERSTUDY_LISTEN"), defaultListen)) + "/v1"
	// Its key is what tells it from another service at this address.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/me", nil)
	if err != nil {
		return nil
	}
	req.Header.Set("Authorization", "Bearer "+keys.Live)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)); err != nil || res.StatusCode != http.StatusOK {
		return nil
	}
	return &cli.Local{Base: base, Live: keys.Live, Sandbox: keys.Test}
}
