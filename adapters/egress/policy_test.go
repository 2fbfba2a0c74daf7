package egress

import (
	"context"
	"net/netip"
	"testing"

	"understudy/domain"
)

// spellings are addresses as an attacker, a browser or a resolver may write
// them, and what a policy without an allow-list makes of each.
var spellings = []struct {
	host string
	want domain.Code // "" passes
}{
	// Loopback, in every spelling that a browser takes.
	{"127.0.0.1", domain.CodeTargetNotAllowed},
	{"127.0.0.1.", domain.CodeTargetNotAllowed},
	{"127.1", domain.CodeTargetNotAllowed},
	{"127.0.1", domain.CodeTargetNotAllowed},
	{"127.255.255.254", domain.CodeTargetNotAllowed},
	{"2130706433", domain.CodeTargetNotAllowed},
	{"017700000001", domain.CodeTargetNotAllowed},
	{"0x7f000001", domain.CodeTargetNotAllowed},
	{"0X7F000001", domain.CodeTargetNotAllowed},
	{"0x7f.1", domain.CodeTargetNotAllowed},
	{"0x7f.0.0.1", domain.CodeTargetNotAllowed},
	{"0177.0.0.01", domain.CodeTargetNotAllowed},
	{"0177.0x0.0.1", domain.CodeTargetNotAllowed},
	{"00000177.0.0.1", domain.CodeTargetNotAllowed},
	{"127.0x", domain.CodeTargetNotAllowed}, // 0x alone is zero
	{"%31%32%37.0.0.1", domain.CodeTargetNotAllowed},
	{"127%2e0%2e0%2e1", domain.CodeTargetNotAllowed},
	{"１２７.0.0.1", domain.CodeTargetNotAllowed},
	{"127。0。0。1", domain.CodeTargetNotAllowed},
	{"①②⑦.⓪.⓪.①", domain.CodeTargetNotAllowed},
	{"localhost", domain.CodeTargetNotAllowed},
	{"LOCALHOST.", domain.CodeTargetNotAllowed},
	{"app.localhost", domain.CodeTargetNotAllowed},
	{"ⓛocalhost", domain.CodeTargetNotAllowed},
	{"[::1]", domain.CodeTargetNotAllowed},
	{"[0:0:0:0:0:0:0:1]", domain.CodeTargetNotAllowed},
	{"[0000::0001]", domain.CodeTargetNotAllowed},
	{"[::ffff:127.0.0.1]", domain.CodeTargetNotAllowed},
	{"[::ffff:7f00:1]", domain.CodeTargetNotAllowed},
	{"[::FFFF:7F00:0001]", domain.CodeTargetNotAllowed},
	{"[::127.0.0.1]", domain.CodeTargetNotAllowed}, // IPv4-compatible
	{"[::ffff:0:127.0.0.1]", domain.CodeTargetNotAllowed},
	{"[64:ff9b::7f00:1]", domain.CodeTargetNotAllowed},
	{"[64:ff9b::127.0.0.1]", domain.CodeTargetNotAllowed},
	{"[64:ff9b:1::7f00:1]", domain.CodeTargetNotAllowed},
	{"[2002:7f00:1::]", domain.CodeTargetNotAllowed},
	{"[2002:7f00:1::1]", domain.CodeTargetNotAllowed},
	{"[2001:0:4136:e378:8000:63bf:80ff:fffe]", domain.CodeTargetNotAllowed},
	// Unspecified and "this network", which the kernel takes for loopback.
	{"0", domain.CodeTargetNotAllowed},
	{"0x0", domain.CodeTargetNotAllowed},
	{"0.0.0.0", domain.CodeTargetNotAllowed},
	{"0.1.2.3", domain.CodeTargetNotAllowed},
	{"[::]", domain.CodeTargetNotAllowed},
	{"[::ffff:0.0.0.0]", domain.CodeTargetNotAllowed},
	// Private and shared ranges, first and last address of each.
	{"10.0.0.0", domain.CodeTargetNotAllowed},
	{"10.255.255.255", domain.CodeTargetNotAllowed},
	{"167772161", domain.CodeTargetNotAllowed},
	{"012.1.2.3", domain.CodeTargetNotAllowed},
	{"172.16.0.1", domain.CodeTargetNotAllowed},
	{"172.31.255.255", domain.CodeTargetNotAllowed},
	{"192.168.0.1", domain.CodeTargetNotAllowed},
	{"192.168.1", domain.CodeTargetNotAllowed},
	{"0xc0a80001", domain.CodeTargetNotAllowed},
	{"100.64.0.1", domain.CodeTargetNotAllowed},
	{"100.127.255.255", domain.CodeTargetNotAllowed},
	{"[fc00::1]", domain.CodeTargetNotAllowed},
	{"[fdff:ffff::1]", domain.CodeTargetNotAllowed},
	{"[fec0::1]", domain.CodeTargetNotAllowed},
	{"[::ffff:10.0.0.1]", domain.CodeTargetNotAllowed},
	{"[64:ff9b::a00:1]", domain.CodeTargetNotAllowed},
	{"[2002:a00:1::1]", domain.CodeTargetNotAllowed},
	// Link-local, and the metadata services of the clouds.
	{"169.254.0.1", domain.CodeTargetNotAllowed},
	{"169.254.169.254", domain.CodeTargetNotAllowed},
	{"169.254.170.2", domain.CodeTargetNotAllowed},
	{"2852039166", domain.CodeTargetNotAllowed},
	{"0xa9fea9fe", domain.CodeTargetNotAllowed},
	{"0251.0376.0251.0376", domain.CodeTargetNotAllowed},
	{"169.16689662", domain.CodeTargetNotAllowed},
	{"[::ffff:a9fe:a9fe]", domain.CodeTargetNotAllowed},
	{"[64:ff9b::a9fe:a9fe]", domain.CodeTargetNotAllowed},
	{"[fe80::1]", domain.CodeTargetNotAllowed},
	{"[febf::1]", domain.CodeTargetNotAllowed},
	{"[fd00:ec2::254]", domain.CodeTargetNotAllowed},
	{"[fd20:ce::254]", domain.CodeTargetNotAllowed},
	{"100.100.100.200", domain.CodeTargetNotAllowed},
	{"192.0.0.192", domain.CodeTargetNotAllowed},
	{"168.63.129.16", domain.CodeTargetNotAllowed},
	// Multicast, reserved, benchmarking, documentation, broadcast.
	{"224.0.0.1", domain.CodeTargetNotAllowed},
	{"239.255.255.255", domain.CodeTargetNotAllowed},
	{"240.0.0.1", domain.CodeTargetNotAllowed},
	{"255.255.255.255", domain.CodeTargetNotAllowed},
	{"4294967295", domain.CodeTargetNotAllowed},
	{"198.18.0.1", domain.CodeTargetNotAllowed},
	{"192.0.2.1", domain.CodeTargetNotAllowed},
	{"198.51.100.1", domain.CodeTargetNotAllowed},
	{"203.0.113.1", domain.CodeTargetNotAllowed},
	{"192.88.99.1", domain.CodeTargetNotAllowed},
	{"[ff02::1]", domain.CodeTargetNotAllowed},
	{"[100::1]", domain.CodeTargetNotAllowed},
	{"[2001:db8::1]", domain.CodeTargetNotAllowed},
	{"[3fff::1]", domain.CodeTargetNotAllowed},
	{"[5f00::1]", domain.CodeTargetNotAllowed},
	// The public internet, close to the edges of the denied ranges.
	{"9.255.255.255", ""},
	{"11.0.0.0", ""},
	{"100.63.255.255", ""},
	{"100.128.0.0", ""},
	{"126.255.255.255", ""},
	{"128.0.0.1", ""},
	{"172.15.255.255", ""},
	{"172.32.0.0", ""},
	{"192.167.255.255", ""},
	{"223.255.255.255", ""},
	{"8.8.8.8", ""},
	{"134744072", ""},
	{"010.8.8.8", ""}, // octal: 8.8.8.8, not 10.8.8.8
	{"[2606:4700::1111]", ""},
	{"[::ffff:8.8.8.8]", ""},
	{"[64:ff9b::808:808]", ""},
	// What no browser takes for a host.
	{"", domain.CodeValidationFailed},
	{".", domain.CodeValidationFailed},
	{"a..b", domain.CodeValidationFailed},
	{"256.0.0.1", domain.CodeValidationFailed},
	{"127.0.0.256", domain.CodeValidationFailed},
	{"127.0.0.0.1", domain.CodeValidationFailed},
	{"127..1", domain.CodeValidationFailed},
	{"4294967296", domain.CodeValidationFailed},
	{"0x100000000", domain.CodeValidationFailed},
	{"08.8.8.8", domain.CodeValidationFailed},
	{"example.09", domain.CodeValidationFailed},
	{"1.2.3.0xg", ""}, // a name: its last label is no number
	{"[::1", domain.CodeValidationFailed},
	{"[127.0.0.1]", domain.CodeValidationFailed},
	{"[fe80::1%25eth0]", domain.CodeValidationFailed},
	{"[::g]", domain.CodeValidationFailed},
	{"::1", domain.CodeValidationFailed},
	{"exa mple.com", domain.CodeValidationFailed},
	{"exa%20mple.com", domain.CodeValidationFailed},
	{"127.0.0.1%00.example.com", domain.CodeValidationFailed},
	{"a%zz.com", domain.CodeValidationFailed},
	{"a<b.com", domain.CodeValidationFailed},
	{"xn--\u00fc.com", domain.CodeValidationFailed},
}

