package refused

//fagus:parallel want x (edges.go:7:14) may have its value from another iteration
func Alternating(a []int) int {
	x := 0
	for i := range a {
		x = a[i] - x
	}
	return x
}

//fagus:parallel want a[i], which it writes (edges.go:15:3), may be a[(i-8)%4+8]
func Negative(a []int) {
	for i := 0; i < 8; i++ { // the remainders are 0 and negative
		a[i] = a[(i-8)%4+8] + 1
	}
}

//fagus:parallel want last is used after the loop
func Carried(a, b []int) {
	last := 0
	for k := range b {
		b[k] = last // of the loop before
		for i := range a {
			last = a[i]
			a[i] = k
		}
	}
}

//fagus:parallel want may overflow
func Narrow(a []int, k, hi int8) {
	for i := int8(-100); i < hi; i++ {
		a[int(i-k)+300] = 1
	}
}

//fagus:parallel want its index i of type int8 may overflow: use int
func Overrun(a []int) {
	for i := int8(0); i < 127; i += 2 {
		a[i] = 1
	}
}

//fagus:parallel want panic may have effects that are not known
func Guarded(a []int) {
	if len(a) > 5 {
		panic(a[0])
	}
	for i := range a {
		a[i] = 1
	}
}

//fagus:parallel want does not compare i with a polynomial in indices and in variables that do not change
func Moving(a []int, n int) {
	for k := 0; k < 3; k++ {
		for i := 0; i < n; i++ {
			a[i] = a[i+n] + a[i+n-1]
		}
		n--
	}
}
