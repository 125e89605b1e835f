package barnes

// numbers holds sums over all bodies, as multiples of 2^-32: of the potential and of the squared
// velocity at every step, and of the velocity at the last step. Sums of integers do not depend on
// the order.
type numbers []int64

const scale = 1 << 32

func newNumbers(cfg Config) numbers { return make(numbers, 2*cfg.Steps+3) }
func (n numbers) steps() int        { return (len(n) - 3) / 2 }

func (n numbers) add(step int, velocity vec, potential float64) {
	n[2*step] += int64(potential * scale)
	n[2*step+1] += int64(velocity.square() * scale)
	if step == n.steps()-1 {
		to := n[len(n)-3:]
		to[0] += int64(velocity.x * scale)
		to[1] += int64(velocity.y * scale)
		to[2] += int64(velocity.z * scale)
	}
}

// energies returns the energies of a step, given the mass of each body. Half of the potential of
// two bodies counts for either body.
func (n numbers) energies(step int, each float64) (potential, kinetic float64) {
	return float64(n[2*step]) / scale * each / 2, float64(n[2*step+1]) / scale * each / 2
}

func (n numbers) momentum(each float64) vec {
	from := n[len(n)-3:]
	return vec{float64(from[0]), float64(from[1]), float64(from[2])}.times(each / scale)
}
