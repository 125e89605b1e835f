package refused

import "fmt"

var global int

// The directive of each function contains the reason for its refusal.

//fagus:parallel want a[i], which it writes (refused.go:14:3), may be a[i-1], which another iteration reads (refused.go:14:10)
func PrefixSum(a []int) {
	// The distance is 1.

	for i := 1; i < len(a); i++ {
		a[i] = a[i-1] + 1
	}
}

//fagus:parallel want sum (refused.go:22:3) may have its value from another iteration
func Running(a, b []int) {
	sum := 0
	for i := range a {
		sum += a[i]
		b[i] = sum
	}
}

//fagus:parallel want two iterations may write the same element by a[index[i]]
func Scatter(a, b []int, index []int) {
	for i := range b {
		a[index[i]] = b[i]
	}
}

//fagus:parallel want two iterations may write the same element by a[i/2]
func Halves(a []int) {
	for i := 0; i < len(a); i++ {
		a[i/2] = i
	}
}

//fagus:parallel want a[i], which it writes (refused.go:45:3), may be a[n-1-i]
func Reverse(a []int) {
	n := len(a)
	for i := 0; i < n; i++ {
		a[i] = a[n-1-i]
	}
}

//fagus:parallel want two iterations may write the same element by a[i*n+i*j]
func Overlapping(a []int, n, m int) {
	for i := 0; i < n; i++ {
		for j := 0; j < m; j++ { // i may be 0
			a[i*n+i*j] = i
		}
	}
}

//fagus:parallel want last is used after the loop (refused.go:65:9)
func Last(a []int) int {
	last := 0
	for i := range a {
		last = a[i]
		a[i] = 0
	}
	return last
}

//fagus:parallel want it may leave the loop before its end
func Find(a []int) {
	for i := range a {
		if a[i] == 0 {
			break
		}
		a[i] = 1
	}
}

//fagus:parallel want return is supported only at the end of the function
func Return(a []int) {
	for i := range a {
		if a[i] == 0 {
			return
		}
		a[i] = 1
	}
}

//fagus:parallel want fmt.Println may have effects that are not known
func Print(a []int) {
	for i := range a {
		fmt.Println(a[i])
	}
}

//fagus:parallel want global is a package variable: pass it as a parameter
func Global(a []int) {
	for i := range a {
		a[i] = global
	}
}

//fagus:parallel want global is not a variable of the function that may be assigned
func counted(a []int) {
	for i := range a {
		a[i] = counts(i)
	}
}

func counts(i int) int {
	global++
	return global + i
}

//fagus:parallel want the elements of a have pointers
func Pointers(a []*int) {
	for i := range a {
		a[i] = nil
	}
}

//fagus:parallel want the slice a is assigned
func Reassigned(a, b []int) {
	a = b
	for i := range a {
		a[i] = 0
	}
}

//fagus:parallel want has no loop that can be parallel
func Nothing(a []int) {
	a[0] = 1
}

//fagus:parallel want generic functions are not supported
func Generic[T any](a []T) {
	for i := range a {
		a[i] = a[0]
	}
}

//fagus:parallel want the condition i < to[n] does not compare i with a polynomial
func Bounds(a, to []int, n int) {
	for i := 0; i < to[n]; i++ {
		a[i] = i
	}
}

//fagus:parallel want this kind of statement is not supported
func Deferred(a []int) {
	for i := range a {
		defer fmt.Println()
		a[i] = 1
	}
}

//fagus:parallel want the slice x as a whole is not supported here
func Whole(a []int) {
	for i := range a {
		x := make([]int, 3)
		y := x
		y[0]++
		a[i] = x[0]
	}
}

//fagus:parallel want i is the index of an enclosing loop: rename it
func Hidden(a []int, n int) {
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			i := j
			a[i] = 1
		}
	}
}

//fagus:parallel want a[index[i]] (refused.go:180:3); //fagus:independent does not help
func Permute(a, b, index []int) {
	//fagus:independent
	for i := range b {
		a[index[i]] = b[i]
	}
}

//fagus:parallel want its body changes the index i
func Skips(a []int, n int) {
	for i := 0; i < n; i++ {
		a[i] = i
		i++
	}
}

//fagus:parallel want its step is not the addition of a number to i
func Doubles(a []int, n int) {
	for i := 1; i < n; i *= 2 {
		a[i] = i
	}
}

//fagus:parallel want i is used after the loop (refused.go:205:9)
func Ends(a []int, n int) int {
	var i int
	for i = 0; i < n; i++ {
		a[i] = i
	}
	return i
}

//fagus:parallel want its index i is not a signed integer
func Unsigned(a []int) {
	for i := uint(0); i < 3; i++ {
		a[i] = 1
	}
}

//fagus:parallel want best (refused.go:218:10) may have its value from another iteration
func Middle(a []int) (best, at int) {
	for i, x := range a {
		if x > best && x < 10 {
			best, at = x, i
		}
	}
	return best, at
}

//fagus:parallel want its header is not of the form i := a; i < b; i += c
func While(a []int, n int) {
	i := 0
	for i < n {
		a[i] = i
		i++
	}
}

//fagus:parallel want the elements of a have pointers
func Deep(a [][][]int) {
	for i := range a {
		a[i][0][0] = 1
	}
}

//fagus:parallel want the slice a as a whole is not supported here
func Swap(a [][]int) {
	for i := range a {
		a[i] = a[0]
	}
}

//fagus:parallel want it is not reduced, because a is a slice of slices
func Counts(a [][]int, x []int) {
	for i := range x {
		a[x[i]][0]++
	}
}

//fagus:parallel want a[i][0], which it writes (refused.go:258:3), may be a[i-1][0], which another iteration reads (refused.go:258:13)
func Down(a [][]int) {
	for i := 1; i < len(a); i++ {
		a[i][0] = a[i-1][0] + 1
	}
}
