package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Update refreshes this rank's copies: it fetches the current contents of every variable that the
// rank has acquired before and that has changed since. Update is a communication phase, and
// returns when all ranks have called it. The rank must hold no variable.
//
// If one rank calls Update while another calls Barrier, for example, the run fails on all ranks.
func (n *Node) Update() error {
	if err := n.ready("Update"); err != nil {
		return err
	}
	return n.meet(syncvar.Update, PartUpdate, 0)
}

// Barrier returns when all ranks have called it. It moves no data. The rank must hold no variable.
// If another rank calls Update or Reduce instead, the run fails on all ranks.
func (n *Node) Barrier() error {
	if err := n.ready("Barrier"); err != nil {
		return err
	}
	return n.meet(syncvar.Barrier, PartBarrier, 0)
}

// Fence orders what ranks have done before it before what ranks do after it: a tenure that any rank
// begins after its Fence comes after every tenure that any rank has begun before its own. All ranks
// call it, and it moves no data. The rank must hold no variable.
//
// In Phase mode Fence sends nothing, and returns at once: the rank's next call waits until all
// other ranks have called Fence, too. If all ranks make the same calls, this next call takes no
// more phases than it would without the Fence. In Threaded mode Fence is a Barrier.
func (n *Node) Fence() error {
	if err := n.ready("Fence"); err != nil {
		return err
	}
	if err := n.enterMeeting(rollcall.Fence, PartBarrier); err != nil {
		return err
	}
	latest, err := n.engine.Fence()
	return n.leaveMeeting(rollcall.Fence, PartBarrier, latest, err)
}

// end serves the requests of other ranks until the programs of all ranks have returned.
func (n *Node) end() error {
	if n.status.err != nil {
		return n.status.err
	}
	if crossed := n.status.crossed.Load(); crossed != nil {
		return n.stick(*crossed)
	}
	if n.held != nil {
		return n.errorf("the program returned while holding %s: release it first", n.held)
	}
	if err := n.endAttached(); err != nil {
		return err
	}
	if err := n.finishCheckpoints(); err != nil {
		return err
	}
	n.declared.failed(dimmnet.Rank(n.rank), "") // if it fails from now on
	return n.meet(syncvar.End, PartEnd, 0)
}

// meet makes a collective call, which returns when all ranks have made the same call. word is this
// rank's number in a Reduce, and 0 in other calls.
func (n *Node) meet(call syncvar.Call, part Part, word uint64) error {
	if err := n.enterMeeting(monitored(call), part); err != nil {
		return err
	}
	latest, err := n.engine.Meet(call, word)
	return n.leaveMeeting(monitored(call), part, latest, err)
}

// enterMeeting begins a call in which all ranks meet. leaveMeeting ends it.
func (n *Node) enterMeeting(call rollcall.Call, part Part) error {
	if err := n.enter(call, part, nil); err != nil {
		return err
	}
	return n.events.tell(eventEntered, call, nil, nil)
}

// leaveMeeting ends a call that enterMeeting has begun. latest and err are results of the engine.
func (n *Node) leaveMeeting(call rollcall.Call, part Part, latest syncvar.Latest, err error) error {
	if err == nil {
		err = n.events.tell(eventMet, call, nil, nil)
	}
	if err := n.leave(call, part, nil, latest, err); err != nil {
		return err
	}
	return n.events.tell(eventReturned, call, nil, nil)
}

// monitored returns the name of a collective call for roll-calls.
func monitored(call syncvar.Call) rollcall.Call {
	return [...]rollcall.Call{syncvar.Update: rollcall.Update, syncvar.Barrier: rollcall.Barrier,
		syncvar.Reduce: rollcall.Reduce, syncvar.End: rollcall.End}[call]
}
