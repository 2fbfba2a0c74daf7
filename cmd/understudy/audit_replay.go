package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/comparison"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

func auditReplayCommand() *cobra.Command {
	var path, keys string
	command := &cobra.Command{
		Use:   "replay FILE",
		Short: "Answer from an export as the service does",
		Long: "Fold the events of an export or an archive with the functions that the service's read models are made with, and\n" +
			"print what the service answers: one line for each address, or with --get the answer of one, byte for\n" +
			"byte. The export is verified first.\n\n" +
			"Addresses in answers begin with UNDERSTUDY_BASE_URL and UNDERSTUDY_APP_URL; their signatures are those\n" +
			"of the installation when --keyring names its keyring, and differ otherwise.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := plainExport(args[0])
			if err != nil {
				return err
			}
			v := integrity.Verify(file, integrity.Known{})
			if len(v.Faults) > 0 {
				return tellVerdict(cmd.ErrOrStderr(), args[0], v, integrity.Known{})
			}
			cfg, err := readConfig(os.Getenv)
			if err != nil {
				return err
			}
			r, err := newReplay(v, cfg, keys)
			if err != nil {
				return err
			}
			if path != "" {
				body, err := r.get(cmd.Context(), path)
				if err == nil {
					_, err = cmd.OutOrStdout().Write(body)
				}
				return err
			}
			return r.all(cmd.Context(), cmd.OutOrStdout())
		},
	}
	command.Flags().StringVar(&path, "get", "", "print the answer to one GET, such as /v1/tests/test_…/report")
	command.Flags().StringVar(&keys, "keyring", "", "the installation's keyring.json, to sign addresses with")
	return command
}

// replay answers GETs from the events of an export: the service's own
// interface stands on rows that are folded here.
type replay struct {
	httpapi.Reads // none: what an export does not hold is not asked for

	handler http.Handler
	testID  string

	tests       rows[tests.Row]
	sessions    rows[sessions.Row]
	reports     rows[reports.Row]
	deliveries  rows[deliveries.Row]
	comparisons rows[comparisons.Row]
}

// newReplay folds the events of a verified export.
func newReplay(v integrity.Verdict, cfg config, keys string) (*replay, error) {
	r := &replay{testID: v.Manifest.Test}
	known := eventstore.NewCodec(process.Catalogue())
	for _, raw := range v.Events {
		e, err := known.Recorded(raw)
		if err != nil {
			return nil, err
		}
		if _, unknown := e.Event.(domain.Unknown); unknown {
			continue // as the read models do
		}
		switch kind, _, _ := strings.Cut(e.Stream, "-"); kind + "-" {
		case testrun.StreamPrefix:
			r.tests.fold(e, tests.Fold)
		case session.StreamPrefix:
			r.sessions.fold(e, sessions.Fold)
		case report.StreamPrefix:
			r.reports.fold(e, reports.Fold)
		case delivery.StreamPrefix:
			r.deliveries.fold(e, deliveries.Fold)
		case comparison.StreamPrefix:
			r.comparisons.fold(e, comparisons.Fold)
		}
	}
	test, err := r.tests.find(r.testID)
	if err != nil {
		return nil, fmt.Errorf("the export has no test %s", r.testID)
	}
	return r, r.serve(cfg, keys, service.Principal{
		KeyID: "audit", Actor: "audit", OrganizationID: test.row.OrganizationID, Environment: test.row.Doc.Environment,
		Role: access.Owner, Scopes: []string{access.Full}, RateLimit: 1 << 30,
	})
}

