// Package partner keeps checkpoints in the memory of the hosts of a job, without a disk and without
// a directory that hosts share. Each object is on two hosts, so that the loss of any one host, with
// its processes and its memory, loses no checkpoint.
//
//	server := partner.NewServer(folder)            // a process of each host, for the whole job
//	err := server.Serve(listener, id, home, lost)  // anew for each attempt
//
//	store, err := partner.Open(address, id)        // each rank
//	cfg.Checkpoints = checkpoint.New(checkpoint.Config{Store: store, Every: time.Second})
//
// Package launch does both for jobs on --hosts.
//
// # Where objects are
//
// Hosts have numbers, which they keep when others are lost. A part is at home on the host of the
// rank that has written it, in the folder HOST of the memory there. Its partner, the next host of
// the list, has a copy in a folder of the same name:
//
//	host 0:  0/c00000007-00000.part  0/c00000007.manifest  2/c00000007-00002.part
//	host 1:  1/c00000007-00001.part  1/c00000007.manifest  0/c00000007-00000.part
//	host 2:  2/c00000007-00002.part  2/c00000007.manifest  1/c00000007-00001.part
//
// The copy appears first, and the object at home last. So a part that a rank sees at its home is on
// both hosts, and a copy alone counts only if its home does not answer. When a host is lost, the
// next attempt begins with the copies of its objects in the folders of the hosts that have them, as
// their own. What it saves first is a full checkpoint, in two memories again. A manifest is on all
// hosts. A list of one host keeps one copy.
//
// # Attempts
//
// A server serves one attempt of a job at a time. Serve ends the connections of the attempt before,
// waits for its requests, and accepts only the identities of its own. So a rank of an earlier
// attempt that was not killed, on a host that was cut off, changes nothing in the memory of the
// hosts that go on. In that of its own host it can, and nobody reads that any more.
//
// # Protocol
//
// HTTP/1.1, over TLS 1.3 with identities of an authority that exists for one attempt. Rank h of the
// authority is host h, and the last rank is all ranks of the job. Without identities anybody who
// reaches the port reads and writes.
//
//	GET    /                 all objects, as a JSON array of name and size
//	PUT    /HOST/NAME        creates an object; its trailer has length and CRC-32C. 409: it exists
//	GET    /HOST/NAME        reads ranges; HEAD gives the size. 404: it does not exist
//	DELETE /NAME             removes an object from all folders
//
// An upload that ends early, or has another checksum, leaves nothing.
//
// # Limits
//
// A step of a request (a connection, a piece of the data, an answer) may take 15 s, and a
// connection may be idle as long. An object that does not fit into the memory fails, and so does
// the checkpoint; the run goes on.
package partner
