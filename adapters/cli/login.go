package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cli/browser"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"understudy/adapters/client"
	"understudy/domain/access"
	"understudy/domain/oauthclient"
)

const (
	// loginLimit is how long a person has to sign in and to agree.
	loginLimit = 10 * time.Minute
	// renewBefore is how long before its end an access token is renewed.
	renewBefore = 2 * time.Minute
	// renewLimit bounds it, with the wait for other commands that do so.
	renewLimit = 30 * time.Second
	// lockPoll is how often a lock that another command has is tried for.
	lockPoll = 50 * time.Millisecond
)

var errSignedOut = usage("nobody is signed in: run `understudy login`")

// token is what a person's consent has given.
type token struct {
	Access  string    `yaml:"access"`
	Refresh string    `yaml:"refresh"`
	Until   time.Time `yaml:"until"`
}

func loginCommand(env Env) *cobra.Command {
	var address string
	var scopes []string
	var withKey, quiet bool
	command := &cobra.Command{
		Use:   "login [SERVER]",
		Short: "Sign in to a service; the other commands then call it",
		Long: `Sign in to a service in the browser and let this program act for you there. What it
is given is kept in the configuration file, for the other commands; Settings,
Applications takes it back. Where there is no browser, --with-key reads an API key from
standard input instead.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				address = args[0]
			}
			if address == "" {
				address = first(env.Getenv("UNDERSTUDY_URL"), "http://127.0.0.1:8080")
			}
			config := Config{Server: address}
			bearer := ""
			c, err := client.NewWithTokens(address, func(context.Context) (string, error) { return bearer, nil })
			if err != nil {
				return usage("%v", err)
			}
			if withKey {
				config.Key, err = keyFrom(Until(cmd.Context(), cmd.InOrStdin()))
				bearer = config.Key
			} else if config.Token, err = signIn(cmd.Context(), flow(address, scopes...), quiet, cmd.ErrOrStderr()); err == nil {
				bearer = config.Token.Access
			}
			if err != nil {
				return unjudged(cmd.Context(), err)
			}
			me, err := c.GetMeWithResponse(cmd.Context())
			if err != nil {
				return err
			}
			if err := writeConfig(env.Getenv, config); err != nil {
				return usage("%v", err)
			}
			say(cmd.OutOrStdout(), "%s is called as %s of %s.", c.Base(), first(me.JSON200.User.Email, me.JSON200.Credential.ID), me.JSON200.Organization.Name)
			return nil
		},
	}
	command.Flags().StringSliceVar(&scopes, "scope", access.Scopes, "what this program may do there: "+strings.Join(access.Scopes, ", "))
	command.Flags().BoolVar(&withKey, "with-key", false, "read an API key from standard input instead")
	command.Flags().BoolVar(&quiet, "no-browser", false, "only tell the address to open")
	return command
}

func logoutCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the service that login has named, and take back what it was given", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := readConfig(env.Getenv)
			if err != nil {
				return err
			}
			if config.Server == "" {
				say(cmd.OutOrStdout(), "Nobody is signed in.")
				return nil
			}
			if config.Token != nil {
				err = revoke(cmd.Context(), config)
			}
			if err := errors.Join(err, os.Remove(configFile(env.Getenv))); err != nil {
				return err
			}
			say(cmd.OutOrStdout(), "Signed out of %s.", config.Server)
			return nil
		},
	}
}

func keyFrom(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if key := strings.TrimSpace(line); key != "" {
		return key, nil
	}
	if errors.Is(err, io.EOF) {
		err = usage("--with-key: there is no key on standard input")
	}
	return "", err
}

// flow is the authorization code flow with PKCE of a native application (RFC 8252).
func flow(server string, scopes ...string) oauth2.Config {
	root := strings.TrimSuffix(strings.TrimSuffix(server, "/"), "/v1")
	return oauth2.Config{
		ClientID: oauthclient.CommandLine.ClientID, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: root + "/oauth/authorize", TokenURL: root + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
}

// signIn has a person agree in the browser, which is answered on loopback.
func signIn(ctx context.Context, config oauth2.Config, quiet bool, told io.Writer) (*token, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginLimit, fmt.Errorf("nobody has agreed within %s", loginLimit))
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config.RedirectURL = fmt.Sprintf("http://%s/callback", listener.Addr())
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	codes, faults := make(chan string, 1), make(chan error, 1)
	answers := &http.Server{ReadHeaderTimeout: connectPatience, Handler: callback(state, codes, faults)}
	go func() { _ = answers.Serve(listener) }()
	defer func() { _ = answers.Close() }()
	address := config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
	say(told, "To sign in, open this address in a browser on this machine:\n\n  %s\n", address)
	if !quiet {
		_ = browser.OpenURL(address) // it stands above
	}
	select {
	case code := <-codes:
		given, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
		if err != nil {
			return nil, fmt.Errorf("the service gives no token: %w", err)
		}
		return &token{given.AccessToken, given.RefreshToken, given.Expiry}, nil
	case err := <-faults:
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// connectPatience is how long the browser may take to send its headers.
const connectPatience = 10 * time.Second

// callback takes the answer of the service, which the browser brings.
func callback(state string, codes chan<- string, faults chan<- error) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		switch {
		case q.Get("state") != state:
			http.Error(w, "This is not the answer to what was asked.", http.StatusBadRequest)
		case q.Get("code") == "":
			_, _ = io.WriteString(w, "It was not allowed. You can close this window.\n")
			faults <- fmt.Errorf("not signed in: %s", first(q.Get("error_description"), q.Get("error")))
		default:
			_, _ = io.WriteString(w, "Signed in. You can close this window and go back to the terminal.\n")
			codes <- q.Get("code")
		}
	})
	return mux
}

// client is a client of the service in the configuration file.
func (c Config) client(getenv func(string) string) (*client.Client, error) {
	if c.Token == nil {
		return client.New(c.Server, c.Key)
	}
	return client.NewWithTokens(c.Server, func(ctx context.Context) (string, error) { return accessToken(ctx, getenv) })
}

// accessToken is the access token of the configuration file, renewed in time. A refresh
// token counts once, so that of several commands one at a time may renew.
func accessToken(ctx context.Context, getenv func(string) string) (string, error) {
	config, err := readConfig(getenv)
	if err != nil || config.Token == nil {
		return "", cmp.Or(err, errSignedOut)
	}
	if time.Until(config.Token.Until) > renewBefore {
		return config.Token.Access, nil
	}
	renewing, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	unlock, err := lockFile(renewing, configFile(getenv)+".lock")
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return "", &client.UnreachableError{Address: config.Server, Cause: fmt.Errorf("another command has not renewed the access token within %s", renewLimit)}
	}
	if err != nil {
		return "", err
	}
	defer unlock()
	if config, err = readConfig(getenv); err != nil || config.Token == nil {
		return "", cmp.Or(err, errSignedOut)
	}
	if time.Until(config.Token.Until) > renewBefore {
		return config.Token.Access, nil // another command was first
	}
	f := flow(config.Server)
	given, err := f.TokenSource(renewing, &oauth2.Token{RefreshToken: config.Token.Refresh}).Token()
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError {
		return "", usage("what `understudy login` was given does not count any more; run it again")
	}
	if err != nil {
		return "", &client.UnreachableError{Address: config.Server, Cause: err}
	}
	config.Token = &token{given.AccessToken, given.RefreshToken, given.Expiry}
	return given.AccessToken, writeConfig(getenv, config)
}

// revoke takes back what login was given (RFC 7009).
func revoke(ctx context.Context, config Config) error {
	root := strings.TrimSuffix(strings.TrimSuffix(config.Server, "/"), "/v1")
	form := url.Values{"token": {config.Token.Refresh}, "client_id": {oauthclient.CommandLine.ClientID}}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, root+"/oauth/revoke", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return &client.UnreachableError{Address: root, Cause: err}
	}
	_ = res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		return &client.UnreachableError{Address: root, Cause: fmt.Errorf("%s: what login was given may count on; Settings, Applications takes it back", res.Status)}
	}
	return nil
}

// writeConfig writes the configuration file, which only its owner may read, whole or
// not at all.
func writeConfig(getenv func(string) string, c Config) error {
	raw, err := yaml.Marshal(c)
	if err != nil {
		return err
	}
	file := configFile(getenv)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".config-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it has its own name by then
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// lockFile waits for a lock that ends with unlock, or with the process.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // beside the configuration file
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}
