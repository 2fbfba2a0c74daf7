package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
)

// Contract is the interface's document, for front doors that take what it takes in
// another form.
type Contract struct{ document *document }

// NewContract reads the document, with the addresses of this installation.
func NewContract(links *Links) (*Contract, error) {
	doc, err := loadDocument(links.base)
	return &Contract{doc}, err
}

// JSON is the document as it is served.
func (c *Contract) JSON() []byte { return c.document.json }

// Test reads the body of a POST /tests. What the document does not allow is refused as
// there, field by field.
func (c *Contract) Test(body map[string]any) (service.NewTest, error) {
	raw, err := c.read("POST /v1/tests", body)
	if err != nil {
		return service.NewTest{}, err
	}
	var request NewTest
	if err := json.Unmarshal(raw, &request); err != nil {
		return service.NewTest{}, fmt.Errorf("a body that its schema takes: %w", err)
	}
	return request.asked(), nil
}

// read checks an operation's body and completes it by its defaults.
func (c *Contract) read(operation string, body map[string]any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	value, err := parseJSON(raw)
	if err != nil {
		return nil, domain.Refuse(domain.CodeValidationFailed, "%s", err.Error())
	}
	rule := c.document.operations[operation].body
	var fields []domain.FieldError
	for _, f := range c.document.bodyFaults(rule, value) {
		at := strings.ReplaceAll(strings.TrimPrefix(f.Pointer, "/"), "/", ".")
		fields = append(fields, domain.FieldError{Field: at, Code: f.Code, Message: f.Message})
	}
	if len(fields) > 0 {
		return nil, &domain.Error{Code: domain.CodeValidationFailed, Message: fields[0].Message, Fields: fields}
	}
	return json.Marshal(rule.completed(value))
}
