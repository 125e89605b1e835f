package water

// following is with how many of the molecules after it, cyclically, molecule i makes a pair. So every pair of n
// molecules is made once, and everybody has about as many.
func following(n, i int) int {
	if n%2 == 0 && i < n/2 {
		return n / 2
	}
	return (n - 1) / 2
}

// reached are the molecules from up to to that are in pairs which begin with molecules lo up to hi, themselves among
// them. They follow each other.
func reached(n, lo, hi, from, to int) (int, int) {
	if lo == hi {
		return 0, 0
	}
	end := min(hi+n/2, lo+n)
	if to <= lo {
		return from, min(to, end-n)
	}
	return max(from, lo), min(to, end)
}

// act adds the forces of molecule i's bonds, and of the pairs that begin with it, and returns their energy.
func act(at []molecule, i int, forces []pushes) int64 {
	energy := bend(&at[i], &forces[i])
	after, first := at[i+1:], forces[i+1:]
	count := following(len(at), i)
	for j := range after[:min(count, len(after))] {
		energy += interact(&at[i], &after[j], &forces[i], &first[j])
	}
	for j := range max(0, count-len(after)) {
		energy += interact(&at[i], &at[j], &forces[i], &forces[j])
	}
	return energy
}

// advance ends a step of velocity Verlet with the forces at its end, notes the kinetic energy, and begins
// the next one, if there is one.
func advance(to numbers, step int, at []molecule, momenta, forces []pushes) {
	if step > 0 {
		kick(momenta, forces)
	}
	*to.kinetic(step) += kinetic(momenta)
	if step == to.steps() {
		to.addMomentum(momenta)
		return
	}
	kick(momenta, forces)
	drift(at, momenta)
}
