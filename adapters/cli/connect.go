package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"understudy/adapters/client"
)

// Server says which service a command calls, by flags.
type Server struct {
	address string
	keyFile string
	sandbox bool
}

// Flags gives a command the flags that name its service.
func (s *Server) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.address, "server", "", "address of the service (UNDERSTUDY_URL, or the configuration file)")
	cmd.Flags().StringVar(&s.keyFile, "key-file", "", "file that holds the API key (UNDERSTUDY_API_KEY, or the configuration file)")
	cmd.Flags().BoolVar(&s.sandbox, "sandbox", false, "with a service of this machine: its sandbox key, for a made-up page and no browser")
}

// Config is the configuration file: the service that is called where no flag and no
// variable names one.
type Config struct {
	Server string `yaml:"server"`
	Key    string `yaml:"key,omitempty"`
	Token  *token `yaml:"token,omitempty"`
}

// configFile is where the configuration is, by the XDG Base Directory specification.
func configFile(getenv func(string) string) string {
	if file := getenv("UNDERSTUDY_CONFIG"); file != "" {
		return file
	}
	return filepath.Join(xdg.ConfigHome, "understudy", "config.yaml")
}

func readConfig(getenv func(string) string) (c Config, err error) {
	file := configFile(getenv)
	raw, err := os.ReadFile(file) //nolint:gosec // the caller's own
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = yaml.UnmarshalWithOptions(raw, &c, yaml.Strict())
	}
	if err != nil {
		return c, usage("%s: %v", file, err)
	}
	return c, nil
}

// errNoService is that no service is named and none runs here.
var errNoService = usage("no service: name one by --server or UNDERSTUDY_URL, or run `understudy login`")

// Connect is a client of the service that is named, else of the one that runs on this
// machine's data directory, else errNoService.
func (s *Server) Connect(ctx context.Context, env Env, told io.Writer) (*client.Client, error) {
	config, err := readConfig(env.Getenv)
	if err != nil {
		return nil, err
	}
	key, err := s.key(env.Getenv)
	if err != nil {
		return nil, err
	}
	address := first(s.address, env.Getenv("UNDERSTUDY_URL"))
	if address == "" {
		address = config.Server
	}
	if address == "" {
		local := env.Running(ctx)
		if local == nil {
			return nil, errNoService
		}
		if s.sandbox && key != "" {
			return nil, besideSandbox("a key is given")
		}
		say(told, "The service at %s is used.", strings.TrimSuffix(local.Base, "/v1"))
		return client.New(local.Base, first(key, local.key(s.sandbox)))
	}
	if s.sandbox {
		return nil, besideSandbox(address + " is named, or signed in to")
	}
	if key == "" && sameServer(address, config.Server) { // what was given goes to who gave it only
		return config.client(env.Getenv)
	}
	if key == "" {
		return nil, usage("no API key for %s: set UNDERSTUDY_API_KEY, name a file by --key-file, or run `understudy login`", address)
	}
	c, err := client.New(address, key)
	if err != nil {
		return nil, usage("--server, UNDERSTUDY_URL: %v", err)
	}
	return c, nil
}

// besideSandbox is the error of a --sandbox that would count for nothing.
func besideSandbox(what string) error {
	return usage("--sandbox takes the sandbox key of a service of this machine, and %s: leave it out, and give a sandbox key by --key-file or UNDERSTUDY_API_KEY", what)
}

// key is the API key that flags or variables give, "" without one.
func (s *Server) key(getenv func(string) string) (string, error) {
	if s.keyFile == "" {
		return strings.TrimSpace(getenv("UNDERSTUDY_API_KEY")), nil
	}
	raw, err := os.ReadFile(s.keyFile)
	if err != nil {
		return "", usage("--key-file: %v", err)
	}
	key := strings.TrimSpace(string(raw))
	if key == "" {
		return "", usage("--key-file: %s is empty", s.keyFile)
	}
	return key, nil
}

func (l *Local) key(sandbox bool) string {
	if sandbox {
		return l.Sandbox
	}
	return l.Live
}

func sameServer(a, b string) bool {
	bare := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "/"), "/v1") }
	return bare(a) == bare(b)
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// orLocal is Connect, or else a service of the command's own, which stop ends.
func (s *Server) orLocal(ctx context.Context, env Env, dataDir string, told io.Writer) (c *client.Client, local *Local, err error) {
	if dataDir == "" {
		if c, err = s.Connect(ctx, env, told); !errors.Is(err, errNoService) {
			return c, nil, err
		}
	} else if s.address != "" {
		return nil, nil, usage("--data-dir starts a service of its own; --server names another: give one of them")
	}
	say(told, "No service is named: one is started for this command.")
	if local, err = env.Start(ctx, dataDir); err != nil {
		err = fmt.Errorf("start a service: %w", err)
		if exit := (*ExitError)(nil); ctx.Err() == nil && !errors.As(err, &exit) {
			err = &ExitError{ExitUnreachable, err}
		}
		return nil, nil, err
	}
	c, err = client.New(local.Base, local.key(s.sandbox))
	return c, local, err
}
