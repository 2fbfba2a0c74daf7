package oauth

import (
	"net/http"

	"understudy/domain/access"
)

// metadata tells clients what there is (RFC 8414).
func (d *door) metadata(w http.ResponseWriter, _ *http.Request) {
	methods := []string{"client_secret_basic", "client_secret_post", "none"}
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Del("Pragma")
	d.send(w, http.StatusOK, map[string]any{
		"issuer":                                         d.Issuer,
		"authorization_endpoint":                         d.Issuer + authorizePath,
		"token_endpoint":                                 d.Issuer + tokenPath,
		"revocation_endpoint":                            d.Issuer + revokePath,
		"scopes_supported":                               access.Scopes,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported":          methods,
		"revocation_endpoint_auth_methods_supported":     methods,
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	})
}