// serve builds the interface on the rows.
func (r *replay) serve(cfg config, keys string, who service.Principal) error {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the program instead
	signing := func() [][]byte { return [][]byte{secret} }
	if keys != "" {
		k, err := keyring.Open(keys)
		if err != nil {
			return fmt.Errorf("--keyring: %w", err)
		}
		signing = k.SigningKeys
	}
	if cfg.baseURL == "" {
		cfg.baseURL = "http://" + dialable(cfg.listen) + "/v1"
	}
	if cfg.appURL == "" {
		cfg.appURL = strings.TrimSuffix(cfg.baseURL, "/v1")
	}
	signer, err := httpapi.NewSigner(signing)
	if err != nil {
		return err
	}
	links, err := httpapi.NewLinks(cfg.baseURL, cfg.appURL, signer)
	if err != nil {
		return err
	}
	r.handler, err = httpapi.New(httpapi.Deps{
		Links: links, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Auth: anybody{who}, Rates: unlimited{}, Readiness: alwaysReady{}, Metrics: http.NotFoundHandler(),
		Reads: r, Histories: noHistories{},
	})
	return err
}

// noHistories is asked for nothing: an export answers as of its end.
type noHistories struct{ httpapi.Histories }

// replayed are the addresses that an export can answer.
var replayed = []string{"/v1/tests/", "/v1/sessions/", "/v1/reports/", "/v1/deliveries/", "/v1/comparisons/"}

// get is the answer to one GET.
func (r *replay) get(ctx context.Context, path string) ([]byte, error) {
	if !strings.HasPrefix(path, "/v1/") {
		path = "/v1/" + strings.TrimPrefix(path, "/")
	}
	address, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, fmt.Errorf("--get: %w", err)
	}
	if address.Query().Has("at") {
		return nil, errors.New("--get: an export answers as of its end; leave out at")
	}
	if !slices.ContainsFunc(replayed, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
		return nil, fmt.Errorf("--get: an export answers for what is in it, below %s", strings.Join(replayed, ", "))
	}
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	request.Header.Set("Authorization", "Bearer audit")
	answer := httptest.NewRecorder()
	r.handler.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s: %s", path, strconv.Itoa(answer.Code), answer.Body)
	}
	return answer.Body.Bytes(), nil
}

// all prints what there is, a line for each address.
func (r *replay) all(ctx context.Context, out io.Writer) error {
	paths := []string{"/v1/tests/" + r.testID}
	if len(r.sessions.ids) > 0 {
		paths = append(paths, "/v1/tests/"+r.testID+"/sessions?limit=100")
	}
	for _, id := range r.sessions.ids {
		paths = append(paths, "/v1/sessions/"+id, "/v1/sessions/"+id+"/trace", "/v1/sessions/"+id+"/screenshots?limit=100")
		if r.sessions.row[id].row.Evidence.Recording != nil {
			paths = append(paths, "/v1/sessions/"+id+"/recording")
		}
	}
	for kind, ids := range map[string][]string{"reports": r.reports.ids, "deliveries": r.deliveries.ids, "comparisons": r.comparisons.ids} {
		for _, id := range ids {
			paths = append(paths, "/v1/"+kind+"/"+id)
		}
	}
	slices.Sort(paths[1:])
	for _, path := range paths {
		body, err := r.get(ctx, path)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "{%q:%q,%q:%s}\n", "get", path, "answer", strings.TrimSpace(string(body))); err != nil {
			return err
		}
	}
	return nil
}

// anybody is let in as one principal.
type anybody struct{ who service.Principal }

// Knows everybody.
func (anybody) Knows(string) bool { return true }

// Authenticate lets in.
func (a anybody) Authenticate(context.Context, string) (service.Principal, error) { return a.who, nil }

// unlimited counts nothing.
type unlimited struct{}

// Take counts nothing.
func (unlimited) Take(_ context.Context, _ string, _ int, now time.Time) (int, time.Time, error) {
	return 0, now, nil
}

// Full is never so.
func (unlimited) Full(string, int, time.Time) bool { return false }

// alwaysReady has no parts that could fail.
type alwaysReady struct{}

// Starting is never so.
func (alwaysReady) Starting() bool { return false }

// Ready lists nothing.
func (alwaysReady) Ready(context.Context) []httpapi.NotReady { return nil }

// Followers are none.
func (alwaysReady) Followers(context.Context) (httpapi.Followers, error) {
	return httpapi.Followers{}, nil
}
