package barnes

// numbers are what is added up over all bodies: the potential and the square of the velocity at every step, and the last
// velocity, as multiples of 2^-32. Whole numbers have the same sum in any order.
type numbers []int64

const scale = 1 << 32

func newNumbers(cfg Config) numbers { return make(numbers, 2*cfg.Steps+3) }

func (n numbers) steps() int { return (len(n) - 3) / 2 }

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

// energies are those of a step, if all bodies are of mass each. Of a potential two bodies have half each.
func (n numbers) energies(step int, each float64) (potential, kinetic float64) {
	return float64(n[2*step]) / scale * each / 2, float64(n[2*step+1]) / scale * each / 2
}

func (n numbers) momentum(each float64) vec {
	from := n[len(n)-3:]
	return vec{float64(from[0]), float64(from[1]), float64(from[2])}.times(each / scale)
}
