// Package identity issues certificates by which the ranks of a job authenticate each other.
//
//	authority, err := identity.NewAuthority(size)  // the launcher, once per job
//	id, err := authority.Issue(rank)               // for each rank, which gets id.Encode()
//
//	conn := tls.Client(raw, id.Client(peer))       // fails unless the listener is peer
//	conn := tls.Server(raw, id.Server())           // fails unless the dialer is a rank
//	peer, err := id.Peer(conn.ConnectionState())   // the rank that dialed
//
// Each job has its own authority, whose key is never written to a file. A rank of another job, or
// of another start of the same program, is therefore refused. A certificate names one rank, so a
// rank cannot impersonate another. Only TLS 1.3 is allowed, both sides show certificates, and no
// session is resumed.
//
// All ranks also share a secret. Key derives keys from it for protocols other than TLS.
package identity
