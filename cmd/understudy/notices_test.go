package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/domain"
	"understudy/domain/notice"
)

func TestMailSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "smtp")
	if err := os.WriteFile(file, []byte("smtps://user:hunter22@mail.example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(set map[string]string) func(string) string { return func(name string) string { return set[name] } }
	for _, set := range []map[string]string{
		{"UNDERSTUDY_SMTP_URL_FILE": file, "UNDERSTUDY_MAIL_FROM": "a@example.com", "UNDERSTUDY_MAIL_TO": "Ops <ops@example.com>"},
		{"UNDERSTUDY_SMTP_URL": "smtp://mail.example.com", "UNDERSTUDY_MAIL_FROM": "a@example.com"},
	} {
		if c, err := readConfig(env(set)); err != nil || c.mail == nil || c.mailTo != set["UNDERSTUDY_MAIL_TO"] {
			t.Errorf("%v: %v", set, err)
		}
	}
	if c, err := readConfig(env(nil)); err != nil || c.mail != nil {
		t.Errorf("without settings: %v", err)
	}
	const with = "smtp://user:hunter22@mail.example.com"
	for name, set := range map[string]map[string]string{
		"UNDERSTUDY_MAIL_FROM":     {"UNDERSTUDY_SMTP_URL": with},
		"UNDERSTUDY_MAIL_TO":       {"UNDERSTUDY_SMTP_URL": with, "UNDERSTUDY_MAIL_FROM": "a@example.com", "UNDERSTUDY_MAIL_TO": "nobody"},
		"UNDERSTUDY_SMTP_URL":      {"UNDERSTUDY_SMTP_URL": "http://user:hunter22@mail.example.com", "UNDERSTUDY_MAIL_FROM": "a@example.com"},
		"UNDERSTUDY_SMTP_URL_FILE": {"UNDERSTUDY_SMTP_URL": with, "UNDERSTUDY_SMTP_URL_FILE": file, "UNDERSTUDY_MAIL_FROM": "a@example.com"},
	} {
		if _, err := readConfig(env(set)); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// A mail says what happened and what to do, as far as it can be done then.
func TestLetters(t *testing.T) {
	t.Parallel()
	n := &notices{appURL: "https://app.example"}
	told := notice.Requested{NoticeID: "ntc_1", WebhookID: "whk_1", Environment: domain.Live, Consecutive: 7}
	warning := n.letter("owner@example.com", told)
	told.Consecutive, told.Disabled = 10, true
	end := n.letter("owner@example.com", told)
	if warning.ID != "ntc_1" || warning.To != "owner@example.com" || !strings.Contains(warning.Text, "After 10 in a row it is disabled") ||
		!strings.Contains(warning.Text, "GET /v1/webhooks/whk_1/deliveries?status=abandoned") || strings.Contains(warning.Text, "/enable") {
		t.Errorf("the warning is %+v", warning)
	}
	for _, way := range []string{"POST /v1/webhooks/whk_1/test", "POST /v1/webhooks/whk_1/enable", "POST /v1/webhooks/whk_1/replay", "https://app.example"} {
		if !strings.Contains(end.Text, way) {
			t.Errorf("%s is not in\n%s", way, end.Text)
		}
	}
	if end.Subject != "Webhook whk_1 is disabled" {
		t.Errorf("the subject is %q", end.Subject)
	}
}
