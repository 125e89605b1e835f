// Package identity gives the ranks of a job certificates, by which they know each other.
//
//	authority, err := identity.NewAuthority(size)  // the launcher, once a job
//	id, err := authority.Issue(rank)               // for each rank: id.Encode() is what it is given
//
//	conn := tls.Client(raw, id.Client(peer))       // fails unless peer answers
//	conn := tls.Server(raw, id.Server())           // fails unless a rank of the job calls;
//	peer, err := id.Peer(conn.ConnectionState())   // after the handshake: which
//
// Each job has an authority of its own, whose key is never written anywhere: a rank of
// another job, or of the same program started anew, is a stranger. A certificate is of one
// rank, so a rank cannot pass for another. TLS 1.3 only, both sides show certificates, and
// no session is resumed.
//
// All ranks share a secret besides, from which Key makes the keys of what is not TLS.
package identity
