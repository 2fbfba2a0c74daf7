package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/brain"
	"understudy/adapters/mail"
	"understudy/adapters/service"
	"understudy/domain/account"
	"understudy/eventstore/node"
)

// config is everything that can be set from outside, by environment.
type config struct {
	listen       string
	dataDir      string
	tempDir      string // where processes make directories for temporary files
	baseURL      string // {base_url}, ends in /v1
	appURL       string
	databaseURL  string // "" is the private server
	eventStore   string // "" is the embedded node
	auditDir     string // of the signed heads of the log
	archiveDir   string // of the histories that the embedded node has given away
	blobURL      string
	egressAllow  []netip.Prefix
	proxies      []*net.IPNet // in front of the service
	roles        []string
	demo         bool
	replays      bool
	browsers     int    // sessions walked at once in real browsers
	driverDir    string // "": where archives, packages and checkouts have it
	noSandbox    bool
	models       brain.Config // language models
	mail         *mail.Sender // to owners; nil: none
	mailTo       string       // in place of owners' addresses; "" is those
	streams      int          // WebSockets held at once
	plans        account.Plans
	caps         caps
	names        []string // more that the service answers to
	operator     operator
	keep         service.Keeping
	archiveAfter time.Duration // since the end of a test; 0: never
	reserve      uint64        // bytes of the disk that new tests must leave free
	drainDelay   time.Duration // between being told to stop and stopping
	invited      bool          // nobody signs up but by an invitation
	attach       *node.TCP     // where EventStoreDB clients may read; nil: nowhere
	logLevel     slog.Level
}

// The parts of the service that can run on machines of their own.
const (
	roleAPI       = "api"
	roleProjector = "projector"
	roleReactors  = "reactors"
	roleRunner    = "runner"
	roleSender    = "sender"
)

var allRoles = []string{roleAPI, roleProjector, roleReactors, roleRunner, roleSender}

const defaultListen, defaultDataDir = "127.0.0.1:8080", "./data"

// defaultStreams is what the memory of a small machine holds: some 30 KB each.
const defaultStreams, maxStreams = 20_000, 1_000_000

// maxDrainDelay is less than service managers wait before they kill.
const maxDrainDelay = time.Minute

// has reports whether this process plays a role.
func (c config) has(role string) bool { return slices.Contains(c.roles, role) }

// shared reports whether other processes may work on the same installation.
func (c config) shared() bool { return c.eventStore != "" }

// takeRoles sets the roles that a process is to play.
func (c *config) takeRoles(roles []string) error {
	for _, role := range roles {
		if !slices.Contains(allRoles, role) {
			return fmt.Errorf("--roles: %q is none of %s", role, strings.Join(allRoles, ", "))
		}
	}
	if len(roles) < len(allRoles) && (!c.shared() || c.databaseURL == "") {
		return errors.New("--roles: a split service needs UNDERSTUDY_EVENTSTORE and UNDERSTUDY_DATABASE_URL, which its processes share")
	}
	c.roles = roles
	return nil
}

// setting is one environment variable with what it means, for --help.
type setting struct{ name, fallback, help string }

