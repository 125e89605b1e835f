package barnes

import (
	"math"
	"math/rand/v2"
)

type vec struct{ x, y, z float64 }

func (a vec) plus(b vec) vec           { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) minus(b vec) vec          { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) times(factor float64) vec { return vec{a.x * factor, a.y * factor, a.z * factor} }
func (a vec) square() float64          { return a.x*a.x + a.y*a.y + a.z*a.z }

// plummerEnergy is the energy of a Plummer model in units of G M^2/a. Its kinetic energy is half
// the magnitude of its potential energy.
const plummerEnergy = -3 * math.Pi / 64

// plummer returns a cluster of stars in equilibrium, of mass 1 and scale length 1 with G = 1:
// positions and velocities after S. J. Aarseth, M. Henon and R. Wielen, Astron. Astrophys. 37
// (1974) 183, appendix. Its centre of mass is at rest at 0.
func plummer(cfg Config) (at, velocity []vec) {
	at, velocity = make([]vec, cfg.Bodies), make([]vec, cfg.Bodies)
	var centre, drift vec
	for i := range at {
		random := rand.New(rand.NewPCG(cfg.Seed, uint64(i)))
		r := 1 / math.Sqrt(math.Pow(1-random.Float64(), -2./3)-1)
		at[i] = direction(random).times(min(r, farthest))
		escape := math.Sqrt2 / math.Sqrt(math.Sqrt(1+r*r))
		velocity[i] = direction(random).times(escape * fraction(random))
		centre, drift = centre.plus(at[i]), drift.plus(velocity[i])
	}
	each := 1 / float64(cfg.Bodies)
	for i := range at {
		at[i], velocity[i] = at[i].minus(centre.times(each)), velocity[i].minus(drift.times(each))
	}
	return at, velocity
}

// farthest limits the distance of a body from 0. One body in 10^7 to 10^8 would be farther away.
const farthest = 1e4

// fraction returns a random speed in units of the escape velocity. A speed x has the probability
// density x^2 (1-x^2)^(7/2), up to a factor. The maximum is below 0.093.
func fraction(random *rand.Rand) float64 {
	for {
		x := random.Float64()
		if rest := 1 - x*x; 0.1*random.Float64() < x*x*rest*rest*rest*math.Sqrt(rest) {
			return x
		}
	}
}

func direction(random *rand.Rand) vec {
	z, angle := 2*random.Float64()-1, 2*math.Pi*random.Float64()
	r := math.Sqrt(1 - z*z)
	return vec{r * math.Cos(angle), r * math.Sin(angle), z}
}
