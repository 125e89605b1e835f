package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// site is what this rank knows of a variable.
func (e *Engine) site(id syncvar.ID) *syncvar.Site {
	s := e.sites[id]
	if s == nil {
		s = syncvar.NewSite(e.rank)
		e.sites[id] = s
	}
	return s
}

// requested acts on a request, which another rank may have passed on.
func (e *Engine) requested(from dimmnet.Rank, m message) error {
	if m.rank == e.rank {
		return fmt.Errorf("rank %d passed on this rank's own request for %q", from, e.space.Name(m.id))
	}
	if err := e.checkDeclared(m.rank, &m); err != nil {
		return err
	}
	turns, err := e.site(m.id).Request(syncvar.Want{Rank: m.rank, Mode: m.mode, Brief: m.flag, Have: m.since, Asked: m.version})
	if err := e.follow(m.id, turns, err); err != nil {
		return fmt.Errorf("rank %d sent a request: %w", from, err)
	}
	return nil
}

// released acts on the end of a shared tenure.
func (e *Engine) released(from dimmnet.Rank, m message) error {
	turns, err := e.site(m.id).Release(from, false)
	if err := e.follow(m.id, turns, err); err != nil {
		return fmt.Errorf("rank %d sent a release: %w", from, err)
	}
	return nil
}

// follow acts on the turns of a variable, which a site gave with err.
func (e *Engine) follow(id syncvar.ID, turns []syncvar.Turn, err error) error {
	if err != nil {
		return fmt.Errorf("%q: %w", e.space.Name(id), err)
	}
	for i := range turns {
		if err := e.take(id, &turns[i]); err != nil {
			return err
		}
	}
	return nil
}

// take grants a request or passes it on.
func (e *Engine) take(id syncvar.ID, t *syncvar.Turn) error {
	if !t.Granted() {
		m := message{op: request, id: id, mode: t.Mode, flag: t.Brief, rank: t.Rank, since: t.Have, version: t.Asked}
		if t.Rank == e.rank {
			e.declare(&m)
		}
		return e.queue(outgoing{to: t.To, m: m})
	}
	if t.Rank == e.rank {
		e.complete(id)
		return nil
	}
	var data *consistency.Stream
	t.Data = t.Data && !e.space.IsOneCopy()
	if t.Data {
		e.counts.Transfers++
		data = e.space.Stream(id, t.Have, t.Version, e.layout.SlotBytes)
	}
	return e.queue(outgoing{to: t.Rank, m: message{op: grant, id: id, version: t.Version, since: t.Written, flag: t.Data}, stream: data})
}

// granted learns that a request of this rank is granted.
func (e *Engine) granted(from dimmnet.Rank, m message) error {
	s, w := e.site(m.id), e.wanted[m.id]
	due := w != nil && w.from < 0 && !s.Owns() && !(m.flag && e.streams[from] != nil)
	if !due || m.since > m.version || m.version < s.Have() {
		return fmt.Errorf("rank %d sent a grant of %q, which is not due", from, e.space.Name(m.id))
	}
	turns := s.Granted(from, m.version, m.since)
	if m.flag {
		w.from = int(from)
		e.streams[from] = &consistency.Stream{ID: m.id, Version: m.version}
	} else {
		e.complete(m.id)
	}
	return e.follow(m.id, turns, nil)
}

// complete ends a request of this rank: grant and data are here.
func (e *Engine) complete(id syncvar.ID) {
	delete(e.wanted, id)
	e.wake(user)
}
