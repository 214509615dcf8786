// Checks the signature of a webhook delivery. The standard library is enough.
//
//	WEBHOOK_SECRET=whsec_... go run verify.go TIMESTAMP SIGNATURE < body
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strconv"
	"time"
)

const toleranceSeconds = 300

// isGenuine takes X-Service-Signature and, if there is one, X-Service-Signature-Previous as signatures, and the received octets as body.
func isGenuine(secret, timestamp string, signatures []string, body []byte) bool {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	if away := time.Now().Unix() - at; away > toleranceSeconds || away < -toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v1=" + timestamp + "\n"))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	for _, given := range signatures {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) < 3 || !isGenuine(os.Getenv("WEBHOOK_SECRET"), os.Args[1], os.Args[2:], body) {
		os.Exit(1)
	}
}
