package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"

	"understudy/adapters/service"
	"understudy/domain"
)

// keyOf names what a form asks for: the same when it is sent twice, another once
// anything but its secret values has changed.
func keyOf(kind string, form url.Values) string {
	told := maps.Clone(form)
	told.Del("value")
	sum := sha256.Sum256([]byte(told.Encode()))
	return kind + " " + hex.EncodeToString(sum[:])
}

// once is the id of what a form makes by a call, and the call: the same ones however often the
// form is sent, by a second click or by loading its answer again. A form is told from others
// of the same content by its draft.
func (d *Dashboard) once(r *http.Request, call service.Call, prefix string) (service.Call, string, error) {
	id := newID(prefix)
	if !r.PostForm.Has("draft") {
		return call, id, nil
	}
	id, err := d.Once(r.Context(), call.Principal, keyOf(r.URL.Path, r.PostForm), id)
	call.CommandID = domain.DeriveUUID("request", id)
	return call, id, err
}

// madeBefore goes on to what a form has made when it was sent before, where err says so: a
// secret is shown only once.
func (d *Dashboard) madeBefore(w http.ResponseWriter, r *http.Request, to string, err error) bool {
	if domain.CodeOf(err) != domain.CodeConflict {
		return false
	}
	d.goOn(w, r, to, "This form was sent before; it has made one, whose secret was shown then. If you did not keep it, rotate it.")
	return true
}
