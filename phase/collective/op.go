package collective

// Sum is a + b; integers wrap around.
func Sum[T Number](a, b T) T { return a + b }

// Prod is a * b; integers wrap around.
func Prod[T Number](a, b T) T { return a * b }

// Min is the smaller of both; -0 is smaller than 0, and a NaN wins.
func Min[T Number](a, b T) T { return min(a, b) }

// Max is the greater of both; 0 is greater than -0, and a NaN wins.
func Max[T Number](a, b T) T { return max(a, b) }

// And is a & b.
func And[T Integer](a, b T) T { return a & b }

// Or is a | b.
func Or[T Integer](a, b T) T { return a | b }

// Xor is a ^ b.
func Xor[T Integer](a, b T) T { return a ^ b }
