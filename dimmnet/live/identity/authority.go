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

// A certificate is valid from ValidBefore before its issue until validAfter after it. Ranks check
// this when they connect, and the clocks of their hosts differ.
const (
	ValidBefore = time.Hour
	validAfter  = 365 * 24 * time.Hour
)

// Authority issues the identities of a job. It exists only in the launcher's memory.
type Authority struct {
	size   int
	key    ed25519.PrivateKey
	cert   *x509.Certificate
	secret [secretBytes]byte
	made   time.Time
}

// NewAuthority returns an authority for a job of size ranks, 1 to dimmnet.MaxNodes.
func NewAuthority(size int) (*Authority, error) {
	if size < 1 || size > dimmnet.MaxNodes {
		return nil, fmt.Errorf("identity: creating an authority for %d ranks: want 1 to %d", size, dimmnet.MaxNodes)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("identity: generating the key of the authority: %w", err)
	}
	a := &Authority{size: size, key: private, made: time.Now()}
	_, _ = rand.Read(a.secret[:]) // never fails
	template := a.template("fagus job")
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return nil, fmt.Errorf("identity: creating the certificate of the authority: %w", err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("identity: parsing the certificate of the authority: %w", err)
	}
	return a, nil
}

// Issue returns a new identity for rank.
func (a *Authority) Issue(rank dimmnet.Rank) (*Identity, error) {
	if int(rank) >= a.size {
		return nil, fmt.Errorf("identity: issuing an identity for rank %d: the job has %d ranks", rank, a.size)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("identity: generating the key of a rank: %w", err)
	}
	template := a.template(fmt.Sprintf("fagus rank %d of %d", rank, a.size))
	template.DNSNames = []string{hostName(rank, a.size)}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key)
	if err != nil {
		return nil, fmt.Errorf("identity: creating the certificate of a rank: %w", err)
	}
	return newIdentity(der, private, a.cert.Raw, a.secret)
}

func (a *Authority) template(common string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(fmt.Sprintf("identity: reading a random number: %v", err)) // never happens
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: common},
		NotBefore:    a.made.Add(-ValidBefore),
		NotAfter:     a.made.Add(validAfter),
	}
}

func hostName(rank dimmnet.Rank, size int) string {
	return fmt.Sprintf("rank-%d-of-%d.fagus", rank, size)
}

func parseHostName(s string) (rank dimmnet.Rank, size int, err error) {
	var r int
	if _, err := fmt.Sscanf(s, "rank-%d-of-%d.fagus", &r, &size); err != nil || r < 0 || r >= size || size > dimmnet.MaxNodes || hostName(dimmnet.Rank(r), size) != s {
		return 0, 0, fmt.Errorf("identity: a certificate is for %q: want a rank, such as rank-0-of-4.fagus", s)
	}
	return dimmnet.Rank(r), size, nil
}
