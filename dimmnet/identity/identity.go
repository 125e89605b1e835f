package identity

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	secretBytes = 32
	protocol    = "fagus/1" // what is spoken over TLS
)

// Identity is what a rank proves itself with. It is a secret of its process.
type Identity struct {
	rank   dimmnet.Rank
	size   int
	cert   tls.Certificate
	ca     []byte // in DER
	pool   *x509.CertPool
	secret [secretBytes]byte
}

// newIdentity checks that cert is of a rank, of this authority, and with this key.
func newIdentity(cert []byte, key ed25519.PrivateKey, ca []byte, secret [secretBytes]byte) (*Identity, error) {
	leaf, err := x509.ParseCertificate(cert)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	root, err := x509.ParseCertificate(ca)
	if err != nil {
		return nil, fmt.Errorf("identity: the authority's: %w", err)
	}
	id := &Identity{
		cert:   tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key, Leaf: leaf},
		ca:     ca,
		pool:   x509.NewCertPool(),
		secret: secret,
	}
	id.pool.AddCert(root)
	if public, ok := leaf.PublicKey.(ed25519.PublicKey); !ok || !public.Equal(key.Public()) {
		return nil, errors.New("identity: the key is not the certificate's")
	}
	if err := leaf.CheckSignatureFrom(root); err != nil {
		return nil, fmt.Errorf("identity: the certificate is not of this authority: %w", err)
	}
	id.rank, id.size, err = rankOf(leaf)
	return id, err
}

func rankOf(leaf *x509.Certificate) (dimmnet.Rank, int, error) {
	if len(leaf.DNSNames) != 1 {
		return 0, 0, fmt.Errorf("identity: a certificate with %d names: want one", len(leaf.DNSNames))
	}
	return unname(leaf.DNSNames[0])
}

// Rank is the rank that this is the identity of.
func (id *Identity) Rank() dimmnet.Rank { return id.rank }

// Size is how many ranks the job has.
func (id *Identity) Size() int { return id.size }

// String names the rank, and no secret.
func (id *Identity) String() string { return fmt.Sprintf("rank %d of %d", id.rank, id.size) }

// Server is how a rank answers: to ranks of the job alone. Peer says to which.
func (id *Identity) Server() *tls.Config {
	cfg := id.config()
	cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, id.pool
	cfg.SessionTicketsDisabled = true
	cfg.VerifyConnection = func(s tls.ConnectionState) error { _, err := id.Peer(s); return err }
	return cfg
}

// Client is how a rank calls the rank peer, and nobody else.
func (id *Identity) Client(peer dimmnet.Rank) *tls.Config {
	cfg := id.config()
	cfg.RootCAs, cfg.ServerName = id.pool, name(peer, id.size)
	return cfg
}

func (id *Identity) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{id.cert}, MinVersion: tls.VersionTLS13, NextProtos: []string{protocol}}
}

// Peer is the rank at the other end of a connection whose handshake is done.
func (id *Identity) Peer(s tls.ConnectionState) (dimmnet.Rank, error) {
	if len(s.VerifiedChains) == 0 {
		return 0, errors.New("identity: nobody has shown a certificate")
	}
	rank, size, err := rankOf(s.PeerCertificates[0])
	switch {
	case err != nil:
		return 0, err
	case size != id.size || rank == id.rank:
		return 0, fmt.Errorf("identity: rank %d of %d calls rank %d of %d", rank, size, id.rank, id.size)
	}
	return rank, nil
}

// Key is a key of 32 bytes that all ranks of the job have in common, for one purpose.
func (id *Identity) Key(purpose string) []byte {
	key, err := hkdf.Expand(sha256.New, id.secret[:], purpose, secretBytes)
	if err != nil {
		panic(fmt.Sprintf("identity: a key of %d bytes: %v", secretBytes, err)) // far below what SHA-256 can give
	}
	return key
}

// The blocks of an encoded identity, in this order.
const (
	certBlock   = "CERTIFICATE" // of the rank
	keyBlock    = "FAGUS ED25519 SEED"
	secretBlock = "FAGUS JOB SECRET"
	caBlock     = "CERTIFICATE"
)

// Encode is the identity in PEM, some 1.4 KiB, for Parse. Who has it can pass for the rank.
func (id *Identity) Encode() []byte {
	var out []byte
	for _, b := range []pem.Block{
		{Type: certBlock, Bytes: id.cert.Certificate[0]},
		{Type: keyBlock, Bytes: id.cert.PrivateKey.(ed25519.PrivateKey).Seed()},
		{Type: secretBlock, Bytes: id.secret[:]},
		{Type: caBlock, Bytes: id.ca},
	} {
		out = append(out, pem.EncodeToMemory(&b)...)
	}
	return out
}

// Parse reads what Encode has written.
func Parse(text []byte) (*Identity, error) {
	var blocks [4][]byte
	for i, want := range [...]string{certBlock, keyBlock, secretBlock, caBlock} {
		b, rest := pem.Decode(text)
		if b == nil || b.Type != want {
			return nil, fmt.Errorf("identity: no %s where the one of block %d should be", want, i+1)
		}
		blocks[i], text = b.Bytes, rest
	}
	if len(blocks[1]) != ed25519.SeedSize || len(blocks[2]) != secretBytes {
		return nil, fmt.Errorf("identity: a key of %d bytes and a secret of %d: want %d and %d", len(blocks[1]), len(blocks[2]), ed25519.SeedSize, secretBytes)
	}
	return newIdentity(blocks[0], ed25519.NewKeyFromSeed(blocks[1]), blocks[3], [secretBytes]byte(blocks[2]))
}
