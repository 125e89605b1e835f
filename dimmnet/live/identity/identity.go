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
	protocol    = "fagus/1" // the application protocol (ALPN)
)

// Identity holds the certificate and the secret keys by which a rank authenticates itself.
type Identity struct {
	rank   dimmnet.Rank
	size   int
	cert   tls.Certificate
	ca     []byte         // the certificate of the authority, in DER
	pool   *x509.CertPool // contains only ca
	secret [secretBytes]byte
}

// newIdentity returns the identity of the rank that cert names. It returns an error unless the
// authority ca has signed cert for the public part of key.
func newIdentity(cert []byte, key ed25519.PrivateKey, ca []byte, secret [secretBytes]byte) (*Identity, error) {
	leaf, err := x509.ParseCertificate(cert)
	if err != nil {
		return nil, fmt.Errorf("identity: parsing the certificate of a rank: %w", err)
	}
	root, err := x509.ParseCertificate(ca)
	if err != nil {
		return nil, fmt.Errorf("identity: parsing the certificate of the authority: %w", err)
	}
	id := &Identity{
		cert:   tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key, Leaf: leaf},
		ca:     ca,
		pool:   x509.NewCertPool(),
		secret: secret,
	}
	id.pool.AddCert(root)
	if public, ok := leaf.PublicKey.(ed25519.PublicKey); !ok || !public.Equal(key.Public()) {
		return nil, errors.New("identity: the private key does not belong to the certificate")
	}
	if err := leaf.CheckSignatureFrom(root); err != nil {
		return nil, fmt.Errorf("identity: the certificate was not issued by this authority: %w", err)
	}
	id.rank, id.size, err = rankOf(leaf)
	return id, err
}

func rankOf(leaf *x509.Certificate) (dimmnet.Rank, int, error) {
	if len(leaf.DNSNames) != 1 {
		return 0, 0, fmt.Errorf("identity: a certificate has %d names: want one", len(leaf.DNSNames))
	}
	return parseHostName(leaf.DNSNames[0])
}

// Rank returns the rank to which the identity belongs.
func (id *Identity) Rank() dimmnet.Rank { return id.rank }

// Size returns the number of ranks of the job.
func (id *Identity) Size() int { return id.size }

// String returns the rank and the size of the job. It reveals no secret.
func (id *Identity) String() string { return fmt.Sprintf("rank %d of %d", id.rank, id.size) }

// Server returns the TLS configuration that accepts connections from all ranks of the job.
func (id *Identity) Server() *tls.Config {
	cfg := id.config()
	cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, id.pool
	cfg.SessionTicketsDisabled = true
	cfg.VerifyConnection = func(s tls.ConnectionState) error { _, err := id.Peer(s); return err }
	return cfg
}

// Client returns the TLS configuration for a connection to peer, which no other rank can accept.
func (id *Identity) Client(peer dimmnet.Rank) *tls.Config {
	cfg := id.config()
	cfg.RootCAs, cfg.ServerName = id.pool, hostName(peer, id.size)
	return cfg
}

func (id *Identity) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{id.cert}, MinVersion: tls.VersionTLS13, NextProtos: []string{protocol}}
}

// Peer returns the rank at the other end of a connection after its handshake.
func (id *Identity) Peer(s tls.ConnectionState) (dimmnet.Rank, error) {
	if len(s.VerifiedChains) == 0 {
		return 0, errors.New("identity: the peer has shown no certificate")
	}
	rank, size, err := rankOf(s.PeerCertificates[0])
	switch {
	case err != nil:
		return 0, err
	case size != id.size || rank == id.rank:
		return 0, fmt.Errorf("identity: rank %d of %d connects to rank %d of %d: not a peer of this job", rank, size, id.rank, id.size)
	}
	return rank, nil
}

// Key returns a key of 32 bytes for one purpose. It is the same on all ranks of the job.
func (id *Identity) Key(purpose string) []byte {
	key, err := hkdf.Expand(sha256.New, id.secret[:], purpose, secretBytes)
	if err != nil {
		// HKDF with SHA-256 can derive up to 8160 bytes.
		panic(fmt.Sprintf("identity: deriving a key of %d bytes: %v", secretBytes, err))
	}
	return key
}

// The types of the PEM blocks of an encoded identity, in the order of the blocks.
const (
	certBlock   = "CERTIFICATE" // the certificate of the rank
	keyBlock    = "FAGUS ED25519 SEED"
	secretBlock = "FAGUS JOB SECRET"
	caBlock     = "CERTIFICATE"
)

// Encode returns the identity in PEM, about 1.4 KiB: with it anybody can impersonate the rank.
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

// Parse decodes the text that Encode returned.
func Parse(text []byte) (*Identity, error) {
	var blocks [4][]byte
	for i, want := range [...]string{certBlock, keyBlock, secretBlock, caBlock} {
		b, rest := pem.Decode(text)
		if b == nil || b.Type != want {
			return nil, fmt.Errorf("identity: PEM block %d is missing or of another type: want %s", i+1, want)
		}
		blocks[i], text = b.Bytes, rest
	}
	if len(blocks[1]) != ed25519.SeedSize || len(blocks[2]) != secretBytes {
		return nil, fmt.Errorf("identity: decoding: the key has %d bytes and the secret %d: want %d and %d", len(blocks[1]), len(blocks[2]), ed25519.SeedSize, secretBytes)
	}
	return newIdentity(blocks[0], ed25519.NewKeyFromSeed(blocks[1]), blocks[3], [secretBytes]byte(blocks[2]))
}
