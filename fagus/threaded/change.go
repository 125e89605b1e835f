package threaded

import "github.com/fagus-dsm/fagus/syncvar"

// Await says that the rank, which holds a variable, is going to release it unchanged, and then to
// wait for a change of it by AcquireChanged.
func (e *Engine) Await(id syncvar.ID) { e.change = id }

// AcquireChanged is Acquire after another rank has changed the variable of Await. If the rank wants
// no other variable, its request waits at the owner. Otherwise it asks for the change alone first:
// while it waits, it holds nothing.
func (e *Engine) AcquireChanged(shared, exclusive []syncvar.ID) error {
	e.cfg.Observer.Entered()
	if err := e.port.Err(); err != nil {
		return err
	}
	id, w := e.change, syncvar.Want{Access: syncvar.Exclusive, Waits: true}
	if len(exclusive) == 0 {
		w.Access = syncvar.Shared
	}
	if w.Brief = len(shared)+len(exclusive) > 1; w.Brief {
		w.Access = syncvar.Shared
	}
	e.cfg.Observer.On(syncvar.Event{Kind: syncvar.Waiting})
	if err := e.shut(user, e.port, id, false); err != nil {
		return e.waiting(id, err)
	}
	if err := e.ask(id, w); err != nil {
		return err
	}
	latest := syncvar.Latest{Known: true}
	err := e.await(user, func() bool {
		latest.Rank = e.site(id).Lender()
		if w.Access == syncvar.Exclusive {
			latest.Rank = e.delayer
		}
		return e.wanted[id] == nil
	})
	if err != nil {
		return e.waiting(id, err)
	}
	e.cfg.Observer.On(syncvar.Event{Kind: syncvar.Met, Latest: latest})
	if w.Brief {
		return e.acquireAll(shared, exclusive)
	}
	return nil
}
