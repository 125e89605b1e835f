package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// newOutbox returns an outbox to a stream. freed and sent count how often it reports space, and
// that all zero-copy sends are accepted.
func newOutbox(s Stream) (o *outbox, freed, sent *int) {
	memory := newNIC(nil, dimmnet.Limits{Store: word, LLCM: 8192, Block: 8192, RDMA: 8192}, SumAll)
	freed, sent = new(int), new(int)
	return &outbox{stream: s, nic: &memory, onSpace: func() { *freed++ }, onSent: func() { *sent++ }}, freed, sent
}

// TestFullNumbers: as many moves of each kind may be in progress as the protocol permits, and not
// one more. When one has ended, the next is accepted, and a poster that was refused is told.
func TestFullNumbers(t *testing.T) {
	never := &narrow{} // the stream accepts nothing
	refusal := func(posted bool) error {
		if !posted {
			return errors.New("refused")
		}
		return nil
	}
	for name, c := range map[string]struct {
		stream Stream
		begin  func(o *outbox) error
		end    func(o *outbox) // the oldest
		tells  bool            // onSpace is called when there is space
	}{
		"Pushes": {&tape{}, func(o *outbox) error { return refusal(o.push(0, 8, 8, 16)) }, func(o *outbox) {
			if _, err := o.endPush(); err != nil {
				t.Error(err)
			}
		}, true},
		"Pulls": {&tape{}, func(o *outbox) error { return refusal(o.pull(0, 8, 8, 16)) }, func(o *outbox) {
			h := header{kind: pulled, off: 8, n: 8, arg: argLast}
			if err := o.checkAnswer(&h); err != nil {
				t.Error(err)
			}
			if _, ended := o.advance(&h); !ended {
				t.Error("a Pull has not ended")
			}
		}, true},
		"zero-copy sends": {never, func(o *outbox) error { return refusal(o.sendZeroCopy(make([]byte, smallBytes+1))) }, func(o *outbox) {
			never.space = 2*headerBytes + smallBytes + 1
			o.flush()
			never.space = 0
		}, true},
		"answers": {never, func(o *outbox) error { return o.answer(0, request{to: 8, n: 8}) }, func(o *outbox) {
			o.mu.Lock()
			o.nextPiece()
			o.mu.Unlock()
		}, false},
	} {
		o, freed, _ := newOutbox(c.stream)
		for i := range maxMoves {
			if err := c.begin(o); err != nil {
				t.Fatalf("%s: number %d of %d: %v", name, i+1, maxMoves, err)
			}
		}
		if c.begin(o) == nil {
			t.Errorf("%s: more than %d are in progress", name, maxMoves)
		}
		before := *freed
		c.end(o)
		if c.tells && *freed == before {
			t.Errorf("%s: nobody is told that there is space for another", name)
		}
		if err := c.begin(o); err != nil {
			t.Errorf("%s: the next one after one has ended: %v", name, err)
		}
		if c.begin(o) == nil {
			t.Errorf("%s: more than %d are in progress after one has ended", name, maxMoves)
		}
	}
}

// remoteMoves is a Remote that performs nothing.
type remoteMoves struct{ begun, ended []int }

func (r *remoteMoves) Put(id int, _, _ dimmnet.Offset, _ int) (begun, able bool) {
	r.begun = append(r.begun, id)
	return true, true
}

func (r *remoteMoves) Get(id int, from, to dimmnet.Offset, n int) (begun, able bool) {
	return r.Put(id, from, to, n)
}

func (r *remoteMoves) Moved() (id int, ok bool) {
	if len(r.ended) == 0 {
		return 0, false
	}
	id, r.ended = r.ended[0], r.ended[1:]
	return id, true
}

