package node

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node/engine"
)

// Keys and values of the protocol's system metadata.
const (
	metaType        = "type"
	metaCreated     = "created"
	metaContentType = "content-type"
	contentJSON     = "application/json"
	contentBinary   = "application/octet-stream"
)

// proposed is what Append and BatchAppend send of an event.
type proposed interface {
	GetId() *shared.UUID
	GetMetadata() map[string]string
	GetCustomMetadata() []byte
	GetData() []byte
}

func newEvent(p proposed) (engine.NewEvent, error) {
	id, err := eventID(p.GetId())
	if err != nil {
		return engine.NewEvent{}, err
	}
	kind, ok := p.GetMetadata()[metaType]
	if !ok {
		return engine.NewEvent{}, missingProperty(metaType)
	}
	content, ok := p.GetMetadata()[metaContentType]
	if !ok {
		return engine.NewEvent{}, missingProperty(metaContentType)
	}
	return engine.NewEvent{
		ID:       id,
		Type:     kind,
		JSON:     content == contentJSON,
		Data:     p.GetData(),
		Metadata: p.GetCustomMetadata(),
	}, nil
}

func missingProperty(name string) error {
	return status.Errorf(codes.InvalidArgument, "required metadata property %q is missing", name)
}

func eventID(id *shared.UUID) ([16]byte, error) {
	switch v := id.GetValue().(type) {
	case *shared.UUID_Structured_:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], uint64(v.Structured.GetMostSignificantBits()))
		binary.BigEndian.PutUint64(b[8:], uint64(v.Structured.GetLeastSignificantBits()))
		return b, nil
	case *shared.UUID_String_:
		u, err := uuid.Parse(v.String_)
		if err != nil {
			return [16]byte{}, status.Errorf(codes.InvalidArgument, "event id: %v", err)
		}
		return u, nil
	default:
		return [16]byte{}, status.Error(codes.InvalidArgument, "an event has no id")
	}
}

func protoID(id [16]byte, asString bool) *shared.UUID {
	if asString {
		return &shared.UUID{Value: &shared.UUID_String_{String_: uuid.UUID(id).String()}}
	}
	return &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{
		MostSignificantBits:  int64(binary.BigEndian.Uint64(id[:8])),
		LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
	}}}
}

func protoEvent(ev engine.Event, idAsString bool) *streams.ReadResp {
	content := contentBinary
	if ev.JSON {
		content = contentJSON
	}
	return &streams.ReadResp{Content: &streams.ReadResp_Event{Event: &streams.ReadResp_ReadEvent{
		Event: &streams.ReadResp_ReadEvent_RecordedEvent{
			Id:               protoID(ev.ID, idAsString),
			StreamIdentifier: streamIdentifier(ev.Stream),
			StreamRevision:   uint64(ev.Revision),
			CommitPosition:   ev.Position,
			PreparePosition:  ev.Position,
			Metadata: map[string]string{
				metaType:        ev.Type,
				metaCreated:     strconv.FormatInt(engine.Ticks(ev.Created), 10),
				metaContentType: content,
			},
			CustomMetadata: ev.Metadata,
			Data:           ev.Data,
		},
		Position: &streams.ReadResp_ReadEvent_CommitPosition{CommitPosition: ev.Position},
	}}}
}

func streamIdentifier(name string) *shared.StreamIdentifier {
	return &shared.StreamIdentifier{StreamName: []byte(name)}
}

// exact turns a revision of the protocol into an expectation.
func exact(revision uint64) (engine.Expected, error) {
	if revision > math.MaxInt64 {
		return 0, status.Errorf(codes.InvalidArgument, "revision %d is out of range", revision)
	}
	return engine.Expected(revision), nil
}
