package syncvar

import "github.com/fagus-dsm/fagus/dimmnet"

// Wants is what the list of a rank says about some variables. A rank that follows only some
// variables gives the table only their Wants. The table then knows as much about them as if it
// knew all.
type Wants struct {
	Rank                     dimmnet.Rank
	Granted                  bool
	Shared, Exclusive, Clean []ID
}

// Of returns what l says about the variables for which of returns is. some is false if that is
// nothing. If l names no others, the result shares the memory of l.
func (l *List) Of(of func(ID) bool, is bool) (w Wants, some bool) {
	w.Shared, w.Exclusive, w.Clean = those(l.Shared, of, is), those(l.Exclusive, of, is), those(l.Clean, of, is)
	return w, len(w.Shared)+len(w.Exclusive)+len(w.Clean) > 0
}

func those(ids []ID, of func(ID) bool, is bool) []ID {
	n := 0
	for n < len(ids) && of(ids[n]) == is {
		n++
	}
	if n == len(ids) {
		return ids
	}
	some := append([]ID(nil), ids[:n]...)
	for _, id := range ids[n:] {
		if of(id) == is {
			some = append(some, id)
		}
	}
	return some
}

// SettleWants is Settle for some variables.
func (t *Table) SettleWants(all []Wants) error {
	for i := range all {
		if err := t.settle(all[i].Rank, all[i].Clean); err != nil {
			return err
		}
	}
	t.SettleAll()
	return nil
}

// WantedTransfers is Acquisitions for some variables.
func (t *Table) WantedTransfers(ts []Transfer, all []Wants) []Transfer {
	t.needs = t.needs[:0]
	for i := range all {
		if all[i].Granted {
			t.addNeeds(all[i].Rank, all[i].Exclusive, all[i].Shared)
		}
	}
	return t.appendTrees(ts)
}

// ApplyWants is Apply for some variables.
func (t *Table) ApplyWants(all []Wants) {
	for i := range all {
		if all[i].Granted {
			t.apply(all[i].Rank, all[i].Shared, all[i].Exclusive)
		}
	}
}

// Move moves the state of a variable from table from to t. Both are tables of the same phase.
func (t *Table) Move(from *Table, id ID) {
	if int(id) >= len(from.states) {
		return
	}
	s := &from.states[id]
	if *t.at(id) = *s; s.open {
		t.open = append(t.open, id)
	}
	*s = State{Version: from.first}
}

// Empty returns a table without variables, in which versions begin as in t.
func (t *Table) Empty() *Table { return &Table{first: t.first} }

// Variables returns a number above the IDs of all variables in t.
func (t *Table) Variables() ID { return ID(len(t.states)) }
