package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Certificates are looked at when ranks connect, and clocks of hosts differ.
const (
	validBefore = time.Hour
	validAfter  = 365 * 24 * time.Hour
)

// Authority makes the identities of a job. It lives in the launcher's memory alone.
type Authority struct {
	size   int
	key    ed25519.PrivateKey
	cert   *x509.Certificate
	secret [secretBytes]byte
	made   time.Time
}

// NewAuthority is an authority for a job of size ranks, 1 to dimmnet.MaxNodes.
func NewAuthority(size int) (*Authority, error) {
	if size < 1 || size > dimmnet.MaxNodes {
		return nil, fmt.Errorf("identity: a job of %d ranks: want 1 to %d", size, dimmnet.MaxNodes)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	a := &Authority{size: size, key: private, made: time.Now()}
	_, _ = rand.Read(a.secret[:]) // which cannot fail
	template := a.template("fagus job")
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return a, nil
}

// Issue makes the identity of a rank.
func (a *Authority) Issue(rank dimmnet.Rank) (*Identity, error) {
	if int(rank) >= a.size {
		return nil, fmt.Errorf("identity: rank %d of %d", rank, a.size)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	template := a.template(fmt.Sprintf("fagus rank %d of %d", rank, a.size))
	template.DNSNames = []string{name(rank, a.size)}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return newIdentity(der, private, a.cert.Raw, a.secret)
}

func (a *Authority) template(common string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(fmt.Sprintf("identity: no random number: %v", err)) // crypto/rand ends the program before
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: common},
		NotBefore:    a.made.Add(-validBefore),
		NotAfter:     a.made.Add(validAfter),
	}
}

// name is what the certificate of a rank says.
func name(rank dimmnet.Rank, size int) string { return fmt.Sprintf("rank-%d-of-%d.fagus", rank, size) }

// unname reads a name.
func unname(s string) (rank dimmnet.Rank, size int, err error) {
	var r int
	if _, err := fmt.Sscanf(s, "rank-%d-of-%d.fagus", &r, &size); err != nil || r < 0 || r >= size || size > dimmnet.MaxNodes || name(dimmnet.Rank(r), size) != s {
		return 0, 0, fmt.Errorf("identity: a certificate for %q, which is no rank", s)
	}
	return dimmnet.Rank(r), size, nil
}