// TestFullRemote: the network performs maxMoves Pushes and Pulls by itself, each with a unique id,
// in any order. Each completes at the word that its own Push or Pull named.
func TestFullRemote(t *testing.T) {
	memory := newNIC(nil, dimmnet.Limits{Store: word, LLCM: 8192, RDMA: 1 << 20, Bulk: 1 << 20}, SumAll)
	r, freed := new(remoteMoves), 0
	o := &outbox{stream: &tape{}, nic: &memory, remote: r, onSpace: func() { freed++ }, onSent: func() {}}
	const n = smallBytes + word
	post := func(i int) bool {
		if i%2 == 0 {
			return o.push(8192, 8192, n+word*i, dimmnet.Offset(word*i))
		}
		return o.pull(8192, 8192, n+word*i, dimmnet.Offset(word*i))
	}
	for i := range maxMoves {
		if !post(i) {
			t.Fatalf("number %d of %d is refused", i+1, maxMoves)
		}
	}
	seen := make(map[int]bool)
	for _, id := range r.begun {
		if id < 0 || id >= maxMoves || seen[id] {
			t.Fatalf("ids %v: want each from 0 to %d once", r.begun, maxMoves-1)
		}
		seen[id] = true
	}
	if post(maxMoves) || o.quiet() {
		t.Errorf("more than %d are in progress, or it counts as quiet", maxMoves)
	}
	r.ended = []int{maxMoves - 1, 0, 7}
	for _, want := range []int{maxMoves - 1, 0, 7} {
		m, ok := o.moved()
		if !ok || m.done != dimmnet.Offset(word*want) || m.n != n+word*want {
			t.Errorf("the end of number %d is %+v %t", want, m, ok)
		}
	}
	if freed == 0 {
		t.Error("nobody is told that there is space for another")
	}
	for i := range 3 {
		if !post(maxMoves + i) {
			t.Errorf("number %d after three have ended is refused", i+1)
		}
	}
	if post(maxMoves + 3) {
		t.Errorf("more than %d are in progress after some have ended", maxMoves)
	}
}

// TestFullBuffer: posts fill the buffer of an outbox to its last byte, and frames of the protocol
// itself fill the space that is reserved for them. Both have space again when the stream has
// accepted half of the buffer.
func TestFullBuffer(t *testing.T) {
	s := &narrow{}
	o, freed, _ := newOutbox(s)
	const block0 = 4096 - headerBytes // with its header a whole part of the buffer
	for o.buffered() < outboxBytes {
		if !o.post(block, 0, 0, make([]byte, block0)) {
			t.Fatalf("a Write is refused with %d of %d bytes in the buffer", o.buffered(), outboxBytes)
		}
	}
	if o.buffered() != outboxBytes || o.post(block, 0, 0, make([]byte, 1)) || o.pull(0, 8, 8, 16) {
		t.Fatalf("the buffer has %d bytes and accepts more: want %d", o.buffered(), outboxBytes)
	}
	for o.buffered() < outboxBytes+controlBytes {
		left := outboxBytes + controlBytes - o.buffered()
		if err := o.control(failure, 0, make([]byte, min(left-headerBytes, failureBytes-headerBytes))); err != nil {
			t.Fatalf("with %d bytes left: %v", left, err)
		}
	}
	if err := o.control(pushed, 0, nil); err == nil || o.buffered() != outboxBytes+controlBytes {
		t.Errorf("the buffer has %d bytes and accepts more: want %d", o.buffered(), outboxBytes+controlBytes)
	}
	for step := range []int{0, 1} { // the last byte above the half makes the difference
		want := *freed + step
		s.space = controlBytes + outboxBytes/2 - 1
		if step == 1 {
			s.space = 1
		}
		o.flush()
		if *freed != want {
			t.Errorf("with %d bytes in the buffer, those who were refused are told %d times: want %d", o.buffered(), *freed, want)
		}
	}
	if !o.post(block, 0, 0, make([]byte, block0)) {
		t.Error("a Write is refused with half of the buffer free")
	}
}

// TestDeadOutbox: when a stream ends, all that waits for the outbox is told, and nothing is left.
func TestDeadOutbox(t *testing.T) {
	for name, end := range map[string]func(o *outbox){"close": (*outbox).close, "abandon": func(o *outbox) { o.abandon(); o.close() }} {
		o, freed, _ := newOutbox(&narrow{space: 100})
		big := make([]byte, 100_000)
		for o.sendZeroCopy(big) {
		}
		for o.post(store, word, 0, make([]byte, word)) {
		}
		for o.push(0, 8, 8, 16) {
		}
		before := *freed
		end(o)
		if *freed == before || !o.quiet() && o.state != dead || o.sending.Load() != 0 || o.waiting.Load() {
			t.Errorf("%s: told %d times, state %v, %d zero-copy sends, waiting %t", name, *freed-before, o.state, o.sending.Load(), o.waiting.Load())
		}
		if o.post(store, word, 0, make([]byte, word)) || o.push(0, 8, 8, 16) || o.pull(0, 8, 8, 16) || o.sendZeroCopy(big) {
			t.Errorf("%s: an outbox without a stream accepts a post", name)
		}
		if err := o.answer(0, request{to: 8, n: 8}); err != nil || len(o.transfers) > 0 {
			t.Errorf("%s: an answer to a peer that is gone: %v, %d transfers", name, err, len(o.transfers))
		}
	}
}

