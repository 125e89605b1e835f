package wordcount_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/wordcount"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestEverywhere checks that runs pass, with the counts of the program without Fagus.
func TestEverywhere(t *testing.T) {
	cfg := wordcount.Config{Words: 5000, Vocabulary: 700, Seed: 3, Top: 4}
	want := wordcount.Plain(cfg, apptest.Timer)
	apptest.Everywhere(t, func(on fagus.Config) { apptest.Same(t, wordcount.Run, on, cfg, want) })
}

// TestDelayed checks that counts do not depend on the order in which ranks wait for each other.
func TestDelayed(t *testing.T) {
	cfg := wordcount.Config{Words: 900, Vocabulary: 300, Seed: 4}
	want := wordcount.Plain(cfg, apptest.Timer)
	apptest.Delayed(t, func(t *testing.T, _ uint64, on fagus.Config) { apptest.Same(t, wordcount.Run, on, cfg, want) })
}

// TestText counts a text with long words, words in other scripts, and spaces at the cuts between
// ranks. On four nodes some ranks have no word.
func TestText(t *testing.T) {
	long := strings.Repeat("long", 20)
	cfg := wordcount.Config{Text: []byte("Ein ein\u00e4ugiger \u00c4ugiger " + long + ", ein B\u00c4R b\u00e4r;b\u00e4r " + long + "  \n\t\n   7 "), Top: 3}
	want := []string{"       3 b\u00e4r", "       2 ein", "       2 " + long}
	for nodes := 1; nodes <= 4; nodes++ {
		r := apptest.First(t, wordcount.Run, fagus.Config{Nodes: nodes, Check: fagus.CheckOn}, cfg)
		if !strings.HasPrefix(r.Lines[0], "10 words, 6 different") || !slices.Equal(r.Lines[1:], want) || r.Excess() > 1 {
			t.Errorf("%d nodes: %q, %v; want 10 words, 6 different, %q", nodes, r.Lines, r.Checks, want)
		}
	}
}

// TestSpoiled checks that verification finds a wrong count.
func TestSpoiled(t *testing.T) {
	apptest.Spoiled(t, wordcount.Run, wordcount.Plain, wordcount.Config{Words: 50, Vocabulary: 9, Options: verify.Options{Spoil: true}})
}

// TestProgress checks that every word is reported.
func TestProgress(t *testing.T) {
	apptest.Progress(t, wordcount.Run, wordcount.Plain, 9000, func(o verify.Options) wordcount.Config {
		return wordcount.Config{Words: 9000, Vocabulary: 10, Options: o}
	})
}

// TestMistakes checks that invalid configurations are rejected.
func TestMistakes(t *testing.T) {
	for what, cfg := range map[string]wordcount.Config{
		"no word":                {Vocabulary: 1},
		"no vocabulary":          {Words: 1},
		"too many words":         {Words: 1 << 40, Vocabulary: 1},
		"a negative top":         {Words: 1, Vocabulary: 1, Top: -1},
		"a text without a word":  {Text: []byte(" ,;\n")},
		"a text without a byte":  {Text: []byte{}, Words: 1, Vocabulary: 1},
		"a vocabulary too large": {Words: 1, Vocabulary: 1 << 30},
	} {
		if cfg.Validate() == nil {
			t.Errorf("%s: Validate returns no error", what)
		}
	}
	if err := (&wordcount.Config{Words: 1, Vocabulary: 1}).Validate(); err != nil {
		t.Error(err)
	}
}
