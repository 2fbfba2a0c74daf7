package e2e

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg" // screenshots
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/sites"
)

// liveLimit bounds a live test of ten sessions.
const liveLimit = 3 * time.Minute

// serveSite serves one of the sites on harness.Loopback.
func serveSite(t *testing.T, name string, faults ...sites.Fault) (address string) {
	t.Helper()
	address, stop, err := sites.Serve(t.Context(), name, sites.Options{Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return address
}

// task is what can be done on a site, by name.
func task(t *testing.T, site, name string) sites.Task {
	t.Helper()
	for _, task := range sites.Tasks[site] {
		if task.Name == name {
			return task
		}
	}
	t.Fatalf("site %s has no task %s", site, name)
	return sites.Task{}
}

// reached counts the visits of a site that have reached a goal, by the site.
func reached(t *testing.T, address, goal string) (n int) {
	t.Helper()
	for _, goals := range read[map[string]map[string]bool](t, client{}.send(t, http.MethodGet, address+"/_truth", nil).wants(t, 200, "")) {
		if goals[goal] {
			n++
		}
	}
	return n
}

// The other tests wait for this one: what ranks first is a matter of time, which they would take.
func TestALiveTestFromPostToReport(t *testing.T) {
	c := running(t).live()
	hook := receive(t, c, nil)
	faint := sites.Fault{Kind: "low_contrast", Path: "/p/tidepool-mug", Selector: "form.buy button", Dose: 3}
	address, goal := serveSite(t, sites.Shop, faint), task(t, sites.Shop, "order")
	criteria := []string{"task_completion", "cta_findability", "navigation", "accessibility"}
	created := c.create(t, map[string]any{
		"url": address + goal.Start, "task": goal.Task, "sessions": 10, "viewport": []string{"desktop", "mobile"},
		"criteria": criteria, "success": goal.Success, "seed": 20261121,
	})

	messages := watchWhileItRuns(t, c, created)
	done := c.completed(t, created.ID, 10*time.Second)
	sessions := c.sessions(t, created.ID)
	countedOnce(t, done, sessions)

	succeeded, viewports := 0, map[string]int{}
	for _, s := range sessions {
		viewports[s.Viewport]++
		if s.outcome() == "succeeded" {
			succeeded++
		}
	}
	if succeeded < len(sessions)/3 {
		t.Errorf("only %d of %d sessions managed to order", succeeded, len(sessions))
	}
	if viewports["desktop"] != 5 || viewports["mobile"] != 5 {
		t.Errorf("viewports %v", viewports)
	}
	if n := kinds(messages)["session.completed"] + kinds(messages)["session.failed"]; n != 10 {
		t.Errorf("the stream told of %d ends of sessions", n)
	}

	report := readReport(t, c, done, criteria, sessions)
	replayed := report.Replays.Proven // walks that ordered once the button could be seen
	// One that time cut short may have ordered just before.
	if untold := reached(t, address, goal.Truth) - succeeded - replayed; untold < 0 || untold > report.Replays.CutShort {
		t.Errorf("%d sessions and %d replays are said to have succeeded, the shop has %d orders more; %d were cut short", succeeded, replayed, untold, report.Replays.CutShort)
	}
	if i := report.Issues[0]; i.Kind != "low_contrast" || i.Element == nil || i.Element.Name != "Add to basket" || i.Severity < 2 {
		t.Errorf("the faint button is not what ranks first: %+v", i)
	}
	deliveredAll(t, hook, done, report)
	for _, s := range sessions {
		everyArtifactOpens(t, c, s)
		logWalk(t, c, s)
	}
}

// watchWhileItRuns reads a test's stream to its end, in two parts and once
// more beside and after it, and returns the messages.
func watchWhileItRuns(t *testing.T, c client, created harness.Test) []message {
	t.Helper()
	first := follow(t, created.StreamURL, 0)
	start := first.take(t, liveLimit, func(m []message) bool { return kinds(m)["session.step"] >= 4 })
	if now := c.test(t, created.ID); now.Status != "running" {
		t.Errorf("the test is %s when its first steps are shown", now.Status)
	}
	first.close()
	beside, heard := follow(t, created.StreamURL, 0), make(chan []message)
	go func() {
		messages, err := beside.all(liveLimit)
		if err != nil {
			t.Errorf("beside the first reader: %v", err)
		}
		heard <- messages
	}()
	again := follow(t, created.StreamURL, start[len(start)-1].Position)
	messages := append(slices.Clone(start), again.rest(t, liveLimit)...)
	whole := places(messages)
	if got := places(<-heard); beside.end != 1000 || !reflect.DeepEqual(got, whole) {
		t.Errorf("history then live gave\n%s\nand with a resumption\n%s", strings.Join(got, "\n"), strings.Join(whole, "\n"))
	}
	if got := places(follow(t, created.StreamURL, 0).rest(t, time.Minute)); !reflect.DeepEqual(got, whole) {
		t.Errorf("the history afterwards is another:\n%s\nwas\n%s", strings.Join(got, "\n"), strings.Join(whole, "\n"))
	}
	if !slices.IsSortedFunc(messages, func(a, b message) int { return int(a.Position) - int(b.Position) }) {
		t.Errorf("positions do not rise: %v", whole)
	}
	if last := messages[len(messages)-1]; last.Type != "test.completed" {
		t.Errorf("the last message is %s", last.Type)
	}
	return messages
}

// readReport reads a test's report and checks what it must hold.
func readReport(t *testing.T, c client, done harness.Test, criteria []string, sessions []sessionResource) reportResource {
	t.Helper()
	report := get[reportResource](t, c, "/tests/"+done.ID+"/report")
	if done.ReportID == nil || *done.ReportID != report.ID || done.ReportURL == nil || report.TestID != done.ID {
		t.Errorf("the test names report %v, its report is %s of %s", done.ReportID, report.ID, report.TestID)
	}
	for _, criterion := range criteria {
		score, ok := report.Scores[criterion]
		if !ok || score < 0 || score > 1 {
			t.Errorf("criterion %s has score %v", criterion, score)
		}
	}
	// Who falls short of the goal has no more than what was done of the task.
	if overall, most := report.Scores["overall"], report.Scores["task_completion"]; overall <= 0 || overall > most+0.001 {
		t.Errorf("overall is %v, task_completion %v", overall, most)
	}
	ids := map[string]bool{}
	for _, s := range sessions {
		ids[s.ID] = true
	}
	if len(report.Highlights) == 0 {
		t.Error("a report without highlights")
	}
	for _, h := range report.Highlights {
		if !ids[h.SessionID] || h.Quote == "" {
			t.Errorf("highlight %+v", h)
		}
		if h.ScreenshotURL != nil {
			picture(t, *h.ScreenshotURL)
		}
	}
	if len(report.Issues) == 0 {
		t.Error("a report without issues")
	}
	for i, issue := range report.Issues {
		t.Logf("issue %d, severity %d, %d of %d: %s", issue.Rank, issue.Severity, issue.Frequency.Affected, issue.Frequency.Total, issue.Title)
		if issue.Rank != i+1 || len(issue.Evidence) == 0 {
			t.Errorf("issue %d has rank %d and %d pieces of evidence", i, issue.Rank, len(issue.Evidence))
		}
		for _, e := range issue.Evidence {
			if !ids[e.SessionID] {
				t.Errorf("issue %d is evidenced by session %s of another test", issue.Rank, e.SessionID)
			}
		}
	}
	t.Logf("scores %v", report.Scores)
	return report
}

// picture opens an image by its address alone and returns its size.
func picture(t *testing.T, url string) image.Config {
	t.Helper()
	got := client{}.send(t, http.MethodGet, url, nil).wants(t, http.StatusOK, "")
	img, _, err := image.Decode(bytes.NewReader(got.Body))
	if err != nil {
		t.Fatalf("%s is no image: %v", url, err)
	}
	return image.Config{Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
}

// everyArtifactOpens opens all screenshots and the recording of a session.
func everyArtifactOpens(t *testing.T, c client, s sessionResource) {
	t.Helper()
	whole := get[sessionResource](t, c, "/sessions/"+s.ID)
	if whole.Trace == nil || len(whole.Trace.Steps) != s.Steps || s.Steps == 0 {
		t.Errorf("session %d has %d steps and the trace %+v", s.Index, s.Steps, whole.Trace)
		return
	}
	shots := all[struct {
		ID            string
		Step          int
		URL           string
		Width, Height int
	}](t, c, "/sessions/"+s.ID+"/screenshots?limit=7")
	slices.Reverse(shots) // the last comes first
	if len(shots) != s.Steps {
		t.Errorf("session %d has %d steps and %d screenshots", s.Index, s.Steps, len(shots))
	}
	for i, shot := range shots {
		size := picture(t, shot.URL)
		if size.Width != shot.Width || size.Height != shot.Height || shot.Step != i {
			t.Errorf("screenshot %d of step %d is %dx%d, said to be %dx%d", i, shot.Step, size.Width, size.Height, shot.Width, shot.Height)
		}
		if (s.Viewport == "mobile") != (size.Width < size.Height) {
			t.Errorf("a %s screenshot is %dx%d", s.Viewport, size.Width, size.Height)
		}
		if id := whole.Trace.Steps[i].ScreenshotID; id == nil || *id != shot.ID {
			t.Errorf("step %d names screenshot %v, the list has %s", i, id, shot.ID)
		}
	}
	recordingOpens(t, c, s)
}

func recordingOpens(t *testing.T, c client, s sessionResource) {
	t.Helper()
	film := get[struct {
		Format   string
		URL      string
		Duration float64 `json:"duration_seconds"`
		Bytes    int
	}](t, c, "/sessions/"+s.ID+"/recording")
	whole := client{}.send(t, http.MethodGet, film.URL, nil).wants(t, http.StatusOK, "").Body
	// EBML's magic number, which every WebM file begins with.
	if film.Format != "webm" || len(whole) != film.Bytes || !bytes.HasPrefix(whole, []byte{0x1a, 0x45, 0xdf, 0xa3}) {
		t.Errorf("session %d: %s recording of %d bytes, said to be %d", s.Index, film.Format, len(whole), film.Bytes)
	}
	part := client{}.send(t, http.MethodGet, film.URL, nil, "Range", "bytes=100-299").wants(t, http.StatusPartialContent, "")
	if !bytes.Equal(part.Body, whole[100:300]) || !strings.HasPrefix(part.Header.Get("Content-Range"), "bytes 100-299/") {
		t.Errorf("a range of the recording: %q, %d bytes", part.Header.Get("Content-Range"), len(part.Body))
	}
	if s.Index > 1 { // one of a desktop and one of a mobile are enough for a second opinion
		return
	}
	path := filepath.Join(t.TempDir(), s.ID+".webm")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "format=duration:stream=codec_type", "-of", "json", path).Output()
	if err != nil {
		t.Fatalf("ffprobe: %v", err)
	}
	var probed struct {
		Streams []struct {
			Type string `json:"codec_type"`
		}
		Format struct {
			Duration json.Number
		}
	}
	if err := json.Unmarshal(out, &probed); err != nil {
		t.Fatal(err)
	}
	seconds, err := probed.Format.Duration.Float64()
	if err != nil || len(probed.Streams) != 1 || probed.Streams[0].Type != "video" || math.Abs(seconds-film.Duration) > 1 {
		t.Errorf("ffprobe sees %s, the film is said to last %v s", out, film.Duration)
	}
}
