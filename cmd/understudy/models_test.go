package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/adapters/brain"
)

func TestModelSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("sk-from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(set map[string]string) func(string) string { return func(name string) string { return set[name] } }
	c, err := readConfig(env(map[string]string{
		"UNDERSTUDY_OPENAI_MODELS": "small, large", "UNDERSTUDY_OPENAI_KEY_FILE": file, "UNDERSTUDY_MODEL_TIMEOUT": "90s",
		"UNDERSTUDY_MODEL_TOKENS": "5000", "UNDERSTUDY_MODEL_RETRIES": "0", "UNDERSTUDY_MODEL_PRICES": "openai/small=0.15/0.60",
		"UNDERSTUDY_ANTHROPIC_MODELS": "own", "UNDERSTUDY_ANTHROPIC_URL": "http://models.internal:4000",
	}))
	if err != nil {
		t.Fatal(err)
	}
	m := c.models
	openAI, own := m.Servers[brain.OpenAI], m.Servers[brain.Anthropic]
	if openAI.Key != "sk-from-file" || openAI.URL != brain.OpenAIURL || len(openAI.Models) != 2 || own.Key != "" || own.URL != "http://models.internal:4000" {
		t.Errorf("servers %+v", m.Servers)
	}
	if m.Tokens != 5000 || m.Timeout != 90*time.Second || m.Retries != 0 || m.Prices["openai/small"] != (brain.Price{Input: 0.15, Output: 0.6}) {
		t.Errorf("limits %+v", m)
	}
	for name, set := range map[string]map[string]string{
		"UNDERSTUDY_OPENAI_MODELS":      {"UNDERSTUDY_OPENAI_MODELS": "small"}, // neither key nor address
		"UNDERSTUDY_ANTHROPIC_KEY_FILE": {"UNDERSTUDY_ANTHROPIC_KEY": "sk-secret", "UNDERSTUDY_ANTHROPIC_KEY_FILE": file},
		"UNDERSTUDY_OPENAI_KEY_FILE":    {"UNDERSTUDY_OPENAI_KEY_FILE": file + ".none"},
		"UNDERSTUDY_MODEL_TOKENS":       {"UNDERSTUDY_MODEL_TOKENS": "few"},
		"UNDERSTUDY_MODEL_TIMEOUT":      {"UNDERSTUDY_MODEL_TIMEOUT": "1h"},
		"UNDERSTUDY_MODEL_RETRIES":      {"UNDERSTUDY_MODEL_RETRIES": "-1"},
		"UNDERSTUDY_MODEL_PRICES":       {"UNDERSTUDY_MODEL_PRICES": "openai/small=cheap"},
		"openai/large":                  {"UNDERSTUDY_MODEL_PRICES": "openai/large=1/2"}, // is not served
	} {
		if _, err := readConfig(env(set)); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
