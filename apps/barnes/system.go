package barnes

// timeStep is that of SPLASH.
const timeStep = 0.025

// system is all bodies, as every rank has them.
//
// There are no velocities: x(n+1) = 2 x(n) - x(n-1) + a(n) dt^2, which is the leapfrog (E. Hairer, C. Lubich and
// G. Wanner, Acta Numerica 12 (2003) 399). So nothing but a position has to go from rank to rank, whoever had a body before.
type system struct {
	Config
	step             int
	before, at, next []vec   // at the last step, at this one, and at the next one
	work             []int64 // the interactions that each body took in the last step
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

// arrange sorts the bodies and builds their tree: the same at every rank.
func (s *system) arrange() {
	side := keysOf(s.at, s.keys)
	s.at, s.next = sorted(s.next, s.at, s.keys), s.at
	s.before, s.next = sorted(s.next, s.before, s.keys), s.before
	s.work = sorted(make([]int64, s.Bodies), s.work, s.keys)
	s.tree.build(s.at, s.keys, side)
}

// sorted is from in the order of keys, in to.
func sorted[T any](to, from []T, keys []keyed) []T {
	for i, k := range keys {
		to[i] = from[k.body]
	}
	return to
}

// move is where body i is at the next step, and how many interactions that took.
func (s *system) move(i int) (to vec, work int64) {
	each := 1 / float64(s.Bodies)
	a, potential, count := s.tree.pull(s.at, s.at[i])
	a = a.times(each)
	if s.Spoil && s.step == s.Steps-1 && i == sample(s.Bodies, samples-1) {
		a.x++
	}
	way := s.at[i].minus(s.before[i])
	square, half := s.factors()
	velocity := way.times(1 / timeStep).plus(a.times(half))
	s.numbers.add(s.step, velocity, potential*each)
	return s.at[i].plus(way).plus(a.times(square)), int64(count)
}

// factors of the acceleration are for the next position, and for the velocity at this one. In the first step that is the
// velocity from the last position already, and only half of the acceleration is new.
func (s *system) factors() (square, half float64) {
	if s.step == 0 {
		return timeStep * timeStep / 2, 0
	}
	return timeStep * timeStep, timeStep / 2
}

// turn goes on to the next step.
func (s *system) turn() {
	s.before, s.at, s.next = s.at, s.next, s.before
	s.step++
}
