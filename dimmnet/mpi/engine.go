package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// engine is the progress engine of a rank: a Stepper that sends what is queued, takes control
// packets from the rings, and serves windows.
type engine struct {
	port  dimmnet.Port
	link  Link
	eager int         // the longest message that goes eagerly; less than 0: none
	out   []outbox    // by rank
	posts []*Request  // receive-posted, in the order posted
	early []*envelope // receive-unexpected, in the order of arrival

	sends    map[uint32]*Request // rendezvous, until their CTS
	receives map[uint32]*Request // rendezvous, until their FTS
	windows  map[uint32]*Window  // by context
	id       uint32              // the last request's
	context  uint32              // the first that no communicator of this rank has
	open     int                 // requests that are not complete
	stats    Stats
	err      error // for good
}

// Stats counts what a rank has done so far, in all its communicators; what collectives and
// windows send counts as well.
type Stats struct {
	Eager      uint64 // messages sent at once
	Rendezvous uint64 // messages sent when their receiver had asked for them
	Unexpected uint64 // messages that came before a receive that fits
}

// envelope is what is known of a message that has come.
type envelope struct {
	src     dimmnet.Rank // of the link
	rank    int          // in the communicator
	context uint32
	tag     int
	size    int
	sender  uint32
	rts     bool
	data    []byte // of an unexpected eager message
}

// outbox is the queue of what is to be sent to one rank.
type outbox struct {
	queue []*parcel
	under *parcel // way
}

// parcel is a control packet with data, or a write to places.
type parcel struct {
	control Control
	data    []byte
	to      []Destination
	sent    func() // when data need not rest any more
}

func newEngine(port dimmnet.Port, link Link, eager int) *engine {
	return &engine{
		port:     port,
		link:     link,
		eager:    eager,
		out:      make([]outbox, port.Nodes()),
		sends:    map[uint32]*Request{},
		receives: map[uint32]*Request{},
		windows:  map[uint32]*Window{},
	}
}

// Step makes one pass over all ranks.
func (e *engine) Step() (progress bool, err error) {
	if e.err != nil {
		return false, e.err
	}
	if progress, err = e.link.Step(); err != nil {
		return false, e.fail(err)
	}
	for i := range e.out {
		src := dimmnet.Rank(i)
		if e.advance(src) {
			progress = true
		}
		c, found := e.link.Poll(src)
		if !found {
			continue
		}
		progress = true
		if err := e.handle(src, &c); err != nil {
			return false, e.fail(fmt.Errorf("mpi: rank %d: %w", src, err))
		}
	}
	return progress, nil
}

// fail ends this engine.
func (e *engine) fail(err error) error {
	if e.err == nil {
		e.err = err
	}
	return e.err
}

// wait is the only place that waits.
func (e *engine) wait(done func() bool) error {
	if e.err != nil {
		return e.err
	}
	if err := dimmnet.Drive(e.port, e, done); err != nil {
		return e.fail(err)
	}
	return nil
}

// poke makes progress without waiting. The port's Err lets go what it has gathered.
func (e *engine) poke() error {
	if _, err := e.Step(); err != nil {
		return err
	}
	if err := e.port.Err(); err != nil {
		return e.fail(err)
	}
	return nil
}

// send queues a control packet with data for dst, and sends it if nothing is before it.
func (e *engine) send(dst dimmnet.Rank, c control, data []byte, sent func()) {
	c.data = uint32(len(data))
	e.queue(dst, &parcel{control: c.encode(), data: data, sent: sent})
}

func (e *engine) queue(dst dimmnet.Rank, p *parcel) {
	o := &e.out[dst]
	o.queue = append(o.queue, p)
	e.advance(dst)
}

// advance hands the link what is queued for dst as far as it takes it.
func (e *engine) advance(dst dimmnet.Rank) (progress bool) {
	o := &e.out[dst]
	for {
		if o.under != nil {
			if e.link.Busy(dst) {
				return progress
			}
			done := o.under.sent
			o.under, progress = nil, true
			if done != nil {
				done()
			}
			continue // done may have queued something, and begun it
		}
		if len(o.queue) == 0 || !e.begin(dst, o.queue[0]) {
			return progress
		}
		o.under, o.queue[0] = o.queue[0], nil
		o.queue = o.queue[1:]
		progress = true
	}
}

func (e *engine) begin(dst dimmnet.Rank, p *parcel) bool {
	if p.to != nil {
		return e.link.Write(dst, p.to, p.data)
	}
	return e.link.Send(dst, &p.control, p.data)
}