// TestLargestFrames: each kind of frame may have its largest and its smallest payload and end
// where the memory ends, but not exceed these.
func TestLargestFrames(t *testing.T) {
	limits := dimmnet.Limits{Store: word, Block: 4096, RDMA: 2 << 20, LLCM: 2 << 20, Bulk: 2 << 20}
	const end = 4 << 20
	head := func(k kind, arg uint8, off dimmnet.Offset, n int) header {
		return header{kind: k, arg: arg, off: off, n: n}
	}
	for name, c := range map[string][2]header{ // the first is valid, the second just not
		"store of a word at the end":    {head(store, 8, 2<<20-8, word), head(store, 8, 2<<20, word)},
		"store of the last bytes":       {head(store, 3, 2<<20-3, word), head(store, 4, 2<<20-3, word)},
		"store of one byte":             {head(store, 1, 7, word), head(store, 2, 7, word)},
		"store of a payload":            {head(store, 8, 0, word), head(store, 8, 0, word-1)},
		"longest block":                 {head(block, 0, 0, 4096), head(block, 0, 0, 4097)},
		"block at the end":              {head(block, 0, 2<<20-4096, 4096), head(block, 0, 2<<20-4095, 4096)},
		"shortest block":                {head(block, 0, 0, 1), head(block, 0, 0, 0)},
		"block with an argument":        {head(block, 0, 0, 1), head(block, 1, 0, 1)},
		"largest piece":                 {head(push, 3, 8, pieceBytes), head(push, 3, 8, pieceBytes+word)},
		"largest piece at the end":      {head(push, 1, end-pieceBytes, pieceBytes), head(push, 1, end-pieceBytes+word, pieceBytes)},
		"piece at the end of the LLCM":  {head(push, 1, 2<<20-8, 8), head(push, 1, 2<<20-8, 9)},
		"largest unaligned piece":       {head(push, 1, 1, smallBytes), head(push, 1, 1, smallBytes+1)},
		"large piece of parts of words": {head(push, 1, 8, smallBytes+word), head(push, 1, 8, smallBytes+1)},
		"small piece without a sum":     {head(push, 1, 0, smallBytes), head(push, 2, 0, smallBytes)},
		"answer":                        {head(pulled, 3, 0, pieceBytes), head(pulled, 4, 0, pieceBytes)},
		"largest zero-copy piece":       {head(zeroCopy, 3, 0, pieceBytes), head(zeroCopy, 3, 0, pieceBytes+1)},
		"smallest zero-copy piece":      {head(zeroCopy, 1, 0, 1), head(zeroCopy, 1, 0, 0)},
		"zero-copy piece with a place":  {head(zeroCopy, 1, 0, 8), head(zeroCopy, 1, 8, 8)},
		"request":                       {head(pull, 0, 0, requestBytes), head(pull, 0, 0, requestBytes+1)},
		"short request":                 {head(pull, 0, 0, requestBytes), head(pull, 0, 0, requestBytes-1)},
		"longest failure":               {head(failure, 0, 0, rankBytes+failureBytes), head(failure, 0, 0, rankBytes+failureBytes+1)},
		"shortest failure":              {head(failure, 0, 0, rankBytes), head(failure, 0, 0, rankBytes-1)},
		"sign of life":                  {head(alive, 1, 0, 0), head(alive, 2, 0, 0)},
		"sign of life with bytes":       {head(alive, 0, 0, 0), head(alive, 0, 0, 1)},
		"acknowledgement":               {head(pushed, 0, 0, 0), head(pushed, 0, 0, 1)},
		"notice":                        {head(notify, 0, 1<<32-1, 0), head(notify, 1, 0, 0)},
		"goodbye":                       {head(goodbye, 0, 0, 0), head(goodbye, 0, 0, 1)},
		"last kind":                     {head(kinds-1, 0, 0, 0), head(kinds, 0, 0, 0)},
	} {
		for i, h := range c {
			got, err := decode(h.append(nil, SumAll), &limits, SumAll)
			if valid := i == 0; (err == nil) != valid || valid && got != h {
				t.Errorf("%s: %+v decodes to %+v: %v; want it valid: %t", name, h, got, err, valid)
			}
		}
	}
	for name, c := range map[string]struct {
		r     request
		from  dimmnet.Offset
		valid bool
	}{
		"as much as a Pull may":  {request{to: 2 << 20, n: 2 << 20}, 0, true},
		"more":                   {request{to: 0, n: 2<<20 + 1}, 2 << 20, false},
		"up to the end of bulk":  {request{to: 0, n: 8}, end - 8, true},
		"beyond the end of bulk": {request{to: 0, n: 9}, end - 8, false},
		"to the end of the LLCM": {request{to: 2<<20 - 8, n: 8}, 0, true},
		"to beyond the LLCM":     {request{to: 2<<20 - 8, n: 9}, 0, false},
		"to the end of bulk":     {request{to: end - 8, n: 8}, 0, true},
		"to beyond bulk":         {request{to: end - 8, n: 9}, 0, false},
		"one byte":               {request{to: 0, n: 1}, 0, true},
		"nothing":                {request{to: 0, n: 0}, 0, false},
	} {
		r, err := decodeRequest(c.r.append(nil), c.from, &limits)
		if (err == nil) != c.valid || c.valid && r != c.r {
			t.Errorf("a request for %s: %+v, %v; want it valid: %t", name, r, err, c.valid)
		}
	}
}

