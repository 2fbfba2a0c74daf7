package egress

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

// TestACertificateSendsNobodyElsewhere: the certificate of a site says where its issuer's and
// its revocation are to be had, and browsers may go there by themselves.
func TestACertificateSendsNobodyElsewhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	at := "http://127.0.0.1:" + strconv.Itoa(l.canary.port)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "site"}, Issuer: pkix.Name{CommonName: "elsewhere"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.ParseIP(allowedAddr)},
		IssuingCertificateURL: []string{at + "/aia"}, OCSPServer: []string{at + "/ocsp"}, CRLDistributionPoints: []string{at + "/crl"},
	}
	issuer := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "elsewhere"}, IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, leaf, issuer, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", allowedAddr+":0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 100)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") }))
	_ = server.Listener.Close()
	server.Listener = listener
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			asked <- struct{}{}
			return nil, nil //nolint:nilnil // the server's own
		},
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	address := "https://" + listener.Addr().String()
	if n := walk(t, l, l.policy(false), []string{address}, nothing, address+"/"); n == 0 {
		t.Error("the browser did not look for the issuer: this test shows nothing")
	}
	if len(asked) == 0 {
		t.Error("nobody has seen the certificate")
	}
	l.canary.untouched()
}
