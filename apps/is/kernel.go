package is

import "slices"

// scatter appends every key to the message for its bucket's rank.
func scatter(to [][]int32, keys, owner []int32, shift int) {
	for _, key := range keys {
		r := owner[key>>(shift&31)]
		to[r] = append(to[r], key)
	}
}

// tally counts keys by value; counts[0] is the number of keys equal to lo.
func tally(counts, keys []int32, lo int) {
	for _, key := range keys {
		counts[int(key)-lo]++
	}
}

// total returns the sum of counts. It keeps four independent sums, because each addition to a sum
// must wait for the result of the previous addition.
func total(counts []int32) int32 {
	var s0, s1, s2, s3 int32
	for ; len(counts) >= 4; counts = counts[4:] {
		s0, s1, s2, s3 = s0+counts[0], s1+counts[1], s2+counts[2], s3+counts[3]
	}
	for _, c := range counts {
		s0 += c
	}
	return s0 + s1 + s2 + s3
}

// add adds more to counts.
func add(counts, more []int32) {
	counts = counts[:len(more)]
	for i, c := range more {
		counts[i] += c
	}
}

// accumulate replaces every count by the sum of itself and all counts before it.
func accumulate(counts []int32) {
	sum := int32(0)
	for i, c := range counts {
		sum += c
		counts[i] = sum
	}
}

// missing marks an element of the sorted keys without a key.
const missing = -1

func unsorted(count int) []int32 { return slices.Repeat([]int32{missing}, count) }

// place puts every key into sorted at its rank, which it takes from next[key-lo] and increments,
// so that the next equal key follows. The first element of sorted has rank lesser.
func place(sorted, next, keys []int32, lo int, lesser int32) {
	for _, key := range keys {
		rank := &next[int(key)-lo]
		sorted[*rank-lesser] = key
		*rank++
	}
}

// inOrder reports whether every element of sorted holds a key and keys never decrease.
func inOrder(sorted []int32) bool {
	return !slices.Contains(sorted, missing) && slices.IsSorted(sorted)
}
