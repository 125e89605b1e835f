package water

// following returns the number of molecules after molecule i, cyclically, with which i forms a
// pair. So every pair of n molecules is computed once, and all molecules have about as many.
func following(n, i int) int {
	if n%2 == 0 && i < n/2 {
		return n / 2
	}
	return (n - 1) / 2
}

// reached returns the bounds of the molecules in [from, to) that get forces from the molecules in
// [lo, hi), which are themselves and their partners. They are contiguous.
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

// act adds the forces of molecule i's bonds and of its pairs, and returns their energy.
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

// advance completes a step of velocity Verlet with the forces at its end, records the kinetic
// energy, and begins the next step, if any.
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
