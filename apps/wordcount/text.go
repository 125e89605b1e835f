package wordcount

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"unicode"

	"github.com/fagus-dsm/fagus/apps/internal/text"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Text is the text. Run does not change it, so ranks in one process may share it. If it is nil,
	// Run generates a text.
	Text []byte
	// Words and Vocabulary are the number of generated words, and of different ones among which
	// they are chosen: a word that is k-th in the vocabulary has a probability of about 1/k.
	Words, Vocabulary int
	Seed              uint64 // of generated words
	// Top is the number of most frequent words to list in the result.
	Top int
	// Progress counts words at every rank. Spoil makes the last count wrong.
	verify.Options
}

// MaxText limits the bytes of a text.
const MaxText = 1 << 30

const (
	maxWords      = 1 << 28
	maxVocabulary = 1 << 24
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Top < 0:
		return fmt.Errorf("wordcount: top %d words: want at least 0", c.Top)
	case c.Text != nil:
		for range words(c.Text) {
			return nil
		}
		return fmt.Errorf("wordcount: no word in a text of %d bytes: want at least one", len(c.Text))
	case c.Words < 1 || c.Words > maxWords:
		return fmt.Errorf("wordcount: %d words: want 1 to %d", c.Words, maxWords)
	case c.Vocabulary < 1 || c.Vocabulary > maxVocabulary:
		return fmt.Errorf("wordcount: vocabulary of %d words: want 1 to %d", c.Vocabulary, maxVocabulary)
	}
	return nil
}

// Read reads the file at path. Errors name the path.
func Read(path string) ([]byte, error) {
	f, err := text.Open(path)
	if err != nil {
		return nil, fmt.Errorf("wordcount: read %s: %w", path, err)
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, MaxText+1))
	if err == nil && len(all) > MaxText {
		err = fmt.Errorf("more than %d bytes: give a part of it", MaxText)
	}
	if err != nil {
		return nil, fmt.Errorf("wordcount: read %s: %w", path, text.WithoutPath(err))
	}
	return all, nil
}

// block returns a rank's part of the text.
func (c *Config) block(ranks, rank int) []byte {
	if c.Text != nil {
		lo, hi := parts.Block(len(c.Text), ranks, rank)
		return c.Text[cut(c.Text, lo):cut(c.Text, hi)]
	}
	lo, hi := parts.Block(c.Words, ranks, rank)
	var text []byte
	for i := lo; i < hi; i++ {
		text = append(appendWord(text, c.choose(i)), ' ')
	}
	return text
}

// cut returns the first place from i on where text can be cut: its beginning, its end, or a space.
func cut(text []byte, i int) int {
	if i == 0 {
		return 0
	}
	if more := bytes.IndexAny(text[i:], " \t\r\n"); more >= 0 {
		return i + more
	}
	return len(text)
}

// choose returns the place in the vocabulary, from 1 on, of generated word i. The places from one
// power of 2 to the next are a group; all groups are equally probable, and so are all places of a
// group.
func (c *Config) choose(i int) int {
	random := verify.Mix(c.Seed + (uint64(i)+1)*0x9e3779b97f4a7c15)
	first := 1 << (random % uint64(bits.Len(uint(c.Vocabulary))))
	next := min(2*first, c.Vocabulary+1)
	return first + int(random>>32)%(next-first)
}

// appendWord appends the word at a place in the vocabulary: a syllable for every two digits.
func appendWord(text []byte, place int) []byte {
	for ; place > 0; place /= 100 {
		text = append(text, "bcdfghjklmnpqrstvwxz"[place%100/5], "aeiou"[place%5])
	}
	return text
}

// words returns the words of a text, in lower case.
func words(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		for word := range bytes.FieldsFuncSeq(text, between) {
			if !yield(string(bytes.ToLower(word))) {
				return
			}
		}
	}
}
