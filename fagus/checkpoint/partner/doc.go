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
// Hosts have numbers, which they keep when others are lost. The home of a part is the host of the
// rank that wrote it; the part is in the folder HOST of the memory there. The partner of the home
// is the next host of the list. It has a copy in a folder of the same name:
//
//	host 0:  0/c00000007-00000.part  0/c00000007.manifest  2/c00000007-00002.part
//	host 1:  1/c00000007-00001.part  1/c00000007.manifest  0/c00000007-00000.part
//	host 2:  2/c00000007-00002.part  2/c00000007.manifest  1/c00000007-00001.part
//
// The copy appears first, and the object at home last. So a part that a rank sees at its home is
// on both hosts, and a copy alone counts only if its home does not answer. When a host is lost,
// the hosts with copies of its objects adopt them as their own at the beginning of the next
// attempt. The first checkpoint of the attempt is a full one, in two memories again. A manifest is
// on all hosts. A list of one host keeps one copy.
//
// # Attempts
//
// A server serves one attempt of a job at a time. Serve ends the connections of the previous
// attempt, waits for its requests, and then accepts only the identities of the new one. A host may
// have been cut off, so that a rank of an earlier attempt was not killed there. Such a rank
// changes nothing in the memory of the hosts that go on. It can change the memory of its own host,
// which nobody reads any more.
//
// # Protocol
//
// HTTP/1.1, over TLS 1.3 with identities of an authority that exists for one attempt. Rank h of
// the authority is host h, and its last rank stands for all ranks of the job. Without identities,
// anybody who reaches the port can read and write.
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
