package water

import (
	"math"
	"math/rand/v2"
)

// spacing is the distance of new molecules: random orientations need more than in water.
const spacing = 0.34

// droplet returns molecules on a cubic lattice with random orientations and velocities of 298 K,
// whose total momentum is exactly zero.
func droplet(cfg Config) (at []molecule, momenta []pushes) {
	at, momenta = make([]molecule, cfg.Molecules), make([]pushes, cfg.Molecules)
	side := int(math.Ceil(math.Cbrt(float64(cfg.Molecules))))
	var total push
	for i := range at {
		random := rand.New(rand.NewPCG(cfg.Seed, uint64(i)))
		oxygen := site{float64(i/side/side) * spacing, float64(i/side%side) * spacing, float64(i%side) * spacing}
		at[i] = turned(oxygen, random)
		for j := range momenta[i] {
			sigma := math.Sqrt(mass(j)*boltzmannT) / momentumUnit
			p := push{int64(sigma * random.NormFloat64()), int64(sigma * random.NormFloat64()), int64(sigma * random.NormFloat64())}
			momenta[i][j] = p
			total.x, total.y, total.z = total.x+p.x, total.y+p.y, total.z+p.z
		}
	}
	// Subtract an equal share of the total from every atom, and the remainder from the first.
	atoms := int64(3 * cfg.Molecules)
	share := push{total.x / atoms, total.y / atoms, total.z / atoms}
	rest := push{total.x % atoms, total.y % atoms, total.z % atoms}
	for i := range momenta {
		for j := range momenta[i] {
			p := &momenta[i][j]
			p.x, p.y, p.z = p.x-share.x-rest.x, p.y-share.y-rest.y, p.z-share.z-rest.z
			rest = push{}
		}
	}
	return at, momenta
}

func turned(oxygen site, random *rand.Rand) molecule {
	u, w := direction(random), direction(random)
	along := u.x*w.x + u.y*w.y + u.z*w.z
	v := site{w.x - along*u.x, w.y - along*u.y, w.z - along*u.z} // perpendicular to u
	length := math.Sqrt(v.x*v.x + v.y*v.y + v.z*v.z)
	m := molecule{oxygen, oxygen, oxygen}
	for h, angle := range []float64{-bondAngle / 2, bondAngle / 2} {
		c, s := bondLength*math.Cos(angle), bondLength*math.Sin(angle)/length
		to := &m[h+1]
		to.x, to.y, to.z = to.x+c*u.x+s*v.x, to.y+c*u.y+s*v.y, to.z+c*u.z+s*v.z
	}
	return m
}

func direction(random *rand.Rand) site {
	z, angle := 2*random.Float64()-1, 2*math.Pi*random.Float64()
	r := math.Sqrt(1 - z*z)
	return site{r * math.Cos(angle), r * math.Sin(angle), z}
}
