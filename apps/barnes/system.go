package barnes

// timeStep is the time step of SPLASH.
const timeStep = 0.025

// system is the state of all bodies. Every rank has a copy.
//
// It stores no velocities: x(n+1) = 2 x(n) - x(n-1) + a(n) dt^2, which is the leapfrog method (E.
// Hairer, C. Lubich and G. Wanner, Acta Numerica 12 (2003) 399). So only positions move between
// ranks, even if a body changes its rank.
type system struct {
	Config
	step             int
	before, at, next []vec   // positions at the last step, at this one, and at the next one
	work             []int64 // by body: its interactions in the last step
	keys             []keyed
	tree             tree
	numbers          numbers
}

func newSystem(cfg Config) *system {
	s := &system{
		Config: cfg, next: make([]vec, cfg.Bodies), work: make([]int64, cfg.Bodies), keys: make([]keyed, cfg.Bodies),
		tree: tree{theta: cfg.Theta}, numbers: newNumbers(cfg),
	}
	var velocity []vec
	s.at, velocity = plummer(cfg)
	s.before = make([]vec, cfg.Bodies)
	for i := range s.at {
		s.before[i] = s.at[i].minus(velocity[i].times(timeStep))
		s.work[i] = 1
	}
	return s
}

func (s *system) arrange() {
	side := keysOf(s.at, s.keys)
	s.at, s.next = sorted(s.next, s.at, s.keys), s.at
	s.before, s.next = sorted(s.next, s.before, s.keys), s.before
	s.work = sorted(make([]int64, s.Bodies), s.work, s.keys)
	s.tree.build(s.at, s.keys, side)
}

// sorted fills slice to with the elements of slice from, in the order of keys, and returns to.
func sorted[T any](to, from []T, keys []keyed) []T {
	for i, k := range keys {
		to[i] = from[k.body]
	}
	return to
}

// move returns the position of body i at the next step, and its number of interactions.
func (s *system) move(i int) (to vec, work int64) {
	each := 1 / float64(s.Bodies)
	a, potential, count := s.tree.pull(s.at, s.at[i])
	a = a.times(each)
	if s.step == s.Steps-1 && i == sample(s.Bodies, samples-1) {
		s.Plant(func() { a.x++ })
	}
	moved := s.at[i].minus(s.before[i])
	square, half := s.factors()
	velocity := moved.times(1 / timeStep).plus(a.times(half))
	s.numbers.add(s.step, velocity, potential*each)
	return s.at[i].plus(moved).plus(a.times(square)), int64(count)
}

// factors returns two factors of the acceleration: square for the next position, and half for the
// current velocity. In the first step the last position already yields the velocity, and only
// half of the acceleration is new.
func (s *system) factors() (square, half float64) {
	if s.step == 0 {
		return timeStep * timeStep / 2, 0
	}
	return timeStep * timeStep, timeStep / 2
}

func (s *system) turn() {
	s.before, s.at, s.next = s.at, s.next, s.before
	s.step++
}
