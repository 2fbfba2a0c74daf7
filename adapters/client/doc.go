// Package client is a client of Understudy's REST interface: one method for each
// operation of the OpenAPI document, which its types and methods are generated from.
//
//	c, err := client.New("http://127.0.0.1:8080/v1", key)
//	made, err := c.CreateTestWithResponse(ctx, nil, client.NewTest{URL: address, Task: task})
//	test := made.JSON201
//
// What the service refuses is an [*Error], so that an answer without an error is
// the one that the document promises. Requests that the service could not take are
// sent again; each POST has an Idempotency-Key, so that its work is done once.
// [Pages] walks a list, [Client.Watch] a test's stream.
package client

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../httpapi/openapi.yaml
