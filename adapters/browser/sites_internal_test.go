package browser

import "testing"

func TestSecretsAreForTheTargetsSite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target, address string
		more            []string
		given           bool
	}{
		{"https://shop.example.com/a", "https://shop.example.com/b", nil, true},
		{"https://shop.example.com/", "https://login.example.com/", nil, true},
		{"https://shop.example.com/", "https://EXAMPLE.com:8443/", nil, true},
		{"http://shop.example.com/", "https://example.com/", nil, true},
		{"https://shop.example.com/", "http://shop.example.com/", nil, false},
		{"https://shop.example.com/", "https://example.com.evil.test/", nil, false},
		{"https://shop.example.com/", "https://evil.test/?https://shop.example.com/", nil, false},
		{"https://shop.example.com/", "https://shop.example.com@evil.test/", nil, false},
		{"https://me.github.io/", "https://you.github.io/", nil, false},
		{"https://a.co.uk/", "https://b.co.uk/", nil, false},
		{"http://127.0.0.1:80/", "http://127.0.0.1/", nil, true},
		{"http://127.0.0.1:8080/", "http://127.0.0.1:9090/", nil, false},
		{"http://10.0.0.1/", "http://20.0.0.1/", nil, false},
		{"http://localhost:3000/", "http://localhost:3001/", nil, false},
		{"https://shop.example.com/", "about:blank", nil, false},
		{"https://shop.example.com/", "data:text/html,x", nil, false},
		{"https://shop.example.com/", "https://id.test/login", []string{"https://id.test"}, true},
		{"https://shop.example.com/", "https://www.id.test/login", []string{"https://id.test"}, false},
		{"https://shop.example.com/", "http://id.test/login", []string{"https://id.test"}, false},
		{"https://shop.example.com/", "https://id.test:444/", []string{"https://id.test/"}, false},
	} {
		if got := entrusted(c.address, append([]string{c.target}, c.more...)); got != c.given {
			t.Errorf("for %s with %v, at %s: %v", c.target, c.more, c.address, got)
		}
	}
}
