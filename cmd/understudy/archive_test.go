package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/archive"
	"understudy/adapters/keyring"
	"understudy/adapters/notary"
	"understudy/adapters/postgres/pgtest"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/tests"
	"understudy/test/patience"
)

// archiveLimit bounds each wait of these tests, on an idle machine.
const archiveLimit = 30 * time.Second

// archivable is an installation with a log that is signed.
type archivable struct {
	*archiving
	t    *testing.T
	pool *pgxpool.Pool
}

func newArchivable(t *testing.T) *archivable {
	t.Helper()
	dir := t.TempDir()
	cfg := config{dataDir: dir, auditDir: filepath.Join(dir, headsDir), archiveDir: filepath.Join(dir, archivesDir)}
	socket, err := socketPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Start(t.Context(), node.Options{Dir: filepath.Join(dir, eventsDir), Archive: archive.NewFolder(cfg.archiveDir), Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	store, err := eventstore.Open(eventstore.Config{Socket: socket, Codec: eventstore.NewCodec(process.Catalogue()), CallTimeout: patience.Scaled(archiveLimit)})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := keyring.OpenOrCreate(cfg.keyringPath())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	signing, pool := make(chan error, 1), pgtest.Pool(t)
	go func() { signing <- notary.New(pool, store, keys, cfg.auditDir, quiet).Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-signing; !errors.Is(err, context.Canceled) {
			t.Errorf("the notary: %v", err)
		}
		if err := errors.Join(store.Close(), n.Close()); err != nil {
			t.Error(err)
		}
	})
	a := &archivable{&archiving{cfg: cfg, store: store, streams: service.NewStreams(store), progress: t.Output()}, t, pool}
	patience.Eventually(t, archiveLimit, "a key that signs", func() bool {
		_, err := auditKey(cfg)
		return err == nil
	})
	return a
}

func (a *archivable) does(stream string, command any) {
	a.t.Helper()
	meta := domain.Meta{OrganizationID: "org_1", Environment: domain.Sandbox}
	if _, err := a.streams.Execute(a.t.Context(), domain.Envelope{ID: domain.DeriveUUID(stream, fmt.Sprintf("%T", command)), Stream: stream, Command: command, Meta: meta}); err != nil {
		a.t.Fatal(err)
	}
}

// test makes a test of five sessions, which has ended.
func (a *archivable) test(id string) string {
	a.t.Helper()
	task := strings.Repeat("Buy a lamp, and then another one. ", 20)
	a.does(testrun.Stream(id), testrun.Create{
		TestID: id, OrganizationID: "org_1", Environment: domain.Sandbox, Models: []string{"forager-2"},
		Wish: testrun.Wish{
			URL: "https://shop.example/", Task: task, Sessions: 5, Model: "forager-2", Criteria: []string{"task_completion"},
			Personas: testrun.Personas{Source: "auto-diverse"}, Viewports: []string{"desktop"}, MaxSteps: 25, Replays: testrun.Off,
		},
	})
	created, err := a.streams.Created(a.t.Context(), id)
	if err != nil {
		a.t.Fatal(err)
	}
	cast, err := process.NewCast(created.Event.(testrun.Created))
	if err != nil {
		a.t.Fatal(err)
	}
	for i := range 5 {
		q := cast.QueueSession(i, created, created)
		a.does(q.Stream, q.Command)
		a.does(q.Stream, session.Start{Attempt: 1, Worker: "w"})
		a.does(q.Stream, session.Fail{Attempt: 1, Code: "browser_crashed", Message: task})
	}
	return id
}

func (a *archivable) ended(id string) string {
	a.t.Helper()
	a.does(testrun.Stream(a.test(id)), testrun.Fail{Code: testrun.TargetUnreachable, Message: "no such host", Now: domain.At(time.Now())})
	return id
}

// log is every event of the log but those that tell of archives.
func (a *archivable) log() (all []eventstore.Raw) {
	a.t.Helper()
	head, err := a.store.Head(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := patience.Context(a.t.Context(), archiveLimit)
	defer cancel()
	err = a.store.SubscribeRaw(ctx, eventstore.Subscription{Name: "test", UpTo: &head}, func(_ context.Context, b eventstore.RawBatch) error {
		for _, e := range b.Events {
			if e.Type != (testrun.Archived{}).EventType() {
				all = append(all, e)
			}
		}
		return nil
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return all
}

// holds checks the whole log against every signed head.
func (a *archivable) holds() {
	a.t.Helper()
	key, err := auditKey(a.cfg)
	if err == nil {
		_, err = notary.Auditor{Log: a.store, Key: key, Dir: a.cfg.auditDir, Progress: a.t.Output()}.Check(a.t.Context())
	}
	if err != nil {
		a.t.Errorf("the log is not as it was signed: %v", err)
	}
}

// files are what the directory of archives has.
func (a *archivable) files() (names []string) {
	a.t.Helper()
	entries, err := os.ReadDir(a.cfg.archiveDir)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func untold(archive.Archived) {}

func TestArchivingMayEndAnywhereAndGoesOn(t *testing.T) {
	t.Parallel()
	a := newArchivable(t)
	died := errors.New("died")
	id := func(point string) string { return "test_" + strings.ReplaceAll(point, " ", "_") }
	ends := map[string]func(*archive.Archiver){}
	for _, after := range []bool{false, true} {
		// die does a step, or dies before it, and then dies.
		die := func(do func() error) error {
			if after {
				if err := do(); err != nil {
					return err
				}
			}
			return died
		}
		when := map[bool]string{false: "before ", true: "after "}[after]
		ends[when+"the export"] = func(r *archive.Archiver) {
			export := r.Export
			r.Export = func(ctx context.Context, paths map[string]string) error {
				return die(func() error { return export(ctx, paths) })
			}
		}
		ends[when+"the record"] = func(r *archive.Archiver) {
			record := r.Record
			r.Record = func(ctx context.Context, of testrun.State, command testrun.Archive) error {
				return die(func() error { return record(ctx, of, command) })
			}
		}
		ends[when+"the scavenge"] = func(r *archive.Archiver) {
			scavenge := r.Scavenge
			r.Scavenge = func(ctx context.Context, archives []string) error {
				return die(func() error { return scavenge(ctx, archives) })
			}
		}
	}
	for point := range ends {
		a.ended(id(point))
	}
	before := a.log()
	for point, end := range ends {
		r, err := a.archiver()
		if err != nil {
			t.Fatal(err)
		}
		end(&r)
		if err := r.Archive(t.Context(), []string{id(point)}, untold); !errors.Is(err, died) {
			t.Fatalf("%s: %v", point, err)
		}
		if diff := cmp.Diff(before, a.log()); diff != "" {
			t.Fatalf("ended %s, the log differs\n%.1500s", point, diff)
		}
		if err := a.archive(t.Context(), nil, untold); err != nil {
			t.Fatalf("%s, and again: %v", point, err)
		}
		state, err := a.streams.Test(t.Context(), id(point))
		if err != nil || state.Archive == nil || state.Archive.Events != 17 || state.Archive.Streams != 6 {
			t.Fatalf("%s, and again: %+v, %v", point, state.Archive, err)
		}
	}
	if diff := cmp.Diff(before, a.log()); diff != "" {
		t.Errorf("then the log differs\n%.1500s", diff)
	}
	a.holds()
	if a.taken.Events < 5*len(ends) || a.taken.Bytes < 1000*int64(len(ends)) {
		t.Errorf("only %+v were taken out", a.taken)
	}
	var archives []string
	for _, name := range a.files() {
		if !strings.HasSuffix(name, ".export.gz") {
			t.Errorf("%s was left", name)
		}
		archives = append(archives, name)
	}
	if len(archives) != len(ends) {
		t.Errorf("there are only %v", archives)
	}
	a.taken.Events = 0
	if err := a.scavenge(t.Context(), archives); err != nil || a.taken.Events > 0 {
		t.Errorf("there were %d events left to take out, %v", a.taken.Events, err)
	}
}

func TestTestsThatEndedLongAgoAreArchivedOnce(t *testing.T) {
	t.Parallel()
	a := newArchivable(t)
	a.test("test_running")
	old := a.ended("test_old")
	if _, err := (&projections.Rebuild{Projection: tests.Projection, Pool: a.pool, Log: a.store, Logger: quiet}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	older := func(than time.Duration) (archived []string) {
		t.Helper()
		if err := a.older(t.Context(), a.pool, than, func(done archive.Archived) { archived = append(archived, done.Test) }); err != nil {
			t.Fatal(err)
		}
		return archived
	}
	if got := older(day); len(got) > 0 {
		t.Errorf("of what has just ended %v were archived", got)
	}
	if got := older(0); !slices.Equal(got, []string{old}) {
		t.Errorf("of what has ended %v were archived", got)
	}
	if got := older(0); len(got) > 0 {
		t.Errorf("%v were archived again", got)
	}
	unfinished := a.ended("test_unfinished") // which the read model has not
	r, err := a.archiver()
	if err != nil {
		t.Fatal(err)
	}
	r.Scavenge = func(context.Context, []string) error { return context.Canceled }
	if err := r.Archive(t.Context(), []string{unfinished}, untold); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := older(day); !slices.Equal(got, []string{unfinished}) {
		t.Errorf("of what was left unfinished %v were gone on with", got)
	}
}

func TestWhatIsNotArchived(t *testing.T) {
	t.Parallel()
	a := newArchivable(t)
	running, first, second, third := a.test("test_running"), a.ended("test_1"), a.ended("test_2"), a.ended("test_3")
	before := a.log()
	if err := a.archive(t.Context(), []string{running, "test_none", first}, untold); domain.CodeOf(err) == "" || !strings.Contains(err.Error(), running) || !strings.Contains(err.Error(), "test_none") {
		t.Errorf("one that runs and one that never was: %v", err)
	}
	if state, err := a.streams.Test(t.Context(), first); err != nil || state.Archive == nil {
		t.Errorf("with them an ended one is %+v, %v", state.Archive, err)
	}
	r, err := a.archiver()
	if err != nil {
		t.Fatal(err)
	}
	r.Export = func(ctx context.Context, _ map[string]string) error {
		if err := a.archive(ctx, []string{third}, untold); !errors.Is(err, archive.ErrBusy) {
			t.Errorf("a second one meanwhile: %v", err)
		}
		return archive.ErrBusy
	}
	if err := r.Archive(t.Context(), []string{second}, untold); !errors.Is(err, archive.ErrBusy) {
		t.Errorf("%v", err)
	}

	// What was changed on its way to the disk is not recorded, and what was changed since
	// takes nothing out.
	for point, change := range map[string]func(export []byte) []byte{
		"an event was changed": func(export []byte) []byte {
			return bytes.Replace(export, []byte("browser_crashed"), []byte("browser_praised"), 1)
		},
		"it is cut short": func(export []byte) []byte { return export[:len(export)/2] },
	} {
		if r, err = a.archiver(); err != nil {
			t.Fatal(err)
		}
		export := r.Export
		r.Export = func(ctx context.Context, paths map[string]string) error {
			if err := export(ctx, paths); err != nil {
				return err
			}
			text, err := os.ReadFile(paths[second])
			if err != nil {
				return err
			}
			return os.WriteFile(paths[second], change(text), 0o600)
		}
		if err := r.Archive(t.Context(), []string{second}, untold); err == nil || !strings.Contains(err.Error(), "not as it was recorded") {
			t.Errorf("%s: %v", point, err)
		}
		if state, err := a.streams.Test(t.Context(), second); err != nil || state.Archive != nil {
			t.Errorf("%s, and %+v was recorded, %v", point, state.Archive, err)
		}
	}
	path := filepath.Join(a.cfg.archiveDir, third+".export.gz")
	if r, err = a.archiver(); err != nil {
		t.Fatal(err)
	}
	r.Scavenge = func(context.Context, []string) error { return context.Canceled }
	if err := r.Archive(t.Context(), []string{third}, untold); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := archive.Plain(whole)
	if err == nil {
		err = os.WriteFile(path, again, 0o600) // the same, not compressed
	}
	if err != nil {
		t.Fatal(err)
	}
	a.taken.Events = 0
	if err := a.archive(t.Context(), nil, untold); err == nil || !strings.Contains(err.Error(), third) {
		t.Errorf("a file that is not the recorded one: %v", err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.archive(t.Context(), nil, untold); err != nil || a.taken.Events == 0 {
		t.Errorf("the recorded one again: %v, %d events taken out", err, a.taken.Events)
	}
	if diff := cmp.Diff(before, a.log()); diff != "" {
		t.Errorf("the log differs\n%.1500s", diff)
	}
	a.holds()
}

func TestArchiveDaysAreReadOrRefused(t *testing.T) {
	t.Parallel()
	env := func(set map[string]string) func(string) string { return func(name string) string { return set[name] } }
	for days, after := range map[string]time.Duration{"": 0, "0": 0, "90": 90 * day} {
		if c, err := readConfig(env(map[string]string{"UNDERSTUDY_ARCHIVE_DAYS": days})); err != nil || c.archiveAfter != after {
			t.Errorf("%q: %s, %v", days, c.archiveAfter, err)
		}
	}
	for _, set := range []map[string]string{
		{"UNDERSTUDY_ARCHIVE_DAYS": "-1"}, {"UNDERSTUDY_ARCHIVE_DAYS": "soon"},
		{"UNDERSTUDY_ARCHIVE_DAYS": "90", "UNDERSTUDY_EVENTSTORE": "esdb://node:2113"},
	} {
		if _, err := readConfig(env(set)); err == nil || !strings.Contains(err.Error(), "UNDERSTUDY_ARCHIVE_DAYS") {
			t.Errorf("%v: %v", set, err)
		}
	}
}