var settings = []setting{
	{"UNDERSTUDY_LISTEN", defaultListen, "address to serve on"},
	{"UNDERSTUDY_DATA_DIR", defaultDataDir, "where everything is kept"},
	{"UNDERSTUDY_BASE_URL", "http://<listen>/v1", "the REST root as clients reach it"},
	{"UNDERSTUDY_APP_URL", "the base URL without /v1", "the pages as people reach them"},
	{"UNDERSTUDY_HOSTS", "", "more names that requests may be for, beside those of the two addresses, localhost and IP addresses; .example.com: all names below it"},
	{"UNDERSTUDY_OPERATOR_LISTEN", "", "address to serve metrics, the details of /readyz and profiles (/debug/pprof/) on; empty: none"},
	{"UNDERSTUDY_OPERATOR_TOKEN", "", "bearer token that gets them anywhere, 16 characters or more"},
	{"UNDERSTUDY_OPERATOR_TOKEN_FILE", "", "a file that holds the token instead"},
	{"UNDERSTUDY_DATABASE_URL", "", "Postgres to use; empty: a private server in the data directory"},
	{"UNDERSTUDY_EVENTSTORE", "", "esdb:// address of an EventStoreDB cluster; empty: the embedded node"},
	{"UNDERSTUDY_NODE_LISTEN", "", "address at which EventStoreDB clients may read the embedded node, over TLS; empty: none"},
	{"UNDERSTUDY_NODE_CERT", "", "file of the certificate for it, in PEM"},
	{"UNDERSTUDY_NODE_KEY", "", "file of the certificate's key, in PEM"},
	{"UNDERSTUDY_READER_PASSWORD", "", "password of its user reader, 8 characters or more"},
	{"UNDERSTUDY_READER_PASSWORD_FILE", "", "a file that holds the password instead"},
	{"UNDERSTUDY_AUDIT_DIR", "<data>/audit", "where the signed heads of the log are kept"},
	{"UNDERSTUDY_ARCHIVE_DIR", "<data>/archive", "where archives of tests are kept; the event store reads them"},
	{"UNDERSTUDY_BLOB_URL", "file://<data>/blobs", "where screenshots and recordings are kept: a folder, or s3://bucket?region=…&endpoint=… of any server that speaks S3 (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"},
	{"UNDERSTUDY_EGRESS_ALLOW", "", "private networks that tests and webhooks may reach, as CIDR list"},
	{"UNDERSTUDY_TRUSTED_PROXIES", "", "proxies in front whose X-Forwarded-For is believed, as CIDR list"},
	{"UNDERSTUDY_SMTP_URL", "", "smtp://user:password@host:587 or smtps://…:465: mail to owners whose webhooks fail; empty: the log"},
	{"UNDERSTUDY_SMTP_URL_FILE", "", "a file that holds the URL instead"},
	{"UNDERSTUDY_MAIL_FROM", "", "sender of the mails"},
	{"UNDERSTUDY_MAIL_TO", "the owner's address", "who gets them"},
	{"UNDERSTUDY_BROWSERS", "3 per core", "sessions that walk at once in real browsers"},
	{"UNDERSTUDY_BROWSER_SANDBOX", "on", "off: Chromium runs without its sandbox, where only your own pages are tested"},
	{"UNDERSTUDY_STREAMS", strconv.Itoa(defaultStreams), "WebSockets held at once; more are told to try again"},
	{"UNDERSTUDY_PLANS", "as specified", "what plans allow, requests a minute / live sessions a month: free=10/500, starter=60/5000, pro=300/50000, team=1000/unlimited"},
	{"UNDERSTUDY_CAPS", capsText(defaultCaps()), "what one organization may have at once, in each environment: open tests and the sessions they have yet to walk, endpoints, custom personas; and streams on each node"},
	{"UNDERSTUDY_KEEP_DAYS", strconv.Itoa(defaultKeepDays), "for how long pictures and films of sessions are kept; 0: for ever"},
	{"UNDERSTUDY_KEEP_GB", strconv.Itoa(defaultKeepGB), "how much of each organization's pictures and films is kept, the newest first; 0: all"},
	{"UNDERSTUDY_ARCHIVE_DAYS", "0", "after how many days since its end a test's history is archived; 0: never"},
	{"UNDERSTUDY_DISK_RESERVE_MB", strconv.Itoa(defaultReserveMB), "how much new tests leave free for those that have begun, on each disk that data is kept on; with less they are refused with 503"},
	{"UNDERSTUDY_DRAIN_DELAY", "0s", "for how long a process that is told to stop answers on, while /readyz says 503, so that balancers turn to others"},
	{"UNDERSTUDY_SIGN_UP", "open", "invited: nobody signs up but by an invitation"},
	{"UNDERSTUDY_PLAYWRIGHT_DIR", "lib/understudy/playwright of the archive, .cache/playwright of a checkout", "Playwright's driver, as package/cli.js, with axe-core beside it"},
	{"UNDERSTUDY_OPENAI_MODELS", "", "names that tests may use as openai/<name>; empty: none"},
	{"UNDERSTUDY_OPENAI_KEY", "", "API key for them; servers of your own may need none"},
	{"UNDERSTUDY_OPENAI_KEY_FILE", "", "a file that holds the key instead"},
	{"UNDERSTUDY_OPENAI_URL", brain.OpenAIURL, "a server that speaks OpenAI's Chat Completions"},
	{"UNDERSTUDY_ANTHROPIC_MODELS", "", "names that tests may use as anthropic/<name>; empty: none"},
	{"UNDERSTUDY_ANTHROPIC_KEY", "", "API key for them"},
	{"UNDERSTUDY_ANTHROPIC_KEY_FILE", "", "a file that holds the key instead"},
	{"UNDERSTUDY_ANTHROPIC_URL", brain.AnthropicURL, "a server that speaks Anthropic's Messages"},
	{"UNDERSTUDY_MODEL_TOKENS", strconv.Itoa(defaultModelTokens), "tokens that one attempt at a session may use, read and written"},
	{"UNDERSTUDY_MODEL_TIMEOUT", "1m", "how long one request to a language model may take"},
	{"UNDERSTUDY_MODEL_RETRIES", strconv.Itoa(defaultModelRetries), "how often a request is sent again when the server is busy or fails"},
	{"UNDERSTUDY_MODEL_PRICES", "", "US dollars per million tokens read/written, as openai/name=0.15/0.60, …"},
	{"UNDERSTUDY_REPLAYS", "1", "0: sessions that fell short are not walked again to prove why, whatever tests ask for; issues say less surely"},
	{"UNDERSTUDY_DEMO", "1", "0: no demo test on an empty data directory"},
	{"UNDERSTUDY_LOG_LEVEL", "info", "debug, info, warn or error"},
}

