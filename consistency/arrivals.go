package consistency

import "github.com/fagus-dsm/fagus/syncvar"

// Arrival says that data of a variable came from other ranks.
type Arrival struct {
	ID      syncvar.ID
	Bytes   int
	Version syncvar.Version // the newest of the data
}

// arrivals are those since the last call of ForgetArrivals.
type arrivals struct {
	logged bool
	list   []Arrival
}

// LogArrivals makes Accept log what arrives from now on, for Arrivals.
func (s *Space) LogArrivals() { s.arrivals.logged = true }

// Arrivals returns what has arrived since the last ForgetArrivals. The result is valid until the
// next Accept or ForgetArrivals.
func (s *Space) Arrivals() []Arrival { return s.arrivals.list }

// ForgetArrivals begins the log anew.
func (s *Space) ForgetArrivals() { s.arrivals.list = s.arrivals.list[:0] }

func (a *arrivals) log(id syncvar.ID, pieces []Piece) {
	arrival := Arrival{ID: id}
	for _, p := range pieces {
		arrival.Bytes += p.Len()
		arrival.Version = max(arrival.Version, p.Version)
	}
	a.list = append(a.list, arrival)
}
