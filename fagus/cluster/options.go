package cluster

// Option is a setting of one live network. Every command that starts or is a rank has a flag for
// it. An environment variable hands it to ranks.
type Option struct {
	Of      Transport
	Whose   string // the network's owner, for errors
	Name    string // of the flag, without --
	Env     string // the variable
	Default string // in words
	Usage   string // of the flag; the `VALUE` in it stands for the value
}

// Options returns the options of all live networks. A new one needs an entry here, and its use in
// the methods Network.
func Options() []Option {
	return []Option{
		{OFI, "libfabric's", ofiProvider, "FAGUS_PROVIDER", "the fastest NIC's, else TCP",
			"with --net ofi, in a program built with -tags ofi: libfabric's `PROVIDER`, such as 'verbs;ofi_rxm' (FAGUS_PROVIDER); fagus doctor lists them"},
		{OFI, "libfabric's", ofiDomain, "FAGUS_DOMAIN", "the nearest ones, in turn",
			"with --net ofi: the `NIC`, in libfabric's words its domain, such as mlx5_0 (FAGUS_DOMAIN)"},
	}
}

const (
	ofiProvider = "provider" // ofi.Config.Provider
	ofiDomain   = "domain"   // ofi.Config.Domain
)

// Provider returns libfabric's provider, or "".
func (s Settings) Provider() string { return s[ofiProvider] }

// Settings has values of options, by name.
type Settings map[string]string