func TestEverySpellingOfAnAddressIsJudgedByTheAddress(t *testing.T) {
	t.Parallel()
	p := NewPolicy(nil)
	p.Resolver = deadResolver(t)
	for _, s := range spellings {
		t.Run(s.host, func(t *testing.T) {
			t.Parallel()
			for _, raw := range []string{"http://" + s.host, "https://" + s.host + ":8443/a?b=c#d"} {
				if got := domain.CodeOf(p.CheckURL(t.Context(), raw)); got != s.want {
					t.Errorf("CheckURL(%q) = %q, want %q", raw, got, s.want)
				}
			}
		})
	}
}

func TestURLsThatNoBrowserShouldBeGiven(t *testing.T) {
	t.Parallel()
	p := NewPolicy(nil)
	for raw, ok := range map[string]bool{
		"http://8.8.8.8":                     true,
		"  HTTPS://8.8.8.8/  ":               true,
		"http://8.8.8.8:80/100%/x y?q=%zz#f": true,
		"http://8.8.8.8:/":                   true,
		"http://8.8.8.8:65535":               true,
		"http://8.8.8.8:65536":               false,
		"http://8.8.8.8:-1":                  false,
		"http://8.8.8.8:0":                   false,
		"http://8.8.8.8:25":                  false,
		"http://8.8.8.8:6667":                false,
		"http://8.8.8.8:http":                false,
		"http://user@8.8.8.8":                false,
		"http://user:secret@8.8.8.8":         false,
		"http://8.8.8.8@127.0.0.1":           false,
		`http://8.8.8.8\@127.0.0.1`:          false,
		`http:\\8.8.8.8`:                     false,
		"http:8.8.8.8":                       false,
		"http:///8.8.8.8":                    false,
		"//8.8.8.8":                          false,
		"8.8.8.8":                            false,
		"":                                   false,
		"ht\ttp://8.8.8.8":                   false,
		"http://8.8.8.8/\r\nHost: internal":  false,
		"ftp://8.8.8.8":                      false,
		"file:///etc/passwd":                 false,
		"chrome://settings":                  false,
		"javascript:alert(1)":                false,
		"data:text/html,x":                   false,
		"view-source:http://8.8.8.8":         false,
		"gopher://8.8.8.8":                   false,
		"http://8.8.8.8/" + string(make([]byte, maxURL)): false,
	} {
		err := p.CheckURL(t.Context(), raw)
		want := domain.CodeValidationFailed
		if ok {
			want = ""
		}
		if got := domain.CodeOf(err); got != want {
			t.Errorf("CheckURL(%q) = %v, want code %q", raw, err, want)
		}
	}
}

