package mpi

import "fmt"

// Collectives are calls that all ranks of a communicator make, in the same order. Their messages
// have a context of their own, and as a tag the number of the call and its kind: ranks that call
// different ones wait for ever, and take nobody else's bytes.

// call is a kind of collective.
type call uint8

const (
	barrierCall call = iota
	bcastCall
	reduceCall
	rootCall // from rank 0, which has reduced, to the root
	gatherCall
	scatterCall
	allgatherCall
	alltoallCall
	calls
)

// begin numbers a call and returns the tag of its messages.
func (c *Comm) begin(k call) (tag int) {
	c.calls++
	return int(c.calls%((MaxTag+1)/uint32(calls)))*int(calls) + int(k)
}

// checkRoot says whether a collective with that root can begin.
func (c *Comm) checkRoot(root int) error { return c.check(root, 0) }

// put and get are Send and Recv of a collective.
func (c *Comm) put(p []byte, dst, tag int) error {
	r, err := c.isend(c.context+1, p, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func (c *Comm) get(p []byte, src, tag int) error {
	r, err := c.irecv(c.context+1, p, src, tag, nil)
	if err != nil {
		return err
	}
	s, err := r.Wait()
	return c.whole(s, err, len(p), src)
}

// swap is Sendrecv of a collective.
func (c *Comm) swap(out []byte, dst int, in []byte, src, tag int) error {
	s, err := c.sendrecv(c.context+1, out, dst, tag, in, src, tag)
	return c.whole(s, err, len(in), src)
}

// whole says whether a part of a collective has come, and with the length that this rank expects.
func (c *Comm) whole(s Status, err error, n, src int) error {
	if err == nil && s.Count != n {
		err = fmt.Errorf("mpi: collective: rank %d has sent %d bytes, want %d", src, s.Count, n)
	}
	if err != nil {
		return c.engine.fail(err)
	}
	return nil
}

// Barrier returns when all ranks have called it. In round k a rank tells the one 2^k above
// that it, and all that it knows of, are there: log2 n rounds (dissemination).
func (c *Comm) Barrier() error {
	if err := c.engine.err; err != nil {
		return err
	}
	tag, n := c.begin(barrierCall), len(c.group)
	for step := 1; step < n; step *= 2 {
		if err := c.swap(nil, (c.rank+step)%n, nil, (c.rank-step+n)%n, tag); err != nil {
			return err
		}
	}
	return nil
}

// Bcast makes every rank's p that of root, by a binomial tree: who has it passes it on to the
// rank 2^k above, from the farthest on.
func (c *Comm) Bcast(p []byte, root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	return c.bcast(p, root, c.begin(bcastCall))
}

func (c *Comm) bcast(p []byte, root, tag int) error {
	n := len(c.group)
	own := (c.rank - root + n) % n
	bit := 1
	for ; bit < n; bit *= 2 {
		if own&bit != 0 {
			if err := c.get(p, (own-bit+root)%n, tag); err != nil {
				return err
			}
			break
		}
	}
	var sent []*Request
	for bit /= 2; bit > 0; bit /= 2 {
		if own+bit < n {
			r, err := c.isend(c.context+1, p, (own+bit+root)%n, tag)
			if err != nil {
				return err
			}
			sent = append(sent, r)
		}
	}
	_, err := Waitall(sent...)
	return err
}

// Gather puts every rank's in, which have the same length, into root's out, by rank. Everybody
// sends to root. out is root's alone.
func (c *Comm) Gather(in, out []byte, root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	tag := c.begin(gatherCall)
	if c.rank != root {
		return c.put(in, root, tag)
	}
	if err := c.parts("Gather", out, in); err != nil {
		return err
	}
	n := len(in)
	list := make([]*Request, len(c.group))
	for i := range list {
		if i == root {
			copy(out[i*n:], in)
			continue
		}
		r, err := c.irecv(c.context+1, out[i*n:][:n], i, tag, nil)
		if err != nil {
			return err
		}
		list[i] = r
	}
	got, err := Waitall(list...)
	for i := range list {
		if i != root {
			err = c.whole(got[i], err, n, i)
		}
	}
	return err
}

// Scatter gives every rank its part of root's in, by rank, which have the same length. Root sends
// to everybody. in is root's alone.
func (c *Comm) Scatter(in, out []byte, root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	tag := c.begin(scatterCall)
	if c.rank != root {
		return c.get(out, root, tag)
	}
	if err := c.parts("Scatter", in, out); err != nil {
		return err
	}
	n := len(out)
	list := make([]*Request, len(c.group))
	for i := range list {
		if i == root {
			copy(out, in[i*n:])
			continue
		}
		r, err := c.isend(c.context+1, in[i*n:][:n], i, tag)
		if err != nil {
			return err
		}
		list[i] = r
	}
	_, err := Waitall(list...)
	return err
}

// parts says whether all has one part for every rank.
func (c *Comm) parts(what string, all, part []byte) error {
	if len(all) != len(part)*len(c.group) {
		return c.engine.fail(fmt.Errorf("mpi: %s: %d bytes of all %d ranks, %d of one", what, len(all), len(c.group), len(part)))
	}
	return nil
}

// Allgather puts every rank's in, which have the same length, into everybody's out, by rank. Parts
// travel round a ring of all ranks: n-1 steps.
func (c *Comm) Allgather(in, out []byte) error {
	if err := c.engine.err; err != nil {
		return err
	}
	if err := c.parts("Allgather", out, in); err != nil {
		return err
	}
	tag, size, n := c.begin(allgatherCall), len(c.group), len(in)
	part := func(i int) []byte { return out[(i+size)%size*n:][:n] }
	copy(part(c.rank), in)
	for step := range size - 1 {
		err := c.swap(part(c.rank-step), (c.rank+1)%size, part(c.rank-step-1), (c.rank-1+size)%size, tag)
		if err != nil {
			return err
		}
	}
	return nil
}

// Alltoall sends part i of in to rank i, and puts what rank i has sent to part i of out. In step k
// a rank sends to the one k above and receives from the one k below (pairwise).
func (c *Comm) Alltoall(in, out []byte) error {
	if err := c.engine.err; err != nil {
		return err
	}
	size := len(c.group)
	n := len(in) / size
	if len(in) != len(out) || n*size != len(in) {
		return c.engine.fail(fmt.Errorf("mpi: Alltoall: %d bytes to %d ranks, %d from them", len(in), size, len(out)))
	}
	tag := c.begin(alltoallCall)
	copy(out[c.rank*n:][:n], in[c.rank*n:])
	for step := 1; step < size; step++ {
		to, from := (c.rank+step)%size, (c.rank-step+size)%size
		if err := c.swap(in[to*n:][:n], to, out[from*n:][:n], from, tag); err != nil {
			return err
		}
	}
	return nil
}
