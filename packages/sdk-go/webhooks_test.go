package annals_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

var (
	secretBytes = []byte("0123456789abcdef0123456789abcdef")
	secret      = "whsec_" + base64.StdEncoding.EncodeToString(secretBytes)
	sentAt      = time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
)

const delivery = `{"id":"wh_evt_1","event":"webhook.test","data":{"webhook_id":"wh_1"},"timestamp":"2026-01-31T09:30:00Z"}`

func sum(key []byte, text string) []byte {
	code := hmac.New(sha256.New, key)
	code.Write([]byte(text))
	return code.Sum(nil)
}

func signed(body string) http.Header { return signedAt(sentAt, body) }

func signedNow(body string) http.Header { return signedAt(time.Now(), body) }

func signedAt(when time.Time, body string) http.Header {
	at := strconv.FormatInt(when.Unix(), 10)
	signature := base64.StdEncoding.EncodeToString(sum(secretBytes, "wh_evt_1."+at+"."+body))
	headers := http.Header{}
	headers.Set("webhook-id", "wh_evt_1")
	headers.Set("webhook-timestamp", at)
	headers.Set("webhook-signature", "v1,bm90IGl0 v1a,x v1,"+signature)
	headers.Set("X-Service-Signature", hex.EncodeToString(sum([]byte(secret), body)))
	return headers
}

func after(d time.Duration) annals.WebhookOptions {
	return annals.WebhookOptions{Now: func() time.Time { return sentAt.Add(d) }}
}

func TestADeliveryThatIsSignedIsAccepted(t *testing.T) {
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another one"))
	payload, err := annals.VerifyWebhook([]byte(delivery), signed(delivery), after(time.Minute), other, secret)
	if err != nil || payload.Event != "webhook.test" {
		t.Fatalf("%+v, %v", payload, err)
	}
	var data struct {
		WebhookID string `json:"webhook_id"`
	}
	if err := payload.Decode(&data); err != nil || data.WebhookID != "wh_1" {
		t.Errorf("%+v, %v", data, err)
	}
	options := after(59 * time.Minute)
	options.ServiceSignature = true
	if _, err := annals.VerifyWebhook([]byte(delivery), signed(delivery), options, secret); err != nil {
		t.Error(err)
	}
}

func TestADeliveryIsRefusedWithItsReason(t *testing.T) {
	without := func(name string) http.Header {
		headers := signed(delivery)
		headers.Del(name)
		return headers
	}
	twice := signed(delivery)
	twice.Add("webhook-id", "wh_evt_2")
	for name, each := range map[string]struct {
		body    string
		headers http.Header
		options annals.WebhookOptions
		reason  annals.WebhookReason
	}{
		"another body":    {delivery + " ", signed(delivery), after(0), annals.WebhookWrongSignature},
		"no signature":    {delivery, without("webhook-signature"), after(0), annals.WebhookMissingHeader},
		"no id":           {delivery, without("webhook-id"), after(0), annals.WebhookMissingHeader},
		"an id twice":     {delivery, twice, after(0), annals.WebhookMissingHeader},
		"too late":        {delivery, signed(delivery), after(301 * time.Second), annals.WebhookWrongTime},
		"from the future": {delivery, signed(delivery), after(-301 * time.Second), annals.WebhookWrongTime},
		"not JSON":        {"x", signed("x"), after(0), annals.WebhookNotJSON},
	} {
		_, err := annals.VerifyWebhook([]byte(each.body), each.headers, each.options, secret)
		var own *annals.WebhookError
		if !errors.As(err, &own) || own.Reason != each.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, wrong := range [][]string{{}, {"secret"}} {
		if _, err := annals.VerifyWebhook([]byte(delivery), signed(delivery), after(0), wrong...); err == nil {
			t.Errorf("%v is a secret", wrong)
		}
	}
}
