package httpapi

import (
	"fmt"

	"github.com/labstack/echo/v4"
)

// GetAuditHead answers with the newest signed head of the log.
func (a *api) GetAuditHead(c echo.Context) error {
	head, err := a.Audit.Head(c.Request().Context())
	if err != nil {
		return err
	}
	return sendJSON(c, head)
}

// GetAuditProof proves that an event is in the log.
func (a *api) GetAuditProof(c echo.Context, params GetAuditProofParams) error {
	ctx := c.Request().Context()
	if err := a.checkSize(c, "size", params.Size); err != nil {
		return err
	}
	proof, err := a.Audit.Proof(ctx, callOf(c).principal, params.Stream, uint64(params.Revision), params.Size)
	if err != nil {
		return err
	}
	return sendJSON(c, proof)
}

// GetAuditConsistency proves that the log has only grown.
func (a *api) GetAuditConsistency(c echo.Context, params GetAuditConsistencyParams) error {
	if err := a.checkSize(c, "to", params.To); err != nil {
		return err
	}
	if params.To == 0 {
		if err := a.checkSize(c, "from", params.From); err != nil {
			return err
		}
	} else if params.From > params.To {
		return invalid([]fieldFault{{Parameter: "from", Code: "too_large", Message: "from must not be larger than to"}})
	}
	proof, err := a.Audit.Consistency(c.Request().Context(), params.From, params.To)
	if err != nil {
		return err
	}
	return sendJSON(c, proof)
}

// checkSize refuses a size that no head has yet.
func (a *api) checkSize(c echo.Context, parameter string, size int64) error {
	if size == 0 {
		return nil
	}
	head, err := a.Audit.Head(c.Request().Context())
	if err != nil {
		return err
	}
	if size > head.Size {
		return invalid([]fieldFault{{Parameter: parameter, Code: "too_large",
			Message: fmt.Sprintf("%s must be at most %d, the size of the newest signed head", parameter, head.Size)}})
	}
	return nil
}
