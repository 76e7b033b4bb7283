// Prints how the real k8s.io/apimachinery reads quantities: the text (quoted), its value and
// milli-value ("-" where they mean nothing), or "refused". The texts are fixed corner cases and a
// seeded random mix.
//
//	cd tests/tools/kubernetes && go run ./quantities > ../../common/kubernetes/quantities.tsv
package main

import (
	"fmt"
	"math"
	"math/rand"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

var corners = strings.Fields(`
129e6 1e3 1E3 1E 1Ei 0.1 .5 1. +1 12e-1 0.1m 1k 1K 1_Gi e3 E3 m Ki Ti Pi Ei . + - +. -. .m .Ei 0.Ei 00Ei e-9 e-10
1n 1u 1m 1M 1G 1T 1P 1Ki 1Mi 1Gi 1Ti 1Pi 0 00 000.000 -0 -1 -1m -1500m -0.0001 -1.1Ki 1.1Ki 1.5Gi 0.0001Ki
9223372036854775807 9223372036854775808 9223372036854775807Ki 8Ei 7Ei 7.999999999999Ei 16Ei 100Ei
999999999999999999 1000000000000000000 0.000000001 0.0000000001 0.1n 1.5n 1e-9 1e-10 1e-100 0e-100 0e100
1ee3 1e 1e+3 1e+-3 1e-3 1e+ 1e3m 1m3 1Mm 1iK 1ki 1mi 1KI 1B 1KB 1MiB 1.2.3 1,5 0x10 ١ 1e4294967296 1e4294967299
100m 250m 1100m 1.0005 1.00050001 0.0005 0.00050001 123456789.123456789 123456789.1234567891
1.0000000000000000000000000000001 0.9999999999999999999999Ki 1e00000003 1E-3 1E+3 00001.50 1.50000000000000000000`)

func random(r *rand.Rand) string {
	digits := func(most int) string {
		var text strings.Builder
		for range r.Intn(most + 1) {
			text.WriteByte(byte('0' + r.Intn(10)))
		}
		return text.String()
	}
	suffixes := []string{"", "", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "Ti",
		"e3", "E2", "e-3", "E-7", "e+1", "e", "i", "K", "x", " ", "e1i"}
	text := []string{"", "", "", "", "-", "+"}[r.Intn(6)] + digits(6)
	if r.Intn(2) == 0 {
		text += "." + digits(12)
	}
	return text + suffixes[r.Intn(len(suffixes))]
}

func main() {
	r := rand.New(rand.NewSource(1))
	texts := append([]string{"", " ", "1 Gi", " 1", "1 "}, corners...)
	for range 1500 {
		texts = append(texts, random(r))
	}
	for _, text := range texts {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			fmt.Printf("%q\trefused\n", text)
			continue
		}
		fmt.Printf("%q\t%s\t%s\n", text, value(quantity), milliValue(quantity))
	}
}

// Beyond int64 the library wraps around, and it rounds some negative numbers up and some down:
// there is nothing to be equal to, and nothing that scheduling could meet.
func value(quantity resource.Quantity) string {
	whole := quantity.Value()
	if quantity.CmpInt64(math.MaxInt64) > 0 || quantity.Sign() < 0 && quantity.CmpInt64(whole) != 0 {
		return "-"
	}
	return fmt.Sprint(whole)
}

func milliValue(quantity resource.Quantity) string {
	if value(quantity) == "-" || quantity.CmpInt64(math.MaxInt64/1000) > 0 {
		return "-"
	}
	return fmt.Sprint(quantity.MilliValue())
}
