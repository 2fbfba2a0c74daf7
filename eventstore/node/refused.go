package node

import (
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// instead says what to do without a service that EventStoreDB has and this
// node has not.
var instead = map[string]string{
	"event_store.client.persistent_subscriptions.": "this node serves no persistent subscriptions: follow a stream or $all with a catch-up subscription and keep its position",
	"event_store.client.projections.":              "this node runs no server-side projections: fold the events of a subscription in the client",
	"event_store.client.users.":                    "this node's users are set when it is started",
	"event_store.client.operations.":               "this node has no operations to call: it needs no scavenging, and SIGTERM stops it",
}

// refuse answers every call of a service that is not served.
func refuse(_ any, call grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(call)
	method = strings.TrimPrefix(method, "/")
	for service, why := range instead {
		if strings.HasPrefix(method, service) {
			return status.Error(codes.Unimplemented, why)
		}
	}
	return status.Errorf(codes.Unimplemented, "this node does not serve %s", method)
}
