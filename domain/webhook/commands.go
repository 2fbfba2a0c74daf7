package webhook

import "understudy/domain"

// Command is a wish to an endpoint's stream.
//
//sumtype:decl
type Command interface{ webhookCommand() }

// Register makes the endpoint.
type Register struct{ Webhook Registered }

// RecordDelivery tells how a delivery to the endpoint ended.
type RecordDelivery struct {
	DeliveryID string
	Delivered  bool
	Now        domain.Time
}

// Change sets what it has; nil leaves it as it is.
type Change struct {
	URL *string
	// Events is empty for all events.
	Events *[]string
	Now    domain.Time
}

// Pause keeps deliveries from an endpoint until it is enabled.
type Pause struct{ Now domain.Time }

// Enable lets deliveries go to a disabled endpoint again.
type Enable struct{ Now domain.Time }

// RotateSecret puts a second secret, as ciphertext, beside the one in force.
type RotateSecret struct {
	RotationID string
	Secret     string
	Now        domain.Time
}

// PromoteSecret ends a rotation: the new secret is the only one.
type PromoteSecret struct{ Now domain.Time }

// RequestReplay asks for the deliveries of a time again.
type RequestReplay struct {
	ReplayID string
	From, To domain.Time
	Which    Which
	Now      domain.Time
}

// Delete removes the endpoint.
type Delete struct{ Now domain.Time }

func (Register) webhookCommand()       {}
func (RecordDelivery) webhookCommand() {}
func (Change) webhookCommand()         {}
func (Pause) webhookCommand()          {}
func (Enable) webhookCommand()         {}
func (RotateSecret) webhookCommand()   {}
func (PromoteSecret) webhookCommand()  {}
func (RequestReplay) webhookCommand()  {}
func (Delete) webhookCommand()         {}
