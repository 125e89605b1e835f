package colony

import "testing"

// BenchmarkTransactions measures random reads and writes of one board, on a link that damages
// 24.5 % of the packets.
func BenchmarkTransactions(b *testing.B) {
	r, err := Measure(Config{Damage: 0.245}, Load{Transactions: b.N})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(r.Transactions)/b.Elapsed().Seconds(), "transactions/s")
}
