package main

import (
	"bytes"
	"os"
	"testing"
)

// TestTable: docs/fagusc.md has the table as it comes out.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	page, err := os.ReadFile("../../../../docs/fagusc.md")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := run(t.Context(), &table, 4); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, table.Bytes()) {
		t.Errorf("docs/fagusc.md has another table: go run ./cmd/fagusc/kernels/compare prints\n%s", &table)
	}
}
