package cli

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"understudy/adapters/client"
)

const (
	// fixes is how many issues are told: people stop reading after them.
	fixes = 3
	// largestPicture and pictureLimit bound one download, in bytes and time.
	largestPicture, pictureLimit = 20 << 20, 30 * time.Second
)

// keepPictures keeps what shows the first issues: as files where the service ends with
// the command, with the report as a page beside them, else as addresses.
func (r *run) keepPictures(ctx context.Context, out *result) (err error) {
	issues := firstIssues(out.Report)
	if !r.passing {
		for _, issue := range issues {
			out.pictures = append(out.pictures, pictureOf(issue))
		}
		return nil
	}
	if out.folder, err = os.MkdirTemp("", out.Test.ID+"-"); err != nil {
		return err
	}
	for i, issue := range issues {
		file := ""
		if address := pictureOf(issue); address != "" {
			if file, err = download(ctx, address, filepath.Join(out.folder, fmt.Sprintf("issue-%d", i+1))); err != nil {
				return fmt.Errorf("the picture of an issue: %w", err)
			}
		}
		out.pictures = append(out.pictures, file)
	}
	page := out.forms[formHTML]
	if page == nil {
		got, err := r.client.GetTestReportWithResponse(ctx, out.Test.ID, &client.GetTestReportParams{Format: new(asked[formHTML])})
		if err != nil {
			return err
		}
		page = got.Body
	}
	return os.WriteFile(filepath.Join(out.folder, "report.html"), page, 0o600)
}

// firstIssues are those to mend first.
func firstIssues(report *client.Report) []client.Issue {
	if report == nil {
		return nil
	}
	return report.Issues[:min(len(report.Issues), fixes)]
}

// pictureOf is the address of the first picture of an issue, "" without one.
func pictureOf(issue client.Issue) string {
	for _, e := range issue.Evidence {
		if e.ScreenshotURL != "" {
			return e.ScreenshotURL
		}
	}
	return ""
}

// download writes what an address has to a file, named for its type.
func download(ctx context.Context, address, file string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, largestPicture))
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("it answered %s", res.Status)
	}
	mediaType, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	ext := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}[mediaType]
	return file + ext, os.WriteFile(file+ext, raw, 0o600)
}
