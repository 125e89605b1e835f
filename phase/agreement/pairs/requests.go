package pairs

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// requests exchanges the inline requests of a phase with all peers. A phase that ends as a meeting
// or as a turn needs no more than the words; otherwise decode makes lists of them.
type requests struct {
	own    uint64        // the request of this rank
	list   *syncvar.List // what own says
	reduce bool          // the value of a Reduce goes before own
	meets  bool          // own only says that the rank waits for all ranks in a call
	alike  int           // if meets: the number of peers that have sent the same request
	posted int           // how many peers have been sent own, in the order of Mover.Peers
	before int           // how many of the posts before own the next peer has been sent
	due    []int         // the indexes of the peers whose requests have not arrived
	words  []uint64      // by index in Mover.Peers: the requests that have arrived

	ids []syncvar.InlineIDs // by index in Mover.Peers: memory for the lists of their requests
}

func newRequests(peers int) requests {
	return requests{due: make([]int, 0, peers), words: make([]uint64, peers), ids: make([]syncvar.InlineIDs, peers)}
}

// begin begins a phase with this rank's list. It reports whether the list fits a request.
func (r *requests) begin(p *Inline, l *syncvar.List) (fits bool) {
	if len(l.Attached) > 0 {
		p.attach(l)
	}
	r.own, fits = l.Inline(p.m.Phase != p.m.First && p.own.Declared == l.Declared)
	r.list = l
	r.reduce = fits && l.Call == syncvar.Reduce
	r.meets = fits && l.Meets()
	r.expect()
	return fits
}

// expect makes the requests of all peers due.
func (r *requests) expect() {
	r.alike, r.posted, r.before = 0, 0, 0
	r.due = r.due[:len(r.words)]
	for i := range r.due {
		r.due[i] = i
	}
}

func (r *requests) pending(p *Inline) bool { return len(r.due) > 0 || r.posted < len(p.peers) }

// step posts and takes what can be posted and taken now.
func (r *requests) step(p *Inline) (progress bool, err error) {
	if r.posted < len(p.peers) {
		progress = r.postAll(p)
	}
	for at := 0; at < len(r.due); {
		i := r.due[at]
		from := p.peers[i]
		w := p.port.Load(p.area.request(p.rank, from, p.m.Phase))
		if !syncvar.InlineIsOf(w, p.m.Phase) {
			at++
			continue
		}
		if err := r.take(p, i, w); err != nil {
			return false, inlineError(from, err)
		}
		if last := len(r.due) - 1; at < last {
			r.due = append(r.due[:at], r.due[at+1:]...)
		} else {
			r.due = r.due[:last]
		}
		progress = true
	}
	return progress, nil
}

func inlineError(from dimmnet.Rank, err error) error {
	return fmt.Errorf("phase: inline request of rank %d: %w", from, err)
}

// postAll posts the requests of this rank that can be posted now.
//
// Then it prefetches the lines of the next phase. Their owners do not poll them in this phase, so
// the next requests need not wait for the lines. On shm that halves the time of a request.
func (r *requests) postAll(p *Inline) (progress bool) {
	for r.posted < len(p.peers) && r.post(p, p.peers[r.posted]) {
		progress = true
	}
	if progress && p.prefetch != nil {
		for _, to := range p.peers {
			p.prefetch.PrefetchWord(to, p.area.request(to, p.rank, p.m.Phase+1))
		}
	}
	return progress
}

// post posts to the next peer what must land before the request, and then the request. The list
// follows the request if it does not fit.
func (r *requests) post(p *Inline, to dimmnet.Rank) bool {
	own := p.rank
	if r.before == 0 && r.reduce && !p.port.Store(to, p.area.value(to, own, p.m.Phase), r.list.Word, dimmnet.WordBytes) {
		return false
	}
	r.before = max(r.before, 1)
	if len(r.list.Attached) > 0 && !r.postAttachment(p, to) {
		return false
	}
	if !p.port.Store(to, p.area.request(to, own, p.m.Phase), r.own, dimmnet.WordBytes) {
		return false
	}
	r.before = 0
	if len(p.text) > 0 {
		p.m.SendList(r.posted, p.text)
	} else {
		p.m.Counts.Lists++
	}
	r.posted++
	return true
}

// postAttachment posts the rest of the attached contents.
func (r *requests) postAttachment(p *Inline, to dimmnet.Rank) bool {
	at, most := p.area.attached(to, p.rank, p.m.Phase, len(p.attachment)), p.port.Limits().Block
	for ; ; r.before++ {
		sent := (r.before - 1) * most
		if sent >= len(p.attachment) {
			return true
		}
		next := min(sent+most, len(p.attachment))
		if !p.port.Write(to, at+dimmnet.Offset(sent), p.attachment[sent:next]) {
			return false
		}
	}
}

// take takes the request w of peer i.
func (r *requests) take(p *Inline, i int, w uint64) error {
	p.outcome.Latest.Rank = p.peers[i]
	r.words[i] = w
	if r.meets && w == r.own {
		r.alike++
		return nil
	}
	follows, err := syncvar.InlineFollows(w, p.m.Phase)
	if follows && err == nil {
		p.m.ExpectList(i)
	}
	return err
}

// decode makes lists of the requests of all peers.
func (r *requests) decode(p *Inline) error {
	for i, w := range r.words {
		from := p.peers[i]
		l := &p.outcome.Lists[from]
		follows, err := l.DecodeInline(w, p.m.Phase, p.m.Phase == p.m.First, &r.ids[i])
		if err != nil {
			return inlineError(from, err)
		}
		if !follows && l.Call == syncvar.Reduce {
			l.Word = p.port.Load(p.area.value(p.rank, from, p.m.Phase))
		}
	}
	return nil
}

// announce begins a phase with the list l of this rank, which only says that the rank waits.
func (r *requests) announce(p *Inline, l *syncvar.List) {
	r.own, r.list, r.reduce, r.meets = syncvar.InlineMeeting(l.Call, l.Phase), l, l.Call == syncvar.Reduce, true
	r.expect()
	r.postAll(p)
}
