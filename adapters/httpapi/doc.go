// Package httpapi is the REST interface under /v1. openapi.yaml, written by
// hand, is the one source of its routes, request types, bounds and defaults; who
// may call what stands in access.Operations; the handlers are thin and speak to small ports that cmd implements.
package httpapi

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml openapi.yaml
