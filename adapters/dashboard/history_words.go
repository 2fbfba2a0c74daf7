package dashboard

import (
	"encoding/json"
	"strconv"
	"strings"

	"understudy/eventstore"
)

// past are what happened, by the type of the event without its version. What stands in
// braces is taken from the event's data. A type that is not here is told by its name.
var past = map[string]string{
	"testrun.created":           "The test was asked for: “{task}” at {url}, {sessions} sessions",
	"testrun.started":           "The page answered and the test began",
	"testrun.session_ended":     "Session {index} ended ({session_id})",
	"testrun.progressed":        "{sessions_completed} of {sessions_total} sessions had ended ({percent} %)",
	"testrun.sessions_finished": "The last session had ended",
	"testrun.replay_begun":      "Session {session_id} was walked again without a suspected cause ({kind})",
	"testrun.replay_ended":      "That walk ended: {result}",
	"testrun.causes_examined":   "{made} of {suspected} suspected causes were examined, {proven} proven",
	"testrun.gate_judged":       "The quality gate judged: {summary}",
	"testrun.completed":         "The test was complete: {sessions_completed} sessions, {sessions_failed} of which could not be walked",
	"testrun.failed":            "The test failed: {message}",
	"testrun.cancelled":         "The test was cancelled",
	"testrun.archived":          "Its history until then was archived: {events} events of {streams} streams in {archive}",

	"session.queued":           "The session waited to be walked by {persona.name} ({viewport})",
	"session.started":          "The walk began, try {attempt}",
	"session.screenshot_taken": "A screenshot was taken of step {step}",
	"session.stepped":          "Step {step.index}: {step.action.type} {step.action.target.name}",
	"session.completed":        "The walk ended: {outcome}, after {steps} steps",
	"session.failed":           "The session could not be walked: {message}",
	"session.cancelled":        "The session was cancelled",

	"delivery.scheduled": "The message {event_name} was to be sent",
	"delivery.attempted": "Try {attempt}: answered {status_code} {error}",
	"delivery.delivered": "The message was delivered, at try {attempts}",
	"delivery.abandoned": "The message was given up after {attempts} tries",
	"delivery.skipped":   "The message was not sent: {reason}",

	"webhook.registered":       "The endpoint {url} was registered",
	"webhook.changed":          "The endpoint was changed: {url}",
	"webhook.secret_rotated":   "A second secret was made; both count until {ends_at}",
	"webhook.secret_promoted":  "The new secret is the only one",
	"webhook.failure_counted":  "A delivery was given up, {consecutive} in a row ({delivery_id})",
	"webhook.recovered":        "A delivery came through again ({delivery_id})",
	"webhook.owner_warned":     "The owner was told of {consecutive} failures in a row",
	"webhook.disabled":         "The endpoint was disabled after {consecutive} failures in a row",
	"webhook.paused":           "The endpoint was paused",
	"webhook.reenabled":        "The endpoint was enabled again",
	"webhook.replay_requested": "Deliveries from {from} to {to} were to be made again ({which})",
	"webhook.deleted":          "The endpoint was deleted",

	"apikey.created": "The key “{name}” was made, with {scopes}",
	"apikey.adopted": "The key “{name}” got a history of its own",
	"apikey.changed": "The key was changed: “{name}”, with {scopes}",
	"apikey.rotated": "The key was replaced; the one before counts until {previous_until}",
	"apikey.revoked": "The key was revoked",

	"persona.created": "{persona.name} was described",
	"persona.changed": "{persona.name} was described anew",
	"persona.deleted": "The persona was deleted",

	"oauthclient.registered":     "The application “{name}” was registered",
	"oauthclient.changed":        "The application was changed: “{name}”",
	"oauthclient.secret_rotated": "The application got another secret",
	"oauthclient.deleted":        "The application was deleted",
}

// deed is what an event says happened.
func deed(e eventstore.Raw) string {
	kind := e.Type
	if i := strings.LastIndex(kind, ".v"); i > 0 {
		kind = kind[:i]
	}
	words, known := past[kind]
	if !known {
		return capital(spaced(strings.ReplaceAll(kind, ".", ": ")))
	}
	var data any
	if json.Unmarshal(e.Data, &data) != nil {
		data = nil
	}
	var out strings.Builder
	for words != "" {
		before, rest, found := strings.Cut(words, "{")
		out.WriteString(before)
		if !found {
			break
		}
		path, after, _ := strings.Cut(rest, "}")
		out.WriteString(clip(valueAt(data, strings.Split(path, "."))))
		words = after
	}
	return strings.TrimSpace(out.String())
}

// longest is how much of a text is told in a sentence.
const longest = 120

func clip(s string) string {
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return s
}

func valueAt(node any, path []string) string {
	if len(path) > 0 {
		object, _ := node.(map[string]any)
		return valueAt(object[path[0]], path[1:])
	}
	switch node := node.(type) {
	case string:
		return node
	case float64:
		return strconv.FormatFloat(node, 'f', -1, 64)
	case bool:
		return choose(node, "yes", "no")
	case []any:
		all := make([]string, len(node))
		for i, item := range node {
			all[i] = valueAt(item, nil)
		}
		return strings.Join(all, ", ")
	}
	return ""
}
