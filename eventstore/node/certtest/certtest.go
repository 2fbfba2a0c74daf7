// Package certtest makes certificates for tests of TLS.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Files are PEM files. Their places in the folder are those in which the
// official Go client's own tests look for them.
type Files struct {
	Cert, Key string // of localhost and 127.0.0.1
	CA        string // that has signed Cert
	Stranger  string // a CA that has signed nothing
}

// lifetime of the certificates, which serve one run of tests.
const lifetime = 24 * time.Hour

// Make writes certificates into a folder.
func Make(dir string) (Files, error) {
	authority := func(name string) *x509.Certificate {
		return &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	}
	ca, stranger := authority("CA of tests"), authority("CA that is not trusted")
	leaf := &x509.Certificate{
		Subject: pkix.Name{CommonName: "node"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	key, err := write(filepath.Join(dir, "ca", "ca"), ca, ca, nil)
	if err != nil {
		return Files{}, err
	}
	if _, err := write(filepath.Join(dir, "untrusted-ca", "ca"), stranger, stranger, nil); err != nil {
		return Files{}, err
	}
	if _, err := write(filepath.Join(dir, "node", "node"), leaf, ca, key); err != nil {
		return Files{}, err
	}
	return Files{
		Cert: filepath.Join(dir, "node", "node.crt"), Key: filepath.Join(dir, "node", "node.key"),
		CA: filepath.Join(dir, "ca", "ca.crt"), Stranger: filepath.Join(dir, "untrusted-ca", "ca.crt"),
	}, nil
}

// write makes path.crt and path.key, signed with an authority's key, or with
// its own when that is nil.
func write(path string, template, authority *x509.Certificate, by *ecdsa.PrivateKey) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if by == nil {
		by = key
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(lifetime)
	cert, err := x509.CreateCertificate(rand.Reader, template, authority, &key.PublicKey, by)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600); err != nil {
		return nil, err
	}
	return key, os.WriteFile(path+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)
}