// settingsHelp lists the settings as text.
func settingsHelp() string {
	var b strings.Builder
	b.WriteString("Settings, all by environment:\n")
	for _, s := range settings {
		fallback := s.fallback
		if fallback != "" {
			fallback = " (" + fallback + ")"
		}
		fmt.Fprintf(&b, "  %-31s %s%s\n", s.name, s.help, fallback)
	}
	return b.String()
}

// readConfig reads the environment. Its error names every setting at fault.
func readConfig(getenv func(string) string) (config, error) {
	get := func(name, fallback string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return fallback
	}
	c := config{
		listen:      get("UNDERSTUDY_LISTEN", defaultListen),
		dataDir:     get("UNDERSTUDY_DATA_DIR", defaultDataDir),
		databaseURL: getenv("UNDERSTUDY_DATABASE_URL"),
		eventStore:  getenv("UNDERSTUDY_EVENTSTORE"),
		demo:        get("UNDERSTUDY_DEMO", "1") != "0",
		replays:     get("UNDERSTUDY_REPLAYS", "1") != "0",
		baseURL:     getenv("UNDERSTUDY_BASE_URL"),
		appURL:      getenv("UNDERSTUDY_APP_URL"),
		driverDir:   getenv("UNDERSTUDY_PLAYWRIGHT_DIR"),
		invited:     getenv("UNDERSTUDY_SIGN_UP") == "invited",
		noSandbox:   getenv("UNDERSTUDY_BROWSER_SANDBOX") == "off",
		browsers:    3 * runtime.NumCPU(),
		streams:     defaultStreams,
	}
	var faults []error
	fault := func(name string, err error) { faults = append(faults, fmt.Errorf("%s: %w", name, err)) }
	_, _, err := net.SplitHostPort(c.listen)
	if err != nil {
		fault("UNDERSTUDY_LISTEN", err)
	}
	if c.dataDir, err = filepath.Abs(c.dataDir); err != nil {
		fault("UNDERSTUDY_DATA_DIR", err)
	}
	c.tempDir = scratchParent(c.dataDir)
	if c.auditDir, err = filepath.Abs(get("UNDERSTUDY_AUDIT_DIR", filepath.Join(c.dataDir, "audit"))); err != nil {
		fault("UNDERSTUDY_AUDIT_DIR", err)
	}
	if c.archiveDir, err = filepath.Abs(get("UNDERSTUDY_ARCHIVE_DIR", filepath.Join(c.dataDir, archivesDir))); err != nil {
		fault("UNDERSTUDY_ARCHIVE_DIR", err)
	}
	c.blobURL = get("UNDERSTUDY_BLOB_URL", "file://"+filepath.ToSlash(filepath.Join(c.dataDir, "blobs")))
	for _, s := range list(getenv("UNDERSTUDY_TRUSTED_PROXIES")) {
		_, network, err := net.ParseCIDR(s)
		if err != nil {
			fault("UNDERSTUDY_TRUSTED_PROXIES", err)
			continue
		}
		c.proxies = append(c.proxies, network)
	}
	for _, s := range list(getenv("UNDERSTUDY_EGRESS_ALLOW")) {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			fault("UNDERSTUDY_EGRESS_ALLOW", err)
			continue
		}
		c.egressAllow = append(c.egressAllow, prefix)
	}
	if v := getenv("UNDERSTUDY_BROWSER_SANDBOX"); v != "" && v != "on" && v != "off" {
		fault("UNDERSTUDY_BROWSER_SANDBOX", fmt.Errorf("%q is neither on nor off", v))
	}
	if v := getenv("UNDERSTUDY_SIGN_UP"); v != "" && v != "open" && v != "invited" {
		fault("UNDERSTUDY_SIGN_UP", fmt.Errorf("%q is neither open nor invited", v))
	}
	if v := getenv("UNDERSTUDY_BROWSERS"); v != "" {
		if c.browsers, err = strconv.Atoi(v); err != nil || c.browsers < 1 || c.browsers > 256 {
			fault("UNDERSTUDY_BROWSERS", fmt.Errorf("%q is not a number from 1 to 256", v))
		}
	}
	if v := getenv("UNDERSTUDY_STREAMS"); v != "" {
		if c.streams, err = strconv.Atoi(v); err != nil || c.streams < 1 || c.streams > maxStreams {
			fault("UNDERSTUDY_STREAMS", fmt.Errorf("%q is not a number from 1 to %d", v, maxStreams))
		}
	}
	if c.plans, err = planSettings(getenv("UNDERSTUDY_PLANS")); err != nil {
		fault("UNDERSTUDY_PLANS", err)
	}
	if c.caps, err = capSettings(getenv("UNDERSTUDY_CAPS")); err != nil {
		fault("UNDERSTUDY_CAPS", err)
	}
	c.names = list(strings.ToLower(getenv("UNDERSTUDY_HOSTS")))
	c.operator = operatorSettings(getenv, fault)
	c.keep = keepSettings(getenv, fault)
	c.archiveAfter = archiveSetting(getenv, fault)
	c.reserve = reserveSetting(getenv, fault)
	if c.drainDelay, err = time.ParseDuration(get("UNDERSTUDY_DRAIN_DELAY", "0s")); err != nil || c.drainDelay < 0 || c.drainDelay > maxDrainDelay {
		fault("UNDERSTUDY_DRAIN_DELAY", fmt.Errorf("%q is not a time from 0s to %s", getenv("UNDERSTUDY_DRAIN_DELAY"), maxDrainDelay))
	}
	c.models = modelSettings(getenv, fault)
	c.attach = attachment(getenv, fault)
	c.mail, c.mailTo = mailSettings(getenv, fault)
	if err := c.logLevel.UnmarshalText([]byte(get("UNDERSTUDY_LOG_LEVEL", "info"))); err != nil {
		fault("UNDERSTUDY_LOG_LEVEL", err)
	}
	return c, errors.Join(faults...)
}

// list splits a setting at commas and spaces.
func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// reach fills in the addresses that nobody set, from the one that is listened
// on.
func (c *config) reach(listening net.Addr) {
	if c.baseURL == "" {
		c.baseURL = "http://" + dialable(listening.String()) + "/v1"
	}
	if c.appURL == "" {
		c.appURL = strings.TrimSuffix(c.baseURL, "/v1")
	}
}

// dialable turns an address to listen on into one to connect to.
func dialable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}
