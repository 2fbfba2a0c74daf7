package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"understudy/adapters/egress"
)

// metadata is where clouds tell a machine its secrets.
var metadata = netip.MustParseAddr("169.254.169.254")

// Skews that do harm: codes of a second factor count for half a minute, signatures of
// webhooks for five.
const doubtfulSkew, harmfulSkew = 15 * time.Second, 5 * time.Minute

// network tells what the egress policy lets through, whether anything can be reached,
// and how far the clock is off.
func (d doctor) network(ctx context.Context) []finding {
	policy := egress.NewPolicy(d.cfg.egressAllow)
	all := []finding{d.allowed(policy)}
	if d.reach == "" {
		return all
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	target, err := url.Parse(d.reach)
	if err != nil || target.Scheme != "https" || target.Hostname() == "" {
		return append(all, failing("reach", "give an https address", "--reach: %q is none", d.reach))
	}
	if _, err := net.DefaultResolver.LookupNetIP(ctx, "ip", target.Hostname()); err != nil {
		all = append(all, doubtful("dns", "see /etc/resolv.conf; pages of this machine can be tested all the same", "%s has no address here: %v", target.Hostname(), err))
	} else {
		all = append(all, fine("dns", "%s has an address", target.Hostname()))
	}
	at, off, err := ask(ctx, policy, target)
	if err != nil {
		remedy := "open the way out, or try an address that you test by --reach"
		if os.Getenv("HTTPS_PROXY")+os.Getenv("https_proxy") != "" {
			remedy += "; the proxy of HTTPS_PROXY is not used, as it would reach what the policy denies"
		}
		return append(all, doubtful("https", remedy, "%s is not reached: %v", d.reach, err),
			doubtful("clock", "see `timedatectl`, or name an https address that answers by --reach", "%s; nobody was there to compare it with", time.Now().UTC().Format(time.DateTime+" UTC")))
	}
	all = append(all, fine("https", "%s answers in %s", d.reach, at.Round(time.Millisecond)))
	const remedy = "set the clock by NTP: `timedatectl set-ntp true`, or chrony"
	switch {
	case off.Abs() >= harmfulSkew:
		return append(all, failing("clock", remedy, "%s off: receivers refuse webhooks, people's codes do not count", span(off)))
	case off.Abs() >= doubtfulSkew:
		return append(all, doubtful("clock", remedy, "%s off: codes of a second factor may not count", span(off)))
	}
	return append(all, fine("clock", "right, as far as %s tells", target.Hostname()))
}

func (d doctor) allowed(policy *egress.Policy) finding {
	if len(d.cfg.egressAllow) == 0 {
		return fine("egress", "the public internet and no private network; pages of this machine need UNDERSTUDY_EGRESS_ALLOW=%s", localNetworks)
	}
	var networks []string
	for _, p := range d.cfg.egressAllow {
		networks = append(networks, p.String())
	}
	found := "the public internet and " + strings.Join(networks, ", ")
	if policy.CheckAddr(metadata) == nil {
		return doubtful("egress", "narrow UNDERSTUDY_EGRESS_ALLOW to the networks of the pages under test", "%s: among them %s, where clouds tell a machine its secrets", found, metadata)
	}
	return fine("egress", "%s (UNDERSTUDY_EGRESS_ALLOW)", found)
}

// ask sends one request by the policy's dialer, tells how long the answer took and how
// far the clock is off from the answer's.
func ask(ctx context.Context, policy *egress.Policy, target *url.URL) (took, off time.Duration, err error) {
	client := &http.Client{
		Transport:     &http.Transport{DialContext: policy.DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, target.String(), nil)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	if err := res.Body.Close(); err != nil {
		return 0, 0, err
	}
	date, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return took, 0, errors.New("its answer has no date")
	}
	// The header is cut to seconds, and was written while the answer was under way.
	return took, began.Add(took / 2).Sub(date.Add(500 * time.Millisecond)), nil
}

// Memory that a service takes: alone, and for each session that walks beside others
// (docs/results.md).
const baseMemory, sessionMemory = 512 << 20, 160 << 20

// machine tells of open files and memory.
func (d doctor) machine(context.Context) []finding {
	return []finding{d.files(openFiles()), d.memory(memory())}
}

func (d doctor) files(limit int) finding {
	const check, remedy = "open files", "raise the limit: LimitNOFILE=65536 (systemd), `ulimit -Hn 65536`"
	fit := streamLimit(d.cfg.streams, limit, slog.New(slog.DiscardHandler))
	switch {
	case limit == 0:
		return fine(check, "the limit is not told on this system")
	case limit < otherFiles:
		return failing(check, remedy, "at most %d; the service itself takes up to %d", limit, otherFiles)
	case fit < d.cfg.streams:
		return doubtful(check, remedy+"; or set UNDERSTUDY_STREAMS to what is needed", "at most %d: %d WebSockets at once, not %d (UNDERSTUDY_STREAMS)", limit, fit, d.cfg.streams)
	}
	return fine(check, "enough for %d WebSockets at once", fit)
}

// memory is what this process may use: the machine's, or less in a container; 0: not told.
func memory() (bytes uint64) {
	for _, tell := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if n, err := tell(); err == nil && n > 0 && (bytes == 0 || n < bytes) {
			bytes = n
		}
	}
	return bytes
}

func (d doctor) memory(bytes uint64) finding {
	const check = "memory"
	need := func(sessions int) uint64 { return baseMemory + uint64(sessions)*sessionMemory }
	wanted, fit := max(d.cfg.browsers, 1), 0 // 0: the setting is at fault
	for fit < wanted && need(fit+1) <= bytes {
		fit++
	}
	cores := fmt.Sprintf("%d cores", runtime.NumCPU())
	switch {
	case bytes == 0:
		return fine(check, "not told on this system; %s", cores)
	case fit == 0:
		return failing(check, "give the machine or container 1 GiB or more", "%s, %s: too little for one Chromium", sizeText(bytes), cores)
	case fit < wanted:
		return doubtful(check, fmt.Sprintf("set UNDERSTUDY_BROWSERS=%d, or give it %s", fit, sizeText(need(wanted))),
			"%s, %s: %d sessions at once take some %s", sizeText(bytes), cores, wanted, sizeText(need(wanted)))
	}
	return fine(check, "%s, %s: room for %d sessions at once", sizeText(bytes), cores, wanted)
}
