// Declarations shared by the files of the peer that calls libfabric itself.
#ifndef PEER_FABRIC_H
#define PEER_FABRIC_H

#include <stddef.h>

#include "../peer.h"

operation barrier, round_trip, hand_over, stream, put_round_trip, put_stream;

// A region is memory of this process that the fabric may read and the peer may write.
struct region;

// region returns the region with the given name (of BUFFER_STREAM and so on), allocating it if its
// size has changed. Both ranks call it. memory is the memory of a region.
struct region *region(int name, long bytes);
void *memory(const struct region *r);

// post_receive posts a receive into the first bytes of a region. transmit sends them as a message,
// and returns when the memory may change. receive returns when the oldest posted receive is done.
void post_receive(struct region *r, long bytes);
void transmit(struct region *r, long bytes);
void receive(void);

// put writes bytes of a region into the same region of the peer. flush returns when all puts have
// landed there. progress lets the fabric work.
void put(struct region *r, long at, long bytes);
void flush(void);
void progress(void);

// injectable reports whether the fabric copies a message of so many bytes when it is sent.
int injectable(long bytes);

#endif
