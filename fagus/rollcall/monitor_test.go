package rollcall

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/syncvar"
)

// slowEngine takes until answer is closed to say what its rank waits for.
type slowEngine struct{ asked, answer chan struct{} }

func (e *slowEngine) LastWait() (w syncvar.Wait) {
	close(e.asked)
	<-e.answer
	return w
}

func (e *slowEngine) Name(syncvar.ID) string { return "" }

// TestReaderHoldsTheRank has a rank leave its call and enter the next one, while a roll-call asks
// what it waits for. Neither call returns before the answer.
func TestReaderHoldsTheRank(t *testing.T) {
	for name, move := range map[string]func(m *Monitor){
		"Leave": func(m *Monitor) { m.Leave(nil) },
		"Enter": func(m *Monitor) {
			if m.Enter(Update, nil) {
				t.Error("the rank is in two calls")
			}
			m.Leave(nil)
		},
	} {
		b := Open(Config{After: -1}, About{Nodes: 1})
		m, e := b.Monitor(0), &slowEngine{make(chan struct{}), make(chan struct{})}
		m.Attach(e)
		m.Enter(Barrier, nil)
		roll, moved := make(chan Roll), make(chan struct{})
		go func() { roll <- b.Roll() }()
		<-e.asked
		go func() {
			move(m)
			close(moved)
		}()
		select {
		case <-moved:
			t.Errorf("%s: the rank has left its call before the engine's answer", name)
		case <-time.After(20 * time.Millisecond):
		}
		close(e.answer)
		if r := (<-roll).Ranks[0]; r.Call != "Barrier" || r.Calls != 1 {
			t.Errorf("%s: the roll-call has %+v, want call 1, a Barrier", name, r)
		}
		<-moved
		if r := b.Roll().Ranks[0]; r.Call != "" || r.Calls != 1 {
			t.Errorf("%s: afterwards the roll-call has %+v, want no call, after call 1", name, r)
		}
		b.Close()
	}
}
