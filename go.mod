module github.com/fagus-dsm/fagus

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/campoy/embedmd v1.0.0 // indirect
	github.com/google/btree v1.1.3 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/sbinet/npyio v0.6.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
