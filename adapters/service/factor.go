package service

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"image/png"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"understudy/domain"
	"understudy/domain/user"
)

const (
	// recoveryCodes is how many there are, each good for once.
	recoveryCodes = 10
	// codePeriod is how long a code of a generator counts, in seconds; the one before
	// and the one after count, too, for clocks that are not right.
	codePeriod = 30
	// qrWidth is that of the picture to scan.
	qrWidth = 200
)

// NewFactor is a second factor that has yet to be confirmed.
type NewFactor struct {
	// Secret is for typing in, QR a picture (PNG) for scanning.
	Secret string
	QR     []byte
}

// NewFactor makes the secret of a generator of codes, or shows one that was made.
func (p *People) NewFactor(ctx context.Context, who Principal, secret string) (NewFactor, error) {
	profile, err := p.Profile(ctx, who.UserID)
	if err != nil {
		return NewFactor{}, err
	}
	if profile.Factor {
		return NewFactor{}, domain.Refuse(domain.CodeWrongState, "a second factor is set up already")
	}
	var key *otp.Key
	if secret == "" {
		key, err = totp.Generate(totp.GenerateOpts{Issuer: "Understudy", AccountName: profile.Email, Period: codePeriod})
	} else {
		key, err = otp.NewKeyFromURL("otpauth://totp/Understudy:" + profile.Email + "?issuer=Understudy&secret=" + secret)
	}
	if err != nil {
		return NewFactor{}, fmt.Errorf("second factor: %w", err)
	}
	image, err := key.Image(qrWidth, qrWidth)
	if err != nil {
		return NewFactor{}, fmt.Errorf("second factor: %w", err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image); err != nil {
		return NewFactor{}, fmt.Errorf("second factor: %w", err)
	}
	return NewFactor{Secret: key.Secret(), QR: picture.Bytes()}, nil
}

// EnableFactor asks for codes of a generator from now on, whose code shows that it is
// set up. It answers with the recovery codes, the only time; other sessions end.
func (p *People) EnableFactor(ctx context.Context, v Visit, who Principal, secret, code string) ([]string, error) {
	step, ok := stepOf(secret, code, time.Now())
	if !ok {
		return nil, domain.Invalid("code", "wrong", "this code is not the one that is shown now")
	}
	sealed, err := p.Subjects.Seal(ctx, who.UserID, placeFactor, secret)
	if err != nil {
		return nil, err
	}
	codes, hashes := make([]string, recoveryCodes), make([]string, recoveryCodes)
	for i := range codes {
		text := strings.ToLower(rand.Text()[:16]) // 80 bits
		codes[i], hashes[i] = text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:], hashOf(text)
	}
	meta, err := p.metaOf(ctx, v, who)
	if err != nil {
		return nil, err
	}
	_, err = toUser(ctx, p, v.of("enable"), who.UserID, user.EnableFactor{Secret: sealed, RecoveryHashes: hashes, Step: step, Kept: who.KeyID, Now: now()}, meta, done)
	return codes, err
}

// DisableFactor asks for no codes any longer, for somebody who knows the password.
func (p *People) DisableFactor(ctx context.Context, v Visit, who Principal, password string) error {
	state, err := p.loadUser(ctx, who.UserID)
	if err != nil {
		return err
	}
	if err := p.attempt(ctx, map[string]int{"change:" + who.UserID: freeByAccount}); err != nil {
		return err
	}
	ok, err := p.Passwords.Check(ctx, password, state.User.PasswordHash)
	if err != nil {
		return err
	}
	if !ok {
		return domain.Invalid("password", "wrong", "this is not your password")
	}
	meta, err := p.metaOf(ctx, v, who)
	if err != nil {
		return err
	}
	if _, err := toUser(ctx, p, v.of("disable"), who.UserID, user.DisableFactor{Now: now()}, meta, done); err != nil {
		return err
	}
	return p.Attempts.Clear(ctx, "change:"+who.UserID)
}

// SignInWithFactor finishes the entry of somebody whose password was checked against
// a hash, by a code of the generator or a recovery code. Each counts once.
func (p *People) SignInWithFactor(ctx context.Context, v Visit, userID, checked, code string) (Entry, error) {
	bucket := "factor:" + userID
	if err := p.attempt(ctx, map[string]int{bucket: freeByAccount}); err != nil {
		return Entry{}, err
	}
	state, err := p.loadUser(ctx, userID)
	if err != nil {
		return Entry{}, err
	}
	secret, err := p.Subjects.Open(ctx, userID, placeFactor, state.Secret)
	if err != nil {
		return Entry{}, err
	}
	in := user.SignIn{}
	text := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	if step, ok := stepOf(secret, text, time.Now()); ok {
		in.Step = step
	} else {
		in.RecoveryHash = hashOf(text)
	}
	entry, err := p.enterWith(ctx, v, Entry{UserID: userID, checked: checked}, in)
	if err != nil {
		if domain.CodeOf(err) == domain.CodeForbidden {
			p.failed(ctx, v, userID, "factor")
		}
		return Entry{}, err
	}
	return entry, p.Attempts.Clear(ctx, bucket)
}

// stepOf is the time step that a code is of, the one of now or one beside it.
func stepOf(secret, code string, at time.Time) (step int64, ok bool) {
	for _, around := range []time.Duration{0, -codePeriod * time.Second, codePeriod * time.Second} {
		when := at.Add(around)
		if valid, err := totp.ValidateCustom(code, secret, when, totp.ValidateOpts{Period: codePeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}); err == nil && valid {
			return when.Unix() / codePeriod, true
		}
	}
	return 0, false
}
