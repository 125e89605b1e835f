package mpi

import "fmt"

// Collectives are calls that all ranks of a communicator make in the same order, with a context
// of their own. A tag holds the number and kind of the call, so ranks that make different calls
// never receive each other's data; they wait until the run fails.

type call uint8

const (
	barrierCall call = iota
	bcastCall
	reduceCall
	rootCall // rank 0 sends the reduced values to the root
	gatherCall
	scatterCall
	allgatherCall
	alltoallCall
	calls
)

func (c *Comm) begin(k call) (tag int) {
	c.calls++
	return int(c.calls%((MaxTag+1)/uint32(calls)))*int(calls) + int(k)
}

func (c *Comm) checkRoot(root int) error { return c.check(root, 0) }

func (c *Comm) sendPart(p []byte, dst, tag int) error {
	r, err := c.isend(c.context+1, p, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// recvPart receives one message of a collective into p. The message must have len(p) bytes.
func (c *Comm) recvPart(p []byte, src, tag int) error {
	r, err := c.irecv(c.context+1, p, src, tag, nil)
	if err != nil {
		return err
	}
	s, err := r.Wait()
	return c.checkPart(s, err, len(p), src)
}

func (c *Comm) exchange(out []byte, dst int, in []byte, src, tag int) error {
	s, err := c.sendrecv(c.context+1, out, dst, tag, in, src, tag)
	return c.checkPart(s, err, len(in), src)
}

// checkPart returns an error if receiving a collective's message failed or its length is not n.
func (c *Comm) checkPart(s Status, err error, n, src int) error {
	if err == nil && s.Count != n {
		err = fmt.Errorf("mpi: collective: rank %d sent %d bytes, but this rank expects %d", src, s.Count, n)
	}
	if err != nil {
		return c.engine.fail(err)
	}
	return nil
}

// Barrier returns when all ranks have called it. It takes log2 n rounds (dissemination): in round
// k, rank r tells rank r + 2^k about all arrivals that r knows of.
func (c *Comm) Barrier() error {
	if err := c.engine.err; err != nil {
		return err
	}
	tag, n := c.begin(barrierCall), len(c.group)
	for step := 1; step < n; step *= 2 {
		if err := c.exchange(nil, (c.rank+step)%n, nil, (c.rank-step+n)%n, tag); err != nil {
			return err
		}
	}
	return nil
}

// Bcast copies root's p to every rank's p. It uses a binomial tree: a rank that has p sends it
// to the ranks 2^k above, starting with the farthest.
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
			if err := c.recvPart(p, (own-bit+root)%n, tag); err != nil {
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

// Gather collects every rank's in, all of the same length, in root's out, in the order of the
// ranks. Every rank sends directly to root. Only root uses out.
func (c *Comm) Gather(in, out []byte, root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	tag := c.begin(gatherCall)
	if c.rank != root {
		return c.sendPart(in, root, tag)
	}
	if err := c.checkParts("Gather", out, in); err != nil {
		return err
	}
	n := len(in)
	copy(out[root*n:], in)
	got, err := c.others(func(i int) (*Request, error) {
		return c.irecv(c.context+1, out[i*n:][:n], i, tag, nil)
	})
	for i := range got {
		if i != root {
			err = c.checkPart(got[i], err, n, i)
		}
	}
	return err
}

func (c *Comm) others(start func(rank int) (*Request, error)) ([]Status, error) {
	list := make([]*Request, len(c.group))
	for i := range list {
		if i == c.rank {
			continue
		}
		r, err := start(i)
		if err != nil {
			return nil, err
		}
		list[i] = r
	}
	return Waitall(list...)
}

// Scatter distributes the parts of root's in, all of the same length, to every rank's out, in
// the order of the ranks. Root sends directly to every rank. Only root uses in.
func (c *Comm) Scatter(in, out []byte, root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	tag := c.begin(scatterCall)
	if c.rank != root {
		return c.recvPart(out, root, tag)
	}
	if err := c.checkParts("Scatter", in, out); err != nil {
		return err
	}
	n := len(out)
	copy(out, in[root*n:])
	_, err := c.others(func(i int) (*Request, error) {
		return c.isend(c.context+1, in[i*n:][:n], i, tag)
	})
	return err
}

func (c *Comm) checkParts(what string, all, part []byte) error {
	if len(all) != len(part)*len(c.group) {
		return c.engine.fail(fmt.Errorf("mpi: %s: %d bytes for %d ranks: want a part of %d bytes for each", what, len(all), len(c.group), len(part)))
	}
	return nil
}

// Allgather collects every rank's in, all of the same length, in every rank's out, in the order
// of the ranks. The parts travel around a ring of all ranks in n-1 steps.
func (c *Comm) Allgather(in, out []byte) error {
	if err := c.engine.err; err != nil {
		return err
	}
	if err := c.checkParts("Allgather", out, in); err != nil {
		return err
	}
	tag, size, n := c.begin(allgatherCall), len(c.group), len(in)
	part := func(i int) []byte { return out[(i+size)%size*n:][:n] }
	copy(part(c.rank), in)
	for step := range size - 1 {
		err := c.exchange(part(c.rank-step), (c.rank+1)%size, part(c.rank-step-1), (c.rank-1+size)%size, tag)
		if err != nil {
			return err
		}
	}
	return nil
}

// Alltoall sends part i of in to rank i, and stores the part from rank i in part i of out.
// In step k a rank sends to the rank k above and receives from the rank k below.
func (c *Comm) Alltoall(in, out []byte) error {
	if err := c.engine.err; err != nil {
		return err
	}
	size := len(c.group)
	n := len(in) / size
	if len(in) != len(out) || n*size != len(in) {
		return c.engine.fail(fmt.Errorf("mpi: Alltoall: %d bytes for %d ranks, %d from them: want equal lengths that the ranks divide", len(in), size, len(out)))
	}
	tag := c.begin(alltoallCall)
	copy(out[c.rank*n:][:n], in[c.rank*n:])
	for step := 1; step < size; step++ {
		to, from := (c.rank+step)%size, (c.rank-step+size)%size
		if err := c.exchange(in[to*n:][:n], to, out[from*n:][:n], from, tag); err != nil {
			return err
		}
	}
	return nil
}
