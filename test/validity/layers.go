package validity

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// layers are what many sites put over their pages on a first visit: a question
// about cookies and an offer, each until it is answered.
const layers = `
<div id="offer" role="dialog" aria-modal="true" aria-labelledby="offer-title" style="position:fixed;inset:0;z-index:50;background:#0008">
<div style="background:#fff;color:#222;margin:12vh auto;max-width:340px;padding:24px"><button aria-label="Close" style="float:right;width:32px;height:32px">×</button>
<h2 id="offer-title">Ten per cent off</h2><p>Join our newsletter and hear of offers first.</p>
<form><label>Email <input type="email" name="offer-email"></label> <button type="button">Join the list</button></form></div></div>
<div id="consent" style="position:fixed;left:0;right:0;bottom:0;z-index:60;background:#222;color:#fff;padding:16px">
<p style="color:#fff">We use cookies to measure how this page is used.</p>
<button style="padding:10px">Accept all</button> <button style="padding:10px">Only necessary</button></div>
<script>
for (const id of ['offer', 'consent']) {
  const layer = document.getElementById(id);
  if (sessionStorage[id]) { layer.remove(); continue; }
  for (const b of layer.querySelectorAll('button')) {
    if (b.textContent !== 'Join the list') b.addEventListener('click', () => { sessionStorage[id] = 'gone'; layer.remove(); });
  }
}
</script>`

// interrupted puts the layers over every page of a site.
func interrupted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		body := answer.Body.String()
		if strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
			body = strings.Replace(body, "</body>", layers+"</body>", 1)
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(answer.Code)
		_, _ = w.Write([]byte(body)) // a failed write means that the client has gone
	})
}
