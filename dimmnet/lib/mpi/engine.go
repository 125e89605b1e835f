package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// engine is a rank's progress engine: Step sends what is queued, and handles packets and windows.
type engine struct {
	port       dimmnet.Port
	link       Link
	eager      int         // size of the longest eager message; negative if none is eager
	out        []sendQueue // by rank
	posted     []*Request  // the receive-posted queue, in the order posted
	unexpected []*envelope // the receive-unexpected queue, in the order of arrival

	sends      map[uint32]*Request // sends in rendezvous that wait for a CTS, by request id
	receives   map[uint32]*Request // receives in rendezvous that wait for an FTS, by request id
	windows    map[uint32]*Window  // by context
	id         uint32              // the last request id; ids wrap around
	context    uint32              // no communicator uses a context from here on
	incomplete int                 // number of incomplete requests
	stats      Stats
	err        error // first fatal error
}

// Stats counts the messages of a rank in all communicators, including messages of collectives.
type Stats struct {
	Eager      uint64 // messages sent at once
	Rendezvous uint64 // messages sent by rendezvous
	Unexpected uint64 // messages that arrived before a matching receive
}

type envelope struct {
	src     dimmnet.Rank // rank of the network
	rank    int          // rank in the communicator
	context uint32
	tag     int
	size    int
	sender  uint32 // id of the send request
	rts     bool   // the message is in rendezvous
	data    []byte // contents of an unexpected eager message
}

type sendQueue struct {
	queue   []*outgoing // packets that the link has not begun
	current *outgoing   // packet that the link is sending, or nil
}

// outgoing is a control packet with data, or a write to destinations.
type outgoing struct {
	control Control
	data    []byte
	to      []Destination // of a write; nil for a control packet
	sent    func()        // called when data may be reused
}

func newEngine(port dimmnet.Port, link Link, eager int) *engine {
	return &engine{
		port:     port,
		link:     link,
		eager:    eager,
		out:      make([]sendQueue, port.Nodes()),
		sends:    map[uint32]*Request{},
		receives: map[uint32]*Request{},
		windows:  map[uint32]*Window{},
	}
}

// unused returns the next id after *last that is not in use, and sets *last to it. It skips an id
// that is still in use after 2^32 further requests.
func unused[V any](last *uint32, inUse map[uint32]V) uint32 {
	for {
		*last++
		if _, found := inUse[*last]; !found {
			return *last
		}
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
			return false, e.fail(fmt.Errorf("mpi: packet from rank %d: %w", src, err))
		}
	}
	return progress, nil
}

func (e *engine) fail(err error) error {
	if e.err == nil {
		e.err = err
	}
	return e.err
}

// wait drives the engine until done returns true. No other function waits.
func (e *engine) wait(done func() bool) error {
	if e.err != nil {
		return e.err
	}
	if err := dimmnet.Drive(e.port, e, done); err != nil {
		return e.fail(err)
	}
	return nil
}

// progress makes one Step. The call of Port.Err flushes posts that the port has gathered.
func (e *engine) progress() error {
	if _, err := e.Step(); err != nil {
		return err
	}
	if err := e.port.Err(); err != nil {
		return e.fail(err)
	}
	return nil
}

// send queues a control packet with data for dst, and begins to send it if the queue is empty.
func (e *engine) send(dst dimmnet.Rank, c control, data []byte, sent func()) {
	c.data = uint32(len(data))
	e.queue(dst, &outgoing{control: c.encode(), data: data, sent: sent})
}

func (e *engine) queue(dst dimmnet.Rank, p *outgoing) {
	o := &e.out[dst]
	o.queue = append(o.queue, p)
	e.advance(dst)
}

// advance passes queued packets for dst to the link until the link refuses one.
func (e *engine) advance(dst dimmnet.Rank) (progress bool) {
	o := &e.out[dst]
	for {
		if o.current != nil {
			if e.link.Busy(dst) {
				return progress
			}
			done := o.current.sent
			o.current, progress = nil, true
			if done != nil {
				done()
			}
			continue // sent may have queued and begun a packet
		}
		if len(o.queue) == 0 || !e.begin(dst, o.queue[0]) {
			return progress
		}
		o.current, o.queue[0] = o.queue[0], nil
		o.queue = o.queue[1:]
		progress = true
	}
}