// drained says whether nothing is left to send.
func (e *engine) drained() bool {
	for i := range e.out {
		if e.out[i].under != nil || len(e.out[i].queue) > 0 {
			return false
		}
	}
	return true
}

// handle takes the packet that src's ring begins with.
func (e *engine) handle(src dimmnet.Rank, b *Control) error {
	c, err := decode(b)
	if err != nil {
		return err
	}
	switch c.kind {
	case eagerSend, requestToSend:
		return e.arrive(src, &c)
	case clearToSend:
		return e.cleared(src, &c)
	case finishSend:
		return e.finished(src, &c)
	case remoteWrite:
		return fmt.Errorf("a control packet of kind %d, which is the link's", c.kind)
	}
	return e.serve(src, &c)
}

// take returns the data of the packet that src's ring begins with.
func (e *engine) take(src dimmnet.Rank, c *control) []byte {
	p := make([]byte, c.data)
	e.link.Take(src, p)
	return p
}

// arrive handles the envelope of a message: eager send or RTS.
func (e *engine) arrive(src dimmnet.Rank, c *control) error {
	env := &envelope{
		src:     src,
		rank:    int(c.rank),
		context: c.context,
		tag:     int(c.tag),
		size:    int(c.size),
		sender:  c.sender,
		rts:     c.kind == requestToSend,
	}
	if env.rts && c.data != 0 || !env.rts && uint64(c.data) != c.size {
		return fmt.Errorf("a message of %d bytes, kind %d, with %d bytes of data", c.size, c.kind, c.data)
	}
	if env.tag > MaxTag {
		return fmt.Errorf("a message with tag %d", env.tag)
	}
	r := e.takePosted(env)
	if r == nil {
		env.data = e.take(src, c)
		e.early = append(e.early, env)
		e.stats.Unexpected++
		return nil
	}
	if err := r.comm.sentBy(env); err != nil {
		return err
	}
	if env.rts {
		e.link.Take(src, nil)
		return e.clear(r, env)
	}
	if env.size <= len(r.p) {
		e.link.Take(src, r.p[:env.size])
	} else {
		copy(r.p, e.take(src, c))
	}
	r.received(env)
	return nil
}

// accept gives a posted receive the unexpected message that fits it.
func (e *engine) accept(r *Request, env *envelope) error {
	if err := r.comm.sentBy(env); err != nil {
		return e.fail(fmt.Errorf("mpi: rank %d: %w", env.src, err))
	}
	if env.rts {
		if err := e.clear(r, env); err != nil {
			return e.fail(err)
		}
		return nil
	}
	copy(r.p, env.data)
	r.received(env)
	return nil
}

// clear answers an RTS: CTS with the places where the message shall go.
func (e *engine) clear(r *Request, env *envelope) error {
	r.env = env
	if n := min(env.size, len(r.p)); n > 0 {
		to, err := e.link.Expose(env.src, r.p[:n])
		if err != nil {
			return err
		}
		r.to = to
	}
	e.receives[r.id] = r
	c := control{kind: clearToSend, context: env.context, sender: env.sender, receiver: r.id, size: uint64(env.size)}
	e.send(env.src, c, encodeDestinations(r.to), nil)
	return nil
}

// cleared handles a CTS: the message goes to its places, FTS behind it.
func (e *engine) cleared(src dimmnet.Rank, c *control) error {
	data := e.take(src, c)
	r := e.sends[c.sender]
	if r == nil || r.dst != src {
		return fmt.Errorf("it clears request %d, which has not asked it", c.sender)
	}
	to, n, err := decodeDestinations(data, len(r.p))
	if err != nil {
		return err
	}
	delete(e.sends, c.sender)
	if n > 0 {
		e.queue(src, &parcel{data: r.p[:n], to: to})
	}
	e.send(src, control{kind: finishSend, context: c.context, receiver: c.receiver}, nil, func() { r.complete(Status{}, nil) })
	return nil
}

// finished handles an FTS: the message is in its places.
func (e *engine) finished(src dimmnet.Rank, c *control) error {
	if c.data != 0 {
		return fmt.Errorf("FTS with %d bytes of data", c.data)
	}
	e.link.Take(src, nil)
	r := e.receives[c.receiver]
	if r == nil || r.env.src != src {
		return fmt.Errorf("it finishes request %d, which does not wait for it", c.receiver)
	}
	if err := e.link.Conceal(src, r.to); err != nil {
		return err
	}
	delete(e.receives, c.receiver)
	r.received(r.env)
	return nil
}