// endedReads is a narrow stream that counts the calls of EndRead.
type endedReads struct {
	narrow
	ended int
}

func (s *endedReads) EndRead() { s.ended++ }

// TestAbandonAll: Abandon ends the Sends to and the Receives from all peers. The port then reports
// none of either, their memory is left alone whatever arrives or leaves later, and each stream has
// ended its reads.
func TestAbandonAll(t *testing.T) {
	const ranks, n = 5, 20_000
	streams, links := make([]*endedReads, ranks), &Links{Streams: make([]Stream, ranks), Near: make([]bool, ranks), Poll: deaf{make(bell, 1)}}
	for r := 1; r < ranks; r++ {
		streams[r] = &endedReads{narrow: narrow{space: headerBytes + 5000}}
		links.Streams[r] = streams[r]
	}
	cfg := Config{Network: "deaf", Limits: dimmnet.Limits{Store: word, LLCM: 64, Block: 64}, Patience: time.Hour}
	node := newNode(&run{cfg: cfg, load: newLoad()}, 0, links)
	node.late.set.Store(true) // so that the timer sends nothing
	p := node.newPort("")
	var sent, received [ranks][2][]byte
	for r := 1; r < ranks; r++ {
		for i := range 2 {
			sent[r][i], received[r][i] = noise(n), make([]byte, n)
			if !p.Send(dimmnet.Rank(r), sent[r][i]) {
				t.Fatalf("Send %d to rank %d is refused", i, r)
			}
			p.Receive(dimmnet.Rank(r), received[r][i])
		}
		whole := (&frames{sums: cfg.Sums}).add(zeroCopy, 1, 0, noise(n)).add(zeroCopy, 1, 0, noise(n)).add(store, 8, dimmnet.Offset(8*r), noise(8)).b
		streams[r].in = whole[:headerBytes+7000]
		node.serveAll()
		if !p.Sending(dimmnet.Rank(r)) || p.Receiving(dimmnet.Rank(r)) != 2 {
			t.Fatalf("rank %d: sending %t, receiving %d: want true, 2", r, p.Sending(dimmnet.Rank(r)), p.Receiving(dimmnet.Rank(r)))
		}
		streams[r].in = append(streams[r].in, whole[headerBytes+7000:]...)
	}
	var before [ranks][2][]byte
	for r := 1; r < ranks; r++ {
		for i := range 2 {
			before[r][i] = bytes.Clone(received[r][i])
		}
	}
	p.Abandon()
	for r := 1; r < ranks; r++ {
		rank := dimmnet.Rank(r)
		if p.Sending(rank) || p.Receiving(rank) != 0 || streams[r].ended == 0 {
			t.Errorf("rank %d: sending %t, receiving %d, reads ended %d times after Abandon", r, p.Sending(rank), p.Receiving(rank), streams[r].ended)
		}
		for i := range 2 {
			clear(sent[r][i]) // the program uses its memory for another purpose
		}
		streams[r].space = 1 << 20
	}
	node.flushAll()
	for range 4 {
		node.serveAll()
	}
	for r := 1; r < ranks; r++ {
		if !bytes.Equal(streams[r].out[headerBytes:], noise(n)) {
			t.Errorf("rank %d gets %d bytes: want the piece that was begun, unchanged, and nothing more", r, len(streams[r].out))
		}
		for i := range 2 {
			if !bytes.Equal(received[r][i], before[r][i]) {
				t.Errorf("the memory of Receive %d from rank %d has changed after Abandon", i, r)
			}
		}
		if got, want := node.LLCM.Load(dimmnet.Offset(8*r)), binary.LittleEndian.Uint64(noise(8)); got != want {
			t.Errorf("the Store of rank %d behind what was abandoned is %x: want %x", r, got, want)
		}
	}
}