func (e *engine) begin(dst dimmnet.Rank, p *outgoing) bool {
	if p.to != nil {
		return e.link.Write(dst, p.to, p.data)
	}
	return e.link.Send(dst, &p.control, p.data)
}

func (e *engine) drained() bool {
	for i := range e.out {
		if e.out[i].current != nil || len(e.out[i].queue) > 0 {
			return false
		}
	}
	return true
}

func (e *engine) handle(src dimmnet.Rank, b *Control) error {
	c, err := decode(b)
	if err != nil {
		return err
	}
	switch c.kind {
	case eagerSend, requestToSend:
		return e.handleEnvelope(src, &c)
	case clearToSend:
		return e.handleCTS(src, &c)
	case finishSend:
		return e.handleFTS(src, &c)
	case remoteWrite:
		return fmt.Errorf("control packet of kind %d, which only the link uses", c.kind)
	}
	return e.serve(src, &c)
}

func (e *engine) consume(src dimmnet.Rank, c *control) []byte {
	p := make([]byte, c.data)
	e.link.Consume(src, p)
	return p
}

func (e *engine) handleEnvelope(src dimmnet.Rank, c *control) error {
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
		return fmt.Errorf("message of %d bytes in a packet of kind %d with %d bytes of data", c.size, c.kind, c.data)
	}
	if env.tag > MaxTag {
		return fmt.Errorf("message with tag %d: want at most %d", env.tag, MaxTag)
	}
	r := e.matchPosted(env)
	if r == nil {
		env.data = e.consume(src, c)
		e.unexpected = append(e.unexpected, env)
		e.stats.Unexpected++
		return nil
	}
	if err := r.comm.checkSender(env); err != nil {
		return err
	}
	if env.rts {
		e.link.Consume(src, nil)
		return e.sendCTS(r, env)
	}
	if env.size <= len(r.p) {
		e.link.Consume(src, r.p[:env.size])
	} else {
		copy(r.p, e.consume(src, c))
	}
	r.received(env)
	return nil
}

func (e *engine) accept(r *Request, env *envelope) error {
	if err := r.comm.checkSender(env); err != nil {
		return e.fail(fmt.Errorf("mpi: rank %d: %w", env.src, err))
	}
	if env.rts {
		if err := e.sendCTS(r, env); err != nil {
			return e.fail(err)
		}
		return nil
	}
	copy(r.p, env.data)
	r.received(env)
	return nil
}

func (e *engine) sendCTS(r *Request, env *envelope) error {
	r.env = env
	if n := min(env.size, len(r.p)); n > 0 {
		to, err := e.link.Expose(env.src, r.p[:n])
		if err != nil {
			return err
		}
		r.to = to
	}
	id := unused(&e.id, e.receives)
	e.receives[id] = r
	c := control{kind: clearToSend, context: env.context, sender: env.sender, receiver: id, size: uint64(env.size)}
	e.send(env.src, c, encodeDestinations(r.to), nil)
	return nil
}

// handleCTS sends the message to its destinations, and then an FTS.
func (e *engine) handleCTS(src dimmnet.Rank, c *control) error {
	data := e.consume(src, c)
	r := e.sends[c.sender]
	if r == nil || r.dst != src {
		return fmt.Errorf("CTS for request %d, which has sent no RTS to this rank", c.sender)
	}
	to, n, err := decodeDestinations(data, len(r.p))
	if err != nil {
		return err
	}
	delete(e.sends, c.sender)
	if n > 0 {
		e.queue(src, &outgoing{data: r.p[:n], to: to})
	}
	e.send(src, control{kind: finishSend, context: c.context, receiver: c.receiver}, nil, func() { r.complete(Status{}, nil) })
	return nil
}

// handleFTS completes a receive: the message is in its destinations.
func (e *engine) handleFTS(src dimmnet.Rank, c *control) error {
	if c.data != 0 {
		return fmt.Errorf("FTS with %d bytes of data: want none", c.data)
	}
	e.link.Consume(src, nil)
	r := e.receives[c.receiver]
	if r == nil || r.env.src != src {
		return fmt.Errorf("FTS for request %d, which is not receiving from this rank", c.receiver)
	}
	if err := e.link.Conceal(src, r.to); err != nil {
		return err
	}
	delete(e.receives, c.receiver)
	r.received(r.env)
	return nil
}