func TestAllowedPrefixesAreAddedAndNothingElseOpens(t *testing.T) {
	t.Parallel()
	p := NewPolicy([]netip.Prefix{
		netip.MustParsePrefix("127.0.0.1/8"), // host bits are ignored
		netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("::ffff:10.1.0.0/112"),
		netip.MustParsePrefix("fd12::/16"),
	})
	for raw, want := range map[string]domain.Code{
		"http://127.0.0.1:8080":            "",
		"http://2130706433":                "",
		"http://localhost:3000":            "",
		"http://shop.localhost":            "",
		"http://[::1]:8080":                "",
		"http://[::ffff:127.0.0.1]":        "",
		"http://10.1.2.3":                  "",
		"http://[fd12::5]":                 "",
		"http://8.8.8.8":                   "",
		"http://10.2.0.1":                  domain.CodeTargetNotAllowed,
		"http://192.168.0.1":               domain.CodeTargetNotAllowed,
		"http://169.254.169.254":           domain.CodeTargetNotAllowed,
		"http://0.0.0.0":                   domain.CodeTargetNotAllowed,
		"http://[fd13::1]":                 domain.CodeTargetNotAllowed,
		"http://[64:ff9b::7f00:1]":         domain.CodeTargetNotAllowed,
		"http://[2002:7f00:1::1]":          domain.CodeTargetNotAllowed,
		"http://[::127.0.0.1]":             domain.CodeTargetNotAllowed,
		"http://[fd00:ec2::254]/meta-data": domain.CodeTargetNotAllowed,
	} {
		if got := domain.CodeOf(p.CheckURL(t.Context(), raw)); got != want {
			t.Errorf("CheckURL(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestZonesDoNotHideAnAddress(t *testing.T) {
	t.Parallel()
	closed := NewPolicy(nil)
	open := NewPolicy([]netip.Prefix{netip.MustParsePrefix("fe80::/10")})
	for _, s := range []string{"fe80::1%eth0", "::1%lo", "2001:db8::1%eth0", "::ffff:127.0.0.1%lo"} {
		if closed.CheckAddr(netip.MustParseAddr(s)) == nil {
			t.Errorf("%s passes", s)
		}
	}
	if err := open.CheckAddr(netip.MustParseAddr("fe80::1%eth0")); err != nil {
		t.Errorf("an allowed link-local address with a zone: %v", err)
	}
	if closed.CheckAddr(netip.Addr{}) == nil {
		t.Error("the zero address passes")
	}
}

func TestARefusalSaysWhichFieldAndNotWhichAddress(t *testing.T) {
	t.Parallel()
	names := startDNS(t)
	names.answer("intranet.example.", "10.20.30.40")
	p := NewPolicy(nil)
	p.Resolver = names.resolver()
	err := p.CheckURL(t.Context(), "http://intranet.example/")
	var refusal *domain.Error
	if !asRefusal(err, &refusal) || len(refusal.Fields) != 1 || refusal.Fields[0].Field != "url" {
		t.Fatalf("refusal = %#v", err)
	}
	if want := "intranet.example is a private address, which this installation does not connect to"; refusal.Message != want {
		t.Errorf("message = %q, want %q", refusal.Message, want)
	}
}

func TestANameThatDoesNotResolvePasses(t *testing.T) {
	t.Parallel()
	names := startDNS(t)
	p := NewPolicy(nil)
	p.Resolver = names.resolver()
	if err := p.CheckURL(t.Context(), "https://no-such-name.example/"); err != nil {
		t.Errorf("unknown name: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.CheckURL(ended, "https://no-such-name.example/"); err != nil {
		t.Errorf("look-up that ended: %v", err)
	}
}

func TestOnePrivateAddressAmongPublicOnesIsEnough(t *testing.T) {
	t.Parallel()
	names := startDNS(t)
	names.answer("mixed.example.", "93.184.216.34", "192.168.7.7")
	p := NewPolicy(nil)
	p.Resolver = names.resolver()
	if got := domain.CodeOf(p.CheckURL(t.Context(), "http://mixed.example")); got != domain.CodeTargetNotAllowed {
		t.Errorf("code = %q", got)
	}
}
