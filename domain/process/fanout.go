package process

import (
	"bytes"
	"encoding/json"
	"time"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/gate"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
)

// Message is an event as the outside world is told of it.
type Message struct {
	Name   string // such as test.completed
	TestID string
	Data   any
}

// Links makes the addresses that messages carry.
type Links interface {
	ReportURL(organizationID string, env domain.Environment, reportID string, at time.Time) string
}

type object = map[string]any

// Publish maps an event to its public message; one event is at most one.
func Publish(e domain.Recorded, links Links) (Message, bool) {
	m := Message{}
	reportURL := func(id string) string { return links.ReportURL(e.Meta.OrganizationID, e.Meta.Environment, id, e.Time) }
	switch event := e.Event.(type) {
	case testrun.Started:
		m.Name = "test.started"
		m.Data = object{"url": event.URL, "task": event.Task, "sessions_total": event.SessionsTotal}
	case testrun.Progressed:
		m.Name = "test.progress"
		m.Data = object{
			"sessions_completed": event.SessionsCompleted, "sessions_total": event.SessionsTotal, "percent": event.Percent,
		}
	case testrun.GateJudged:
		m.Name = "quality_gate.failed"
		data := object{"threshold": event.Threshold, "score": 0.0, "report_url": reportURL(event.ReportID)}
		if event.Score != nil { // the specification knows numbers only
			data["score"] = *event.Score
		}
		if event.Passed {
			m.Name = "quality_gate.passed"
		} else {
			data["failed_criteria"] = append([]string{}, event.FailedCriteria...)
			if why := event.Reason(); why != "" {
				data["reason"] = why
			}
		}
		m.Data = data
	case testrun.Completed:
		m.Name = "test.completed"
		scores := object{gate.Overall: nil} // null when nothing could be scored
		for criterion, score := range event.AggregateScores {
			scores[criterion] = score
		}
		m.Data = object{
			"url": event.URL, "task": event.Task,
			"sessions_total": event.SessionsTotal, "sessions_completed": event.SessionsCompleted,
			"duration_seconds": event.DurationSeconds,
			"aggregate_scores": scores,
			"quality_gate":     object{"passed": event.GatePassed, "threshold": event.GateThreshold},
			"report_url":       reportURL(event.ReportID), "report_id": event.ReportID,
		}
	case testrun.Failed:
		m.Name = "test.failed"
		m.Data = object{
			"reason":             object{"code": event.Code, "message": event.Message},
			"sessions_completed": event.SessionsCompleted, "sessions_total": event.SessionsTotal,
		}
	default:
		return m, false
	}
	m.TestID = streamID(e, testrun.StreamPrefix)
	return m, true
}

// Endpoint is a subscribed webhook as it stood when the event was recorded.
type Endpoint struct {
	ID       string
	Disabled bool
}

// FanOut schedules a delivery of the message to every endpoint. A disabled
// endpoint gets a skipped one, so that it can be seen and replayed.
func FanOut(e domain.Recorded, m Message, endpoints []Endpoint) ([]domain.Envelope, error) {
	if len(endpoints) == 0 {
		return nil, nil
	}
	body, err := Body(m, domain.At(e.Time))
	if err != nil {
		return nil, err
	}
	out := make([]domain.Envelope, 0, len(endpoints))
	for _, endpoint := range endpoints {
		id := DeliveryID(e, endpoint.ID)
		c := delivery.Schedule{Delivery: delivery.Scheduled{
			DeliveryID: id, WebhookID: endpoint.ID,
			OrganizationID: e.Meta.OrganizationID, Environment: e.Meta.Environment,
			EventName: m.Name, TestID: m.TestID, Body: body, At: domain.At(e.Time),
		}}
		if endpoint.Disabled {
			c.SkipReason = string(webhook.StatusDisabled)
		}
		out = append(out, envelope(e, delivery.Stream(id), "schedule", c))
	}
	return out, nil
}

// DeliveryID is the id of the delivery of an event to an endpoint.
func DeliveryID(e domain.Recorded, endpointID string) string {
	return domain.DeriveID(domain.PrefixDelivery, e.Time, e.ID.String(), endpointID)
}

// Body writes the webhook body: exactly the four fields of the
// interface specification. URLs stay as they are, not HTML-escaped.
func Body(m Message, at domain.Time) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Event     string      `json:"event"`
		TestID    string      `json:"test_id"`
		Timestamp domain.Time `json:"timestamp"`
		Data      any         `json:"data"`
	}{m.Name, m.TestID, at, m.Data})
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}
