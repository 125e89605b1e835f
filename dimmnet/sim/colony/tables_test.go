package colony

import "testing"

// emitted reports whether an action, not a row, sends the signal.
func emitted(to module, in input) bool {
	switch to {
	case mbus:
		return in == busAccess || in == isAck || in == isData
	case mdc:
		return in == isAck || in == isNack || in == timeout
	case receiver:
		return in == full
	case fcIn:
		return in == full || in == short
	}
	return false
}

// found reports whether an action can return the input.
func found(in input) bool {
	switch in {
	case isLocalWrite, isLocalRead, isRemote, gaveUp, isWrite, isRead, isAgain, isBad, isAnswer, isGood, fromFDC, fromMDC:
		return true
	}
	return false
}

// TestTables checks that the rows of a table connect states of its module, that every state can
// be entered and left, and that every signal has a sender and a receiver.
func TestTables(t *testing.T) {
	for _, l := range links() {
		all := tables(l)
		handled := [modules][inputs]bool{}
		for m, table := range all {
			stay := map[state]residence{}
			for _, r := range table.stay {
				if _, twice := stay[r.state]; twice || r.clocks < 1 {
					t.Errorf("%v: %v, %d clocks, listed twice: %t", module(m), r.state, r.clocks, twice)
				}
				stay[r.state] = r
			}
			if table.stay[0].state != idle {
				t.Errorf("%v begins in %v", module(m), table.stay[0].state)
			}
			left, entered := map[state]bool{}, map[state]bool{idle: true}
			rows := map[[2]int]bool{}
			for _, r := range table.rows {
				from, ok := stay[r.from]
				if _, known := stay[r.to]; !ok || !known {
					t.Errorf("%v: from %v to %v: the module has no such state", module(m), r.from, r.to)
				}
				if key := [2]int{int(r.from), int(r.on)}; rows[key] {
					t.Errorf("%v: two rows for %v on %v", module(m), r.from, r.on)
				} else {
					rows[key] = true
				}
				if from.waits && r.on == always || !from.waits && r.on != always && !found(r.on) {
					t.Errorf("%v: %v waits: %t, but has a row for %q", module(m), r.from, from.waits, r.on)
				}
				left[r.from], entered[r.to] = true, true
				handled[m][r.on] = true
			}
			for s := range stay {
				if !left[s] || !entered[s] {
					t.Errorf("%v: %v is left: %t, entered: %t", module(m), s, left[s], entered[s])
				}
			}
		}
		sent := [modules][inputs]bool{}
		for m, table := range all {
			for _, r := range table.rows {
				if r.emit.in != always {
					sent[r.emit.to][r.emit.in] = true
					if !handled[r.emit.to][r.emit.in] {
						t.Errorf("%v signals %v %q, which has no row for it", module(m), r.emit.to, r.emit.in)
					}
				}
			}
		}
		for m, table := range all {
			for _, r := range table.stay {
				for _, row := range table.rows {
					if row.from == r.state && r.waits && !sent[m][row.on] && !emitted(module(m), row.on) {
						t.Errorf("%v waits in %v for %q, which no module signals", module(m), r.state, row.on)
					}
				}
			}
		}
	}
}

// TestPathsAreWalked traces single accesses and checks that the modules enter each state at
// least as often as the path contains it.
func TestPathsAreWalked(t *testing.T) {
	for _, l := range links() {
		for _, c := range []struct {
			write, local bool
			path         []stop
		}{
			{true, true, localWritePath()}, {false, true, localReadPath()},
			{true, false, remotePath(KindWrite)}, {false, false, remotePath(KindRead)},
		} {
			n := newNetwork(Config{Link: l}.withDefaults())
			entered := map[stop]int{}
			n.follow(func(_ int64, _ uint8, of module, enters state) { entered[stop{of, enters}]++ })
			for i := range n.boards {
				for m := range modules { // idle is where they begin
					_ = i
					entered[stop{m, idle}] = 2
				}
			}
			o := order{write: c.write, addr: At(1, 7)}
			if c.local {
				o.addr = At(0, 7)
			}
			n.boards[0].start(o, 0)
			for range 1000 {
				n.step()
			}
			want := map[stop]int{}
			for _, s := range c.path {
				if want[s]++; entered[s] < want[s] {
					t.Errorf("link %v, write %t, local %t: %v was in %v %d times, want %d",
						l, c.write, c.local, s.module, s.state, entered[s], want[s])
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	for m, table := range tables(Burst) {
		for _, r := range table.rows {
			if r.do != nil && r.do.String() == "" {
				t.Errorf("%v: an action from %v on %v has no name", module(m), r.from, r.on)
			}
		}
	}
	for i := input(1); i < inputs; i++ {
		if i.String() == "" {
			t.Errorf("input %d has no name", i)
		}
	}
	for s := range states {
		if s.String() == "" {
			t.Errorf("state %d has no name", s)
		}
	}
	for m := range modules {
		if m.String() == "" {
			t.Errorf("module %d has no name", m)
		}
	}
}
