package water

import "math"

// Units are the same as in GROMACS: nm, ps, atomic mass units, kJ/mol, and elementary charges.
//
// The model is SPC/Fw: Y. Wu, H. L. Tepper and G. A. Voth, J. Chem. Phys. 124 (2006) 024503,
// table I, where lengths are in 0.1 nm, and energies in kcal/mol, that is 4.184 kJ/mol.
const (
	bondLength    = 0.1012
	bondStiffness = 1059.162 * 418.4 // the energy is half of it times the square of the elongation
	bondAngle     = 113.24 * math.Pi / 180
	bendStiffness = 75.90 * 4.184 // likewise, with the square of the angle's change
	diameter      = 0.3165492     // sigma of the Lennard-Jones potential between oxygens
	depth         = 0.1554253 * 4.184
	chargeO       = -0.82
	chargeH       = 0.41

	massO      = 15.9994
	massH      = 1.008
	coulomb    = 138.935458 // the energy of two unit charges at distance 1
	boltzmannT = 0.0083144626 * 298.15

	timeStep = 0.0005 // 0.5 fs
)

type site struct{ x, y, z float64 }

// molecule has the positions of its oxygen and of its two hydrogens.
type molecule [3]site

// Forces and energies are added as multiples of 2^-32 (kJ/mol and nm), because sums of integers
// do not depend on the order, as on Anton (D. E. Shaw et al., Commun. ACM 51 (2008) 91). Momenta
// are integers, too: their unit is the effect of a unit of force in half a time step.
const (
	scale        = 1 << 32
	momentumUnit = timeStep / 2 / scale
)

// push is an integer force on an atom, or its momentum. pushes has the three of a molecule.
type push struct{ x, y, z int64 }
type pushes [3]push

func mass(atom int) float64 {
	if atom == 0 {
		return massO
	}
	return massH
}

func charge(atom int) float64 {
	if atom == 0 {
		return chargeO
	}
	return chargeH
}

// interact adds the forces between two molecules to both, and returns their energy.
func interact(a, b *molecule, onA, onB *pushes) int64 {
	energy := repel(&a[0], &b[0], &onA[0], &onB[0])
	for i := range a {
		p, q, sum := a[i], coulomb*charge(i), push{}
		for j := range b {
			dx, dy, dz := p.x-b[j].x, p.y-b[j].y, p.z-b[j].z
			square := dx*dx + dy*dy + dz*dz
			e := q * charge(j) / math.Sqrt(square)
			energy += e
			e *= scale / square
			f, to := push{int64(e * dx), int64(e * dy), int64(e * dz)}, &onB[j]
			sum.x, sum.y, sum.z = sum.x+f.x, sum.y+f.y, sum.z+f.z
			to.x, to.y, to.z = to.x-f.x, to.y-f.y, to.z-f.z
		}
		to := &onA[i]
		to.x, to.y, to.z = to.x+sum.x, to.y+sum.y, to.z+sum.z
	}
	return int64(energy * scale)
}

// repel adds the Lennard-Jones forces between two oxygens, and returns their energy.
func repel(a, b *site, onA, onB *push) float64 {
	dx, dy, dz := a.x-b.x, a.y-b.y, a.z-b.z
	square := dx*dx + dy*dy + dz*dz
	s := diameter * diameter / square
	s *= s * s
	e := 24 * depth * (2*s*s - s) * (scale / square)
	f := push{int64(e * dx), int64(e * dy), int64(e * dz)}
	onA.x, onA.y, onA.z = onA.x+f.x, onA.y+f.y, onA.z+f.z
	onB.x, onB.y, onB.z = onB.x-f.x, onB.y-f.y, onB.z-f.z
	return 4 * depth * (s*s - s)
}

// bend adds the forces of a molecule's bonds and of its angle, and returns their energy.
func bend(m *molecule, on *pushes) int64 {
	var unit [2]site // from the oxygen to a hydrogen
	var length [2]float64
	for h := range unit {
		dx, dy, dz := m[h+1].x-m[0].x, m[h+1].y-m[0].y, m[h+1].z-m[0].z
		length[h] = math.Sqrt(dx*dx + dy*dy + dz*dz)
		unit[h] = site{dx / length[h], dy / length[h], dz / length[h]}
	}
	u, v := unit[0], unit[1]
	cos := u.x*v.x + u.y*v.y + u.z*v.z
	sin := math.Sqrt(1 - cos*cos)
	wide := math.Acos(cos) - bondAngle
	energy := bendStiffness / 2 * wide * wide
	for h := range unit {
		u, v := unit[h], unit[1-h]
		long := length[h] - bondLength
		energy += bondStiffness / 2 * long * long
		along, across := -bondStiffness*long*scale, bendStiffness*wide/(sin*length[h])*scale
		f := push{
			int64(along*u.x + across*(v.x-cos*u.x)),
			int64(along*u.y + across*(v.y-cos*u.y)),
			int64(along*u.z + across*(v.z-cos*u.z)),
		}
		to, back := &on[h+1], &on[0]
		to.x, to.y, to.z = to.x+f.x, to.y+f.y, to.z+f.z
		back.x, back.y, back.z = back.x-f.x, back.y-f.y, back.z-f.z
	}
	return int64(energy * scale)
}

// kick applies forces for half a time step, exactly.
func kick(momenta, forces []pushes) {
	for i := range momenta {
		for j := range momenta[i] {
			p, f := &momenta[i][j], forces[i][j]
			p.x, p.y, p.z = p.x+f.x, p.y+f.y, p.z+f.z
		}
	}
}

func drift(at []molecule, momenta []pushes) {
	for i := range at {
		for j := range at[i] {
			x, p, by := &at[i][j], momenta[i][j], timeStep*momentumUnit/mass(j)
			x.x, x.y, x.z = x.x+float64(p.x)*by, x.y+float64(p.y)*by, x.z+float64(p.z)*by
		}
	}
}

func kinetic(momenta []pushes) (energy int64) {
	for _, m := range momenta {
		sum := 0.0
		for j, p := range m {
			x, y, z := float64(p.x)*momentumUnit, float64(p.y)*momentumUnit, float64(p.z)*momentumUnit
			sum += (x*x + y*y + z*z) / (2 * mass(j))
		}
		energy += int64(sum * scale)
	}
	return energy
}
