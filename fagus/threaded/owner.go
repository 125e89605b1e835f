package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

func (e *Engine) site(id syncvar.ID) *syncvar.Site {
	s := e.sites[id]
	if s == nil {
		s = syncvar.NewSite(e.rank, e.cfg.FirstVersion)
		e.sites[id] = s
		if _, entry := e.hints.word(id); e.direct.on && entry && e.rank == 0 && e.cfg.FirstVersion == 0 {
			e.gates.state[id] = gateOpen // as the zero in its record says
		}
	}
	return s
}

func (e *Engine) requested(from dimmnet.Rank, m message) error {
	if m.rank == e.rank {
		return fmt.Errorf("rank %d forwarded this rank's own request for %q", from, e.space.Name(m.id))
	}
	if err := e.checkDeclared(m.rank, &m); err != nil {
		return err
	}
	actions, err := e.site(m.id).Request(syncvar.Want{Rank: m.rank, Access: m.access, Brief: m.flag, Waits: m.waits, Have: m.since, Asked: m.version, Delayed: m.delayed})
	if err := e.follow(m.id, actions, err); err != nil {
		return fmt.Errorf("rank %d sent a request: %w", from, err)
	}
	return nil
}

func (e *Engine) released(from dimmnet.Rank, m message) error {
	actions, err := e.site(m.id).Release(from, false)
	if err := e.follow(m.id, actions, err); err != nil {
		return fmt.Errorf("rank %d sent a release: %w", from, err)
	}
	return nil
}

// follow carries out the actions that a site returned together with err.
func (e *Engine) follow(id syncvar.ID, actions []syncvar.Action, err error) error {
	if err != nil {
		return fmt.Errorf("%q: %w", e.space.Name(id), err)
	}
	for i := range actions {
		if err := e.carryOut(id, &actions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) carryOut(id syncvar.ID, t *syncvar.Action) error {
	if !t.Granted() {
		m := message{op: request, id: id, access: t.Access, flag: t.Brief, waits: t.Waits, delayed: t.Delayed, rank: t.Rank, since: t.Have, version: t.Asked}
		if t.Rank == e.rank {
			e.declare(&m)
		}
		return e.queue(outgoing{to: t.To, m: m})
	}
	if t.Rank == e.rank {
		e.delayed = t.Delayed // by the holder that ask saw
		e.complete(id)
		return nil
	}
	var data *consistency.Stream
	t.Data = t.Data && !e.space.IsOneCopy()
	if t.Data {
		data = e.space.Stream(id, t.Have, t.Version, e.layout.SlotBytes)
		if from, ok := e.reads(id, t, data); ok {
			return e.queue(outgoing{to: from, m: message{op: pass, id: id, rank: t.Rank, version: t.Version, since: t.Have, delayed: t.Delayed}})
		}
		e.counts.Transfers++
	}
	return e.queue(outgoing{to: t.Rank, m: message{op: grant, id: id, version: t.Version, since: t.Written, flag: t.Data, delayed: t.Delayed}, stream: data})
}

func (e *Engine) granted(from dimmnet.Rank, m message) error {
	s, w := e.site(m.id), e.wanted[m.id]
	due := w != nil && w.state == wantGrant && !s.Owns()
	if m.passed {
		due = due && w.access == syncvar.Shared && m.rank != e.rank && m.rank != from
	}
	if !due || m.since > m.version || m.version < s.Have() {
		return fmt.Errorf("rank %d sent a grant of %q, which is not due", from, e.space.Name(m.id))
	}
	owner := from
	if m.passed {
		owner = m.rank
	}
	have := s.Have()
	e.delayed, e.delayer = m.delayed, owner
	actions := s.Granted(owner, m.version, m.since)
	if m.flag {
		w.state, w.from, w.have, w.stream = wantData, from, have, &consistency.Stream{ID: m.id, Version: m.version}
	} else {
		e.complete(m.id)
	}
	for _, x := range w.early {
		if err := e.passOn(x.from, x.m); err != nil {
			return err
		}
	}
	return e.follow(m.id, actions, nil)
}

func (e *Engine) complete(id syncvar.ID) {
	delete(e.wanted, id)
	e.wake(user)
}
