package egress

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"testing"
)

// TestReportsLeadNowhere: what an answer wants to be told of (Reporting, errors in the network,
// violations of its policy) a browser may tell where the answer says, if that came over an
// encrypted connection without a fault. Chromium, as it is driven here, tells nobody.
func TestReportsLeadNowhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	server := startTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := "https://127.0.0.1:" + strconv.Itoa(l.canary.port) + "/reporting"
		h := w.Header()
		h.Set("Reporting-Endpoints", `default="`+to+`"`)
		h.Set("Report-To", `{"group":"default","max_age":60,"endpoints":[{"url":"`+to+`"}]}`)
		h.Set("NEL", `{"report_to":"default","max_age":60,"success_fraction":1,"failure_fraction":1}`)
		h.Set("Content-Security-Policy", "img-src 'none'; report-to default")
		h.Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>reports</title><img src=/forbidden><script>
			fetch("/again"); fetch("/again")
			setTimeout(() => fetch("http://%s:%s/done", {mode: "no-cors"}), 5000)</script>`, allowedAddr, l.site.port)
	}))
	key := sha256.Sum256(server.Certificate().RawSubjectPublicKeyInfo)
	telling := trusting(t, "--short-reporting-delay --ignore-certificate-errors-spki-list="+base64.StdEncoding.EncodeToString(key[:]))
	n := walkIn(t, telling, l, l.policy(false), append(l.sites(), server.URL), nothing, server.URL+"/all-reports")
	if n != 0 {
		t.Errorf("%d reports were on their way", n)
	}
	l.canary.untouched()
}
