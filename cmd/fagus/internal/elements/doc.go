// Package elements knows the numbers in the memory of an array from the text that describes its
// elements, as checkpoints and records of runs have it.
//
//	e, err := elements.Of("6 elements of type [2]float64", 16, 96)
//	fmt.Println(e.Index(5), e.Text(memory[40:])) // [2][1], and the number there
package elements
