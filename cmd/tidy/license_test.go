package main

import "testing"

func TestLicenseRule(t *testing.T) {
	planted(t, licenseRule(), source{"LICENSE": "Do as you like.\n"})
	planted(t, licenseRule(), source{}, "LICENSE:1: missing")
}
