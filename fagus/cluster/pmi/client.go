package pmi

import (
	"context"
	"fmt"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Client is the membership of one rank in a job of a launcher.
//
// Gather is collective: all ranks make the same calls in the same order. When a call fails, all
// later calls fail.
type Client struct {
	rank, size int
	job        string
	server     server

	calls  sync.Mutex // held during a call; guards the fields up to told
	call   uint32     // number of Gathers so far
	closed bool
	told   bool // a call has returned the failure of the connection

	mu       sync.Mutex // held while onLoss is called; guards the fields below
	onLoss   func(rank dimmnet.Rank, why error)
	gone     error // why the launcher counts as gone
	reported bool  // onLoss has been called
	leaving  bool  // Close has begun, so the launcher may end the connection
}

var _ dimmnet.Member = (*Client)(nil)

// server is the launcher's key-value store by one of the protocols. One goroutine at a time calls
// it. A failed call makes all later ones fail.
type server interface {
	// put publishes the bytes of this rank in a call of Gather.
	put(call uint32, own []byte) error
	// fence waits until all ranks have called it.
	fence() error
	// fetch returns the bytes that another rank has put.
	fetch(call uint32, rank int) ([]byte, error)
	// leave tells the launcher that this rank ends in order.
	leave() error
	// fail makes the call that waits, and all later ones, return why. The first reason remains.
	fail(why error) (first bool)
	// close frees what the server uses; after a failure, what it can.
	close() error
}

// Rank returns the rank of this process.
func (c *Client) Rank() dimmnet.Rank { return dimmnet.Rank(c.rank) }

// Size returns the number of ranks in the job.
func (c *Client) Size() int { return c.size }

// Job returns the launcher's name for the job: the name of its store, or PMI_JOBID.
func (c *Client) Job() string { return c.job }

// giveUp makes c unusable when ctx is done. The caller calls stop, which reports whether c is still
// usable.
func (c *Client) giveUp(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { c.server.fail(dimmnet.ContextErr(ctx)) })
}

// Gather sends own, at most 1 MiB, to all ranks and returns the bytes of all ranks, indexed by rank
// and including own. It is a barrier of all ranks. It fails when ctx is done, or when the launcher
// does not answer for a minute to a request that needs no other rank.
func (c *Client) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	if len(own) > maxBlob {
		return nil, fmt.Errorf("pmi: Gather of %d bytes: want at most %d", len(own), maxBlob)
	}
	c.calls.Lock()
	defer c.calls.Unlock()
	if c.closed {
		return nil, fmt.Errorf("pmi: rank %d: Gather after Close", c.rank)
	}
	c.call++
	stop := c.giveUp(ctx)
	all, err := c.gather(own)
	if !stop() && err == nil {
		err = fmt.Errorf("pmi: Gather: %w", dimmnet.ContextErr(ctx))
	}
	if err != nil {
		c.told = true
		return nil, err
	}
	return all, nil
}

func (c *Client) gather(own []byte) ([][]byte, error) {
	if err := c.server.put(c.call, own); err != nil {
		return nil, err
	}
	if err := c.server.fence(); err != nil {
		return nil, err
	}
	all := make([][]byte, c.size)
	for rank := range all {
		if rank == c.rank {
			all[rank] = append([]byte{}, own...)
			continue
		}
		var err error
		if all[rank], err = c.server.fetch(c.call, rank); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// OnLoss sets the function that is called, once, with this rank when the launcher closes the
// connection before Close. If it has already done so, OnLoss calls lost at once. PMI does not
// report the loss of another rank. A nil lost removes the function. The function must not call
// OnLoss.
func (c *Client) OnLoss(lost func(rank dimmnet.Rank, why error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onLoss = lost
	c.report()
}

// launcherGone notes that the launcher has closed the connection.
func (c *Client) launcherGone(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = why
	c.report()
}

// report calls onLoss if there is something to report. mu is held.
func (c *Client) report() {
	if c.gone == nil || c.reported || c.leaving || c.onLoss == nil {
		return
	}
	c.reported = true
	c.onLoss(c.Rank(), c.gone)
}

// Close leaves the job. It returns the failure of the connection unless an earlier call has
// returned it. After a failure the launcher is not told that the rank has ended in order, so it
// may kill the job when the process ends.
func (c *Client) Close(ctx context.Context) error {
	c.calls.Lock()
	defer c.calls.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.mu.Lock()
	c.leaving = true
	c.mu.Unlock()
	stop := c.giveUp(ctx)
	err := c.server.leave()
	stop()
	if closed := c.server.close(); err == nil && closed != nil {
		err = fmt.Errorf("pmi: leaving the job: %w", closed)
	}
	if c.told {
		return nil
	}
	return err
}
