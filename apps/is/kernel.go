package is

import "slices"

// scatter puts every key where its owner's next one goes.
func scatter(boxes []int32, next []int, keys, owner []int32, shift int) {
	for _, key := range keys {
		to := owner[key>>(shift&31)]
		at := next[to]
		boxes[at] = key
		next[to] = at + 1
	}
}

// tally counts keys by how far they are above lo.
func tally(counts, keys []int32, lo int) {
	for _, key := range keys {
		counts[int(key)-lo]++
	}
}

// accumulate adds to every count those before it.
func accumulate(counts []int32) {
	sum := int32(0)
	for i, c := range counts {
		sum += c
		counts[i] = sum
	}
}

// nobody is where no key has come to.
const nobody = -1

func emptyPlaces(count int) []int32 { return slices.Repeat([]int32{nobody}, count) }

// place puts every key at its rank, which is next[key-lo], and is one more for the next that is equal.
// sorted begins at rank lesser.
func place(sorted, next, keys []int32, lo int, lesser int32) {
	for _, key := range keys {
		rank := &next[int(key)-lo]
		sorted[*rank-lesser] = key
		*rank++
	}
}

// inOrder says whether every place has got a key, and none is less than the one before.
func inOrder(sorted []int32) bool { return !slices.Contains(sorted, nobody) && slices.IsSorted(sorted) }
