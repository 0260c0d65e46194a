package main

import (
	"encoding/json"
	"iter"
	"net/http"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

type webhook struct {
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
	Secret  string            `json:"secret"`
	Now     int64             `json:"now"`
}

func (r *run) verify(one command) (bool, error) {
	if r.fault == "verify-anything" {
		return true, nil
	}
	if one.Webhook == nil {
		var pages []*annals.EventPage
		if err := json.Unmarshal(one.Pages, &pages); err != nil {
			return false, err
		}
		check, err := annals.VerifyEvents(each(pages))
		return err == nil && check.State == annals.Verified, err
	}
	headers := http.Header{}
	for name, value := range one.Webhook.Headers {
		headers.Set(name, value)
	}
	options := annals.WebhookOptions{Now: func() time.Time { return time.UnixMilli(one.Webhook.Now) }}
	_, err := annals.VerifyWebhook([]byte(one.Webhook.Body), headers, options, one.Webhook.Secret)
	return err == nil, nil
}

func each[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, value := range values {
			if !yield(value, nil) {
				return
			}
		}
	}
}
