// SPDX-License-Identifier: GPL-2.0-or-later
package main

import (
	"errors"
	"fmt"
)

//go:noinline
func price(item string, n int) (int, string, error) {
	if n > 5 {
		return 0, "", errors.New("out of stock")
	}
	return 3 * n, "EUR", nil
}

func main() {
	fmt.Println(price("tea", 2))
	fmt.Println(price("tea", 9))
}
