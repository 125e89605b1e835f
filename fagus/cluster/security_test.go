package cluster

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPage checks that docs/guide/security.md names tests that exist.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)\| ([a-z/0-9]+) (Test\w+) \|$`).FindAllStringSubmatch(string(page), -1)
	if _, table, _ := strings.Cut(string(page), "the test that tries each\n\n"); len(rows) == 0 || len(rows) != strings.Count(strings.SplitN(table, "\n\n", 2)[0], "\n")-1 {
		t.Errorf("%d rows of the table name a test: want each", len(rows))
	}
	for _, row := range rows {
		files, err := filepath.Glob(filepath.Join("../..", row[1], "*_test.go"))
		found := false
		for _, name := range files {
			text, e := os.ReadFile(name)
			if e != nil {
				err = e
			}
			found = found || strings.Contains(string(text), "\nfunc "+row[2]+"(t *testing.T)")
		}
		if err != nil || !found {
			t.Errorf("%s has no %s (error %v)", row[1], row[2], err)
		}
	}
}
