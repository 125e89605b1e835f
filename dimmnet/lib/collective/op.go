package collective

// Sum returns a + b; integers wrap around.
func Sum[T Number](a, b T) T { return a + b }

// Prod returns a * b; integers wrap around.
func Prod[T Number](a, b T) T { return a * b }

// Min returns the smaller of a and b, or NaN if either is NaN; -0 is smaller than 0.
func Min[T Number](a, b T) T { return min(a, b) }

// Max returns the greater of a and b, or NaN if either is NaN; 0 is greater than -0.
func Max[T Number](a, b T) T { return max(a, b) }

// And returns a & b.
func And[T Integer](a, b T) T { return a & b }

// Or returns a | b.
func Or[T Integer](a, b T) T { return a | b }

// Xor returns a ^ b.
func Xor[T Integer](a, b T) T { return a ^ b }
