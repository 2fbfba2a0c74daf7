package node

import (
	"regexp"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// defaultWindow is how many events are looked at in one go when the filter
// names no search window.
const defaultWindow = 32

// maxInterval bounds the events between two checkpoints.
const maxInterval = 1 << 20

// filter chooses events of $all on the server.
type filter struct {
	match func(stream, eventType string) bool
	// interval is after how many events looked at a checkpoint is due.
	interval int
}

func newFilter(o *streams.ReadReq_Options_FilterOptions) (*filter, error) {
	var expression *streams.ReadReq_Options_FilterOptions_Expression
	byStream := false
	switch v := o.GetFilter().(type) {
	case *streams.ReadReq_Options_FilterOptions_StreamIdentifier:
		expression, byStream = v.StreamIdentifier, true
	case *streams.ReadReq_Options_FilterOptions_EventType:
		expression = v.EventType
	default:
		return nil, status.Error(codes.InvalidArgument, "a filter is by stream name or by event type")
	}
	text, err := textMatch(expression)
	if err != nil {
		return nil, err
	}
	window := uint64(defaultWindow)
	if v, ok := o.GetWindow().(*streams.ReadReq_Options_FilterOptions_Max); ok {
		if v.Max == 0 {
			return nil, status.Error(codes.InvalidArgument, "a filter's search window is at least 1")
		}
		window = uint64(v.Max)
	}
	f := &filter{interval: int(min(maxInterval, window*uint64(max(1, o.GetCheckpointIntervalMultiplier()))))}
	f.match = func(_, eventType string) bool { return text(eventType) }
	if byStream {
		f.match = func(stream, _ string) bool { return text(stream) }
	}
	return f, nil
}

// textMatch compiles prefixes or a regular expression. Expressions are in
// RE2's syntax; those that need more than it shares with .NET's are refused.
func textMatch(x *streams.ReadReq_Options_FilterOptions_Expression) (func(string) bool, error) {
	prefixes := x.GetPrefix()
	switch {
	case len(prefixes) > 0 && x.GetRegex() != "":
		return nil, status.Error(codes.InvalidArgument, "a filter has prefixes or a regular expression, not both")
	case len(prefixes) > 0:
		return func(s string) bool {
			for _, p := range prefixes {
				if strings.HasPrefix(s, p) {
					return true
				}
			}
			return false
		}, nil
	case x.GetRegex() != "":
		re, err := regexp.Compile(x.GetRegex())
		if err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "the filter's regular expression is not supported: %v", err)
		}
		return re.MatchString, nil
	default:
		return nil, status.Error(codes.InvalidArgument, "a filter has prefixes or a regular expression")
	}
}
