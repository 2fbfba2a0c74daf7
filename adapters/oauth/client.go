package oauth

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// bodyOf reads a form or a JSON object of texts. What is in the address is refused:
// addresses are logged and remembered (RFC 9700, 4.3.2).
func bodyOf(r *http.Request) (map[string]string, *failure) {
	if r.URL.RawQuery != "" {
		return nil, &failure{invalidRequest, "parameters belong into the body, not into the address"}
	}
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &failure{invalidRequest, "the body is too large"}
	case err != nil:
		return nil, &failure{invalidRequest, "the body cannot be read"}
	}
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch mediaType {
	case "application/x-www-form-urlencoded":
		return formOf(body)
	case "application/json":
		return objectOf(body)
	}
	return nil, &failure{invalidRequest, "Content-Type must be application/x-www-form-urlencoded or application/json"}
}

func formOf(body []byte) (map[string]string, *failure) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, &failure{invalidRequest, "the form cannot be read"}
	}
	in := map[string]string{}
	for name, values := range form {
		if len(values) > 1 {
			return nil, &failure{invalidRequest, "a parameter is there twice: " + printable(name)}
		}
		in[name] = values[0]
	}
	return in, nil
}

func objectOf(body []byte) (map[string]string, *failure) {
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	unreadable := &failure{invalidRequest, "the body must be a JSON object of texts"}
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, unreadable
	}
	in := map[string]string{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, unreadable
		}
		key, _ := name.(string) // keys are texts
		var value *string
		if err := decoder.Decode(&value); err != nil {
			return nil, unreadable
		}
		if _, again := in[key]; again {
			return nil, &failure{invalidRequest, "a member is there twice: " + printable(key)}
		}
		if in[key] = ""; value != nil {
			in[key] = *value
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, unreadable
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, unreadable
	}
	return in, nil
}

// credentials are the client's id and secret, by client_secret_basic,
// client_secret_post or none. More than one way at once is refused.
func credentials(r *http.Request, in map[string]string) (id, secret string, fault *failure) {
	id, secret = in["client_id"], in["client_secret"]
	for _, name := range []string{"client_assertion", "client_assertion_type"} {
		if in[name] != "" {
			return "", "", &failure{invalidClient, "client assertions are not supported"}
		}
	}
	header := r.Header.Get("Authorization")
	if header == "" {
		if id == "" {
			return "", "", &failure{invalidClient, "client_id is missing"}
		}
		return id, secret, nil
	}
	user, password, ok := r.BasicAuth()
	if !ok {
		return "", "", &failure{invalidClient, "the Authorization header must be Basic"}
	}
	// RFC 6749, 2.3.1: both are encoded like the values of a form.
	headerID, err := url.QueryUnescape(user)
	headerSecret, err2 := url.QueryUnescape(password)
	switch {
	case err != nil || err2 != nil:
		return "", "", &failure{invalidClient, "the Authorization header cannot be read"}
	case secret != "":
		return "", "", &failure{invalidRequest, "the client authenticates in two ways at once"}
	case id != "" && id != headerID:
		return "", "", &failure{invalidRequest, "client_id is another than that of the Authorization header"}
	case headerSecret == "":
		return "", "", &failure{invalidClient, "the Authorization header has no secret"}
	}
	return headerID, headerSecret, nil
}
