// Generated from the OpenAPI document by `npm run generate`. Not to be edited.

export interface paths {
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Needs the scope `keys:manage`.
         */
        get: operations["list-api-keys"];
        put?: never;
        /**
         * Create an API key
         * @description Needs the scope `keys:manage`.
         */
        post: operations["create-api-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Once this is answered, no request that begins later is accepted with the key. Needs the scope `keys:manage`.
         */
        delete: operations["delete-api-key"];
        options?: never;
        head?: never;
        /**
         * Rename an API key
         * @description Scopes are fixed at creation. Needs the scope `keys:manage`.
         */
        patch: operations["update-api-key"];
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Needs the scope `events:read`.
         */
        get: operations["list-events"];
        put?: never;
        /**
         * Store an event
         * @description Needs the scope `events:write`.
         */
        post: operations["create-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event
         * @description Needs the scope `events:read`.
         */
        get: operations["get-event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a batch of events
         * @description All or none are stored. The batch counts as one request. Needs the scope `events:write`.
         */
        post: operations["create-event-batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List exports
         * @description Needs the scope `export`.
         */
        get: operations["list-exports"];
        put?: never;
        /**
         * Export events
         * @description The range is fixed now: events up to the last one that is stored. The file is written afterwards; read the export until its status is completed, or subscribe to export.completed. Needs the scope `export`.
         */
        post: operations["create-export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an export
         * @description Needs the scope `export`.
         */
        get: operations["get-export"];
        put?: never;
        post?: never;
        /**
         * Delete an export
         * @description An export that is being written is cancelled. Its file is deleted shortly after the answer. Needs the scope `export`.
         */
        delete: operations["delete-export"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the file of an export
         * @description Needs the scope `export`.
         */
        get: operations["get-export-content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an API key (other form)
         * @description Needs the scope `keys:manage`.
         */
        post: operations["create-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key (other form)
         * @description Needs the scope `keys:manage`.
         */
        delete: operations["delete-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the hash chain
         * @description Needs the scope `verify`.
         */
        get: operations["verify-chain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the scope `keys:manage`.
         */
        get: operations["list-webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description What is stored after this answer is delivered; what was stored before the request is not. Needs the scope `keys:manage`.
         */
        post: operations["create-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Once this is answered, no new delivery begins. Needs the scope `keys:manage`.
         */
        delete: operations["delete-webhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Once `active: false` is answered, no new delivery begins. A webhook that is activated again gets what happens from then on. Needs the scope `keys:manage`.
         */
        patch: operations["update-webhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Needs the scope `keys:manage`.
         */
        get: operations["list-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a delivery
         * @description Queues a new delivery with the same `data`, and ids of its own, for one of the newest 10,000 attempted deliveries. A disabled webhook is 422. Needs the scope `keys:manage`.
         */
        post: operations["replay-delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a range of events
         * @description Queues a new delivery for each event of the range, both ends included, at most 1,000. After an error, a part of them may be queued. A disabled webhook is 422. Needs the scope `keys:manage`.
         */
        post: operations["replay-events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of a webhook
         * @description During the grace period `webhook-signature` holds a signature with each secret, and `X-Service-Signature` is made with the old one. Needs the scope `keys:manage`.
         */
        post: operations["rotate-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test delivery
         * @description Queues a delivery of the event `webhook.test`, whatever the webhook subscribes to. It is retried and recorded as any other. A disabled webhook is 422. Needs the scope `keys:manage`.
         */
        post: operations["test-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Who did it. */
        Actor: {
            /**
             * @description Who acted.
             * @example u_1
             */
            id?: string;
            /**
             * @description Free-form.
             * @example {
             *       "email": "ada@example.com"
             *     }
             */
            meta?: {
                [key: string]: unknown;
            };
            /**
             * @description What kind: user, service, api_key.
             * @example user
             */
            type?: string;
        };
        ApiKey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * @description `key_` and an opaque text.
             * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
             */
            id: string;
            /**
             * @description The key's leading part, three dots, its last two characters.
             * @example annals_sk_4fQm...z9
             */
            key_prefix: string;
            /** @example billing */
            name: string;
            /**
             * @description What the key may do.
             * @example [
             *       "events:read",
             *       "events:write"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
        };
        ApiKeyUpdate: {
            /**
             * @description 1 to 255 characters after trimming, no control characters; need not be unique.
             * @example billing
             */
            name: string;
        };
        CreatedApiKey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * @description `key_` and an opaque text.
             * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
             */
            id: string;
            /**
             * @description The complete key. Shown in this answer and never again.
             * @example annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9
             */
            key: string;
            /**
             * @description The key's leading part, three dots, its last two characters.
             * @example annals_sk_4fQm...z9
             */
            key_prefix: string;
            /** @example billing */
            name: string;
            /**
             * @description What the key may do.
             * @example [
             *       "events:read",
             *       "events:write"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
        };
        CreatedKey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * @description `key_` and an opaque text.
             * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
             */
            id: string;
            /**
             * @description The complete key. Shown in this answer and never again.
             * @example annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9
             */
            key: string;
            /** @example billing */
            name: string;
            /**
             * @description What the key may do.
             * @example [
             *       "events:read",
             *       "events:write"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
        };
        CreatedWebhook: {
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the service disabled it; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled it; not there when it did not.
             * @enum {string}
             */
            disabled_reason?: "failing";
            dropped?: components["schemas"]["DroppedDeliveries"];
            /**
             * @description What is delivered; `*` is everything. A repeated one counts once.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            /**
             * @description `wh_` and an opaque text.
             * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
             */
            id: string;
            /**
             * @description The signing secret, `whsec_` and base64. Shown in this answer and never again.
             * @example whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE=
             */
            secret: string;
            /**
             * Format: uri
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        Delivery: {
            /** @example 1 */
            attempts: number;
            /**
             * Format: date-time
             * @description When it succeeded; not there when it failed.
             * @example 2026-01-31T09:30:00.052919Z
             */
            delivered_at?: string;
            /**
             * @description The event's name.
             * @example event.created
             */
            event: string;
            /**
             * @description `wh_del_` and an opaque text.
             * @example wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r
             */
            id: string;
            /**
             * Format: date-time
             * @description When the last attempt ended; not there when it succeeded.
             */
            last_attempt_at?: string;
            /**
             * @description Null when no further attempt is to come.
             * @example null
             */
            next_retry_at: string | null;
            /** @enum {string} */
            status: "success" | "failed";
            /** @description Of the last attempt; null when no answer came. */
            status_code: number | null;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            /** @description Whether there is a next page. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description What changed. */
        Diff: {
            /**
             * @description Free-form.
             * @example {
             *       "total": 1250
             *     }
             */
            after?: {
                [key: string]: unknown;
            };
            /**
             * @description Free-form.
             * @example {
             *       "total": 1200
             *     }
             */
            before?: {
                [key: string]: unknown;
            };
        };
        /** @description Deliveries that were not queued, because the account had too many pending; not there when there are none. */
        DroppedDeliveries: {
            count: number;
            first_sequence_number: number | null;
            /** Format: date-time */
            last_at: string;
            last_sequence_number: number | null;
        };
        Error: {
            error: {
                /**
                 * @description Beside type, on 401 and on 403 for a scope.
                 * @enum {string}
                 */
                code?: "unauthorized" | "forbidden";
                /** @description What is at fault in the request. */
                details?: components["schemas"]["FieldFault"][];
                /** @description For people. */
                message: string;
                /** @enum {string} */
                type: "authentication_error" | "scope_error" | "plan_feature_unavailable" | "plan_limit_exceeded" | "not_found" | "validation_error" | "rate_limit_exceeded" | "server_error";
            };
        };
        Event: {
            /**
             * @description What was done, such as `invoice.update`.
             * @example invoice.update
             */
            action: string;
            actor: components["schemas"]["Actor"];
            /**
             * @description Free-form: address, user agent, location.
             * @example {
             *       "ip": "203.0.113.7"
             *     }
             */
            context: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the event got its place in the chain.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            diff: components["schemas"]["Diff"];
            /**
             * @description 64 lower-case hexadecimal characters.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * @description `evt_` and an opaque text.
             * @example evt_0000000000001zttz581y73f7x
             */
            id: string;
            /**
             * @description Free-form.
             * @example {
             *       "request": "r-77"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it happened, as the client said. UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            occurred_at: string;
            /**
             * @description That of the preceding event; 64 zeros for the first.
             * @example 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
             */
            previous_hash: string;
            /**
             * Format: date-time
             * @description When the service had the complete request.
             * @example 2026-01-31T09:30:00.052919Z
             */
            received_at: string;
            /**
             * @description 1 for the account's first event, then one more each.
             * @example 42
             */
            sequence_number: number;
            target: components["schemas"]["Target"];
        };
        EventCreatedPayload: {
            data: components["schemas"]["Event"];
            /** @constant */
            event: "event.created";
            /**
             * @description `wh_evt_` and an opaque text.
             * @example wh_evt_7k0n3r6v9z2d5h8m1q4t7x0b3f
             */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            timestamp: string;
        };
        /**
         * @description Those of the list of events. By default everything.
         * @example {
         *       "action": "invoice.*",
         *       "occurred_from": "2026-01-01T00:00:00Z"
         *     }
         */
        EventFilter: {
            /**
             * @description Exact; with a `*` at the end, a prefix.
             * @example invoice.*
             */
            action?: string;
            /**
             * @description Exact.
             * @example u_1
             */
            actor_id?: string;
            /**
             * @description Exact.
             * @example user
             */
            actor_type?: string;
            /**
             * @description Beyond this sequence number.
             * @example 40
             */
            after_sequence?: number;
            /**
             * @description Below this sequence number.
             * @example 50
             */
            before_sequence?: number;
            /**
             * Format: date-time
             * @description Not before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_from?: string;
            /**
             * Format: date-time
             * @description Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_to?: string;
            /**
             * @description Exact.
             * @example inv_9
             */
            target_id?: string;
            /**
             * @description Exact.
             * @example invoice
             */
            target_type?: string;
        };
        EventPage: {
            data: components["schemas"]["Event"][];
            /** @description Whether there is a next page. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
            proofs?: components["schemas"]["Proof"][];
        };
        /**
         * @description The name of an event; `*` is everything.
         * @enum {string}
         */
        EventPattern: "event.created" | "event.verified" | "export.completed" | "*";
        EventVerifiedPayload: {
            data: components["schemas"]["Verification"];
            /** @constant */
            event: "event.verified";
            /**
             * @description `wh_evt_` and an opaque text.
             * @example wh_evt_7k0n3r6v9z2d5h8m1q4t7x0b3f
             */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            timestamp: string;
        };
        Export: {
            /** @description ISO 8601, UTC, six fraction digits. Null until completed. */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /** @description Events in the file. Null until completed. */
            event_count: number | null;
            filter: components["schemas"]["EventFilter"];
            /** @enum {string} */
            format: "jsonl" | "csv";
            /**
             * @description `exp_` and an opaque text.
             * @example exp_5v8n1c4x7z0q3w6t9r2k5m8p1d
             */
            id: string;
            /** @description Of the complete file, in lower-case hexadecimal. Null until completed. */
            sha256: string | null;
            /** @description Of the complete file. Null until completed. */
            size_bytes: number | null;
            /**
             * @example completed
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
        };
        ExportCompletedPayload: {
            data: components["schemas"]["Export"];
            /** @constant */
            event: "export.completed";
            /**
             * @description `wh_evt_` and an opaque text.
             * @example wh_evt_7k0n3r6v9z2d5h8m1q4t7x0b3f
             */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            timestamp: string;
        };
        ExportPage: {
            data: components["schemas"]["Export"][];
            /** @description Whether there is a next page. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        FieldFault: {
            field: string;
            message: string;
        };
        NewApiKey: {
            /**
             * @description 1 to 255 characters after trimming, no control characters; need not be unique.
             * @example billing
             */
            name: string;
            /**
             * @description By default all five. A repeated one counts once.
             * @example [
             *       "events:read",
             *       "events:write"
             *     ]
             */
            scopes?: components["schemas"]["Scope"][];
        };
        NewBatchEvent: components["schemas"]["NewBatchEventWithAction"] | components["schemas"]["NewBatchEventWithType"];
        /** @description An event with `action` or `type`. */
        NewBatchEventWithAction: {
            /**
             * @description What was done, such as `invoice.update`.
             * @example invoice.update
             */
            action: string;
            actor?: components["schemas"]["Actor"];
            /**
             * @description Free-form: address, user agent, location.
             * @example {
             *       "ip": "203.0.113.7"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
            diff?: components["schemas"]["Diff"];
            /**
             * @description Free-form.
             * @example {
             *       "request": "r-77"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description By default the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_at?: string;
            target?: components["schemas"]["Target"];
            /**
             * @description The same as action. Where both are given they must be equal.
             * @example invoice.update
             */
            type?: string;
        };
        /** @description An event with `action` or `type`. */
        NewBatchEventWithType: {
            /**
             * @description What was done, such as `invoice.update`.
             * @example invoice.update
             */
            action?: string;
            actor?: components["schemas"]["Actor"];
            /**
             * @description Free-form: address, user agent, location.
             * @example {
             *       "ip": "203.0.113.7"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
            diff?: components["schemas"]["Diff"];
            /**
             * @description Free-form.
             * @example {
             *       "request": "r-77"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description By default the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_at?: string;
            target?: components["schemas"]["Target"];
            /**
             * @description The same as action. Where both are given they must be equal.
             * @example invoice.update
             */
            type: string;
        };
        NewEvent: {
            /**
             * @description What was done, such as `invoice.update`.
             * @example invoice.update
             */
            action: string;
            actor?: components["schemas"]["Actor"];
            /**
             * @description Free-form: address, user agent, location.
             * @example {
             *       "ip": "203.0.113.7"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
            diff?: components["schemas"]["Diff"];
            /**
             * @description Free-form.
             * @example {
             *       "request": "r-77"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description By default the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_at?: string;
            target?: components["schemas"]["Target"];
        };
        NewEventBatch: {
            /**
             * @example [
             *       {
             *         "action": "invoice.update",
             *         "actor": {
             *           "id": "u_1",
             *           "type": "user"
             *         }
             *       },
             *       {
             *         "type": "invoice.send",
             *         "target": {
             *           "type": "invoice",
             *           "id": "inv_9"
             *         }
             *       }
             *     ]
             */
            events: components["schemas"]["NewBatchEvent"][];
        };
        NewExport: {
            filter?: components["schemas"]["EventFilter"];
            /**
             * @description By default jsonl.
             * @example jsonl
             * @enum {string}
             */
            format?: "jsonl" | "csv";
            /**
             * @description Whether the file can be verified without the service. It then holds salts: whoever has it can confirm a guess at an erased value. By default false.
             * @example true
             */
            include_proofs?: boolean;
        };
        NewWebhook: {
            /**
             * @description By default true.
             * @example true
             */
            active?: boolean;
            /**
             * @description What is delivered; `*` is everything. A repeated one counts once.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        /** @description What recomputing the hash needs besides the event. */
        Proof: {
            /**
             * @description The account: `acct_` and an opaque text.
             * @example acct_3t7p0v9k5c1q8z2m6x4r0w7d9a
             */
            chain: string;
            digests: {
                /** @example 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a */
                actor: string;
                /** @example 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a */
                context: string;
                /** @example 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a */
                diff: string;
                /** @example 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a */
                metadata: string;
                /** @example 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a */
                target: string;
            };
            salts: {
                /** @example 00112233445566778899aabbccddeeff */
                actor: string;
                /** @example 00112233445566778899aabbccddeeff */
                context: string;
                /** @example 00112233445566778899aabbccddeeff */
                diff: string;
                /** @example 00112233445566778899aabbccddeeff */
                metadata: string;
                /** @example 00112233445566778899aabbccddeeff */
                target: string;
            };
            /** @constant */
            v: 1;
        };
        QueuedDeliveries: {
            /**
             * @description How many were queued.
             * @example 3
             */
            deliveries: number;
        };
        /** @description The new delivery. */
        QueuedDelivery: {
            /**
             * @description `wh_del_` and an opaque text.
             * @example wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r
             */
            id: string;
        };
        ReplayRange: {
            /**
             * @description First event of the range.
             * @example 40
             */
            from_sequence_number: number;
            /**
             * @description Last event of the range.
             * @example 42
             */
            to_sequence_number: number;
        };
        RotatedWebhook: {
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the service disabled it; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled it; not there when it did not.
             * @enum {string}
             */
            disabled_reason?: "failing";
            dropped?: components["schemas"]["DroppedDeliveries"];
            /**
             * @description What is delivered; `*` is everything. A repeated one counts once.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            /**
             * @description `wh_` and an opaque text.
             * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
             */
            id: string;
            /** @description Null where the old secret is not valid any more. */
            previous_secret_expires_at: string | null;
            /**
             * @description The signing secret, `whsec_` and base64. Shown in this answer and never again.
             * @example whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE=
             */
            secret: string;
            /**
             * Format: uri
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        /**
         * @description What a key may do.
         * @enum {string}
         */
        Scope: "events:read" | "events:write" | "verify" | "export" | "keys:manage";
        SecretRotation: {
            /**
             * @description How long deliveries are signed with the old secret, too. By default 86400.
             * @example 3600
             */
            grace_seconds?: number;
        };
        /** @description What it was done to. */
        Target: {
            /**
             * @description Which one.
             * @example inv_9
             */
            id?: string;
            /**
             * @description Free-form.
             * @example {
             *       "number": "2026-0009"
             *     }
             */
            meta?: {
                [key: string]: unknown;
            };
            /**
             * @description What kind of thing was acted upon.
             * @example invoice
             */
            type?: string;
        };
        Verification: {
            /**
             * @description Events that were checked.
             * @example 42
             */
            checked: number;
            /**
             * @description The first event that does not verify; null for a valid chain.
             * @example null
             */
            first_invalid: {
                /** @description Null where that number has no event. */
                event_id: string | null;
                /** @enum {string} */
                reason: "hash_mismatch" | "link_mismatch" | "sequence_gap" | "digest_mismatch" | "head_mismatch";
                sequence_number: number;
            } | null;
            /**
             * @description First event of the range.
             * @example 1
             */
            from_sequence: number;
            head: {
                /**
                 * @description 64 lower-case hexadecimal characters.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                hash: string;
                /**
                 * @description Of the chain's last event; 0 without any.
                 * @example 42
                 */
                sequence_number: number;
            };
            /**
             * @description Last event of the range.
             * @example 42
             */
            to_sequence: number;
            valid: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            verified_at: string;
        };
        Webhook: {
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the service disabled it; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled it; not there when it did not.
             * @enum {string}
             */
            disabled_reason?: "failing";
            dropped?: components["schemas"]["DroppedDeliveries"];
            /**
             * @description What is delivered; `*` is everything. A repeated one counts once.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            /**
             * @description `wh_` and an opaque text.
             * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
             */
            id: string;
            /**
             * Format: uri
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        WebhookTestPayload: {
            data: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                webhook_id: string;
            };
            /** @constant */
            event: "webhook.test";
            /**
             * @description `wh_evt_` and an opaque text.
             * @example wh_evt_7k0n3r6v9z2d5h8m1q4t7x0b3f
             */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            timestamp: string;
        };
        WebhookUpdate: {
            /** @example true */
            active?: boolean;
            /**
             * @description What is delivered; `*` is everything. A repeated one counts once.
             * @example [
             *       "event.created"
             *     ]
             */
            events?: components["schemas"]["EventPattern"][];
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "list-api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "key_8m3kqa7v0d4x2c9r5t1w6y8b3e",
                     *           "name": "billing",
                     *           "key_prefix": "annals_sk_4fQm...z9",
                     *           "scopes": [
                     *             "events:read",
                     *             "events:write"
                     *           ],
                     *           "created_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                    };
                };
            };
        };
    };
    "create-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "billing",
                 *       "scopes": [
                 *         "events:read",
                 *         "events:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "key_8m3kqa7v0d4x2c9r5t1w6y8b3e",
                     *         "name": "billing",
                     *         "key_prefix": "annals_sk_4fQm...z9",
                     *         "scopes": [
                     *           "events:read",
                     *           "events:write"
                     *         ],
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "key": "annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["CreatedApiKey"];
                    };
                };
            };
        };
    };
    "delete-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and an opaque text.
                 * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "update-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and an opaque text.
                 * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "billing"
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyUpdate"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "key_8m3kqa7v0d4x2c9r5t1w6y8b3e",
                     *         "name": "billing",
                     *         "key_prefix": "annals_sk_4fQm...z9",
                     *         "scopes": [
                     *           "events:read",
                     *           "events:write"
                     *         ],
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["ApiKey"];
                    };
                };
            };
        };
    };
    "list-events": {
        parameters: {
            query?: {
                /**
                 * @description Exact; with a `*` at the end, a prefix.
                 * @example invoice.*
                 */
                action?: string;
                /**
                 * @description Exact.
                 * @example u_1
                 */
                actor_id?: string;
                /**
                 * @description Exact.
                 * @example user
                 */
                actor_type?: string;
                /**
                 * @description Beyond this sequence number.
                 * @example 40
                 */
                after_sequence?: number;
                /**
                 * @description Below this sequence number.
                 * @example 50
                 */
                before_sequence?: number;
                /**
                 * @description The next_cursor of the page before, with the same filters where there are any.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /** @description Adds what recomputing the hash needs, beside `data`. */
                include?: "proof";
                /**
                 * @description By default 50.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Not before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                occurred_from?: string;
                /**
                 * @description Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                occurred_to?: string;
                /**
                 * @description By sequence number; by default desc.
                 * @example asc
                 */
                order?: "desc" | "asc";
                /**
                 * @description Exact.
                 * @example inv_9
                 */
                target_id?: string;
                /**
                 * @description Exact.
                 * @example invoice
                 */
                target_type?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_0000000000001zttz581y73f7x",
                     *           "sequence_number": 42,
                     *           "action": "invoice.update",
                     *           "actor": {
                     *             "id": "u_1",
                     *             "type": "user",
                     *             "meta": {
                     *               "email": "ada@example.com"
                     *             }
                     *           },
                     *           "target": {
                     *             "type": "invoice",
                     *             "id": "inv_9",
                     *             "meta": {
                     *               "number": "2026-0009"
                     *             }
                     *           },
                     *           "context": {
                     *             "ip": "203.0.113.7"
                     *           },
                     *           "diff": {
                     *             "before": {
                     *               "total": 1200
                     *             },
                     *             "after": {
                     *               "total": 1250
                     *             }
                     *           },
                     *           "metadata": {
                     *             "request": "r-77"
                     *           },
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "previous_hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                     *           "occurred_at": "2026-01-31T09:30:00.052919Z",
                     *           "received_at": "2026-01-31T09:30:00.052919Z",
                     *           "created_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    "create-event": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A retry with the same key and body within 24 hours adds nothing and gets the first answer.
                 * @example invoice-9-update-3
                 */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "invoice.update",
                 *       "actor": {
                 *         "id": "u_1",
                 *         "type": "user",
                 *         "meta": {
                 *           "email": "ada@example.com"
                 *         }
                 *       },
                 *       "target": {
                 *         "type": "invoice",
                 *         "id": "inv_9",
                 *         "meta": {
                 *           "number": "2026-0009"
                 *         }
                 *       },
                 *       "context": {
                 *         "ip": "203.0.113.7"
                 *       },
                 *       "diff": {
                 *         "before": {
                 *           "total": 1200
                 *         },
                 *         "after": {
                 *           "total": 1250
                 *         }
                 *       },
                 *       "metadata": {
                 *         "request": "r-77"
                 *       },
                 *       "occurred_at": "2026-01-31T09:30:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewEvent"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "evt_0000000000001zttz581y73f7x",
                     *         "sequence_number": 42,
                     *         "action": "invoice.update",
                     *         "actor": {
                     *           "id": "u_1",
                     *           "type": "user",
                     *           "meta": {
                     *             "email": "ada@example.com"
                     *           }
                     *         },
                     *         "target": {
                     *           "type": "invoice",
                     *           "id": "inv_9",
                     *           "meta": {
                     *             "number": "2026-0009"
                     *           }
                     *         },
                     *         "context": {
                     *           "ip": "203.0.113.7"
                     *         },
                     *         "diff": {
                     *           "before": {
                     *             "total": 1200
                     *           },
                     *           "after": {
                     *             "total": 1250
                     *           }
                     *         },
                     *         "metadata": {
                     *           "request": "r-77"
                     *         },
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "previous_hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                     *         "occurred_at": "2026-01-31T09:30:00.052919Z",
                     *         "received_at": "2026-01-31T09:30:00.052919Z",
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Event"];
                    };
                };
            };
        };
    };
    "get-event": {
        parameters: {
            query?: {
                /** @description Adds what recomputing the hash needs, beside `data`. */
                include?: "proof";
            };
            header?: never;
            path: {
                /**
                 * @description `evt_` and an opaque text.
                 * @example evt_0000000000001zttz581y73f7x
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "evt_0000000000001zttz581y73f7x",
                     *         "sequence_number": 42,
                     *         "action": "invoice.update",
                     *         "actor": {
                     *           "id": "u_1",
                     *           "type": "user",
                     *           "meta": {
                     *             "email": "ada@example.com"
                     *           }
                     *         },
                     *         "target": {
                     *           "type": "invoice",
                     *           "id": "inv_9",
                     *           "meta": {
                     *             "number": "2026-0009"
                     *           }
                     *         },
                     *         "context": {
                     *           "ip": "203.0.113.7"
                     *         },
                     *         "diff": {
                     *           "before": {
                     *             "total": 1200
                     *           },
                     *           "after": {
                     *             "total": 1250
                     *           }
                     *         },
                     *         "metadata": {
                     *           "request": "r-77"
                     *         },
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "previous_hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                     *         "occurred_at": "2026-01-31T09:30:00.052919Z",
                     *         "received_at": "2026-01-31T09:30:00.052919Z",
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       },
                     *       "proof": {
                     *         "v": 1,
                     *         "chain": "acct_3t7p0v9k5c1q8z2m6x4r0w7d9a",
                     *         "salts": {
                     *           "actor": "00112233445566778899aabbccddeeff",
                     *           "context": "00112233445566778899aabbccddeeff",
                     *           "diff": "00112233445566778899aabbccddeeff",
                     *           "metadata": "00112233445566778899aabbccddeeff",
                     *           "target": "00112233445566778899aabbccddeeff"
                     *         },
                     *         "digests": {
                     *           "actor": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *           "context": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *           "diff": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *           "metadata": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *           "target": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Event"];
                        proof?: components["schemas"]["Proof"];
                    };
                };
            };
        };
    };
    "create-event-batch": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A retry with the same key and body within 24 hours adds nothing and gets the first answer.
                 * @example invoice-9-update-3
                 */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "action": "invoice.update",
                 *           "actor": {
                 *             "id": "u_1",
                 *             "type": "user"
                 *           }
                 *         },
                 *         {
                 *           "type": "invoice.send",
                 *           "target": {
                 *             "type": "invoice",
                 *             "id": "inv_9"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewEventBatch"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_0000000000001zttz581y73f7x",
                     *           "sequence_number": 42,
                     *           "action": "invoice.update",
                     *           "actor": {
                     *             "id": "u_1",
                     *             "type": "user",
                     *             "meta": {
                     *               "email": "ada@example.com"
                     *             }
                     *           },
                     *           "target": {
                     *             "type": "invoice",
                     *             "id": "inv_9",
                     *             "meta": {
                     *               "number": "2026-0009"
                     *             }
                     *           },
                     *           "context": {
                     *             "ip": "203.0.113.7"
                     *           },
                     *           "diff": {
                     *             "before": {
                     *               "total": 1200
                     *             },
                     *             "after": {
                     *               "total": 1250
                     *             }
                     *           },
                     *           "metadata": {
                     *             "request": "r-77"
                     *           },
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "previous_hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                     *           "occurred_at": "2026-01-31T09:30:00.052919Z",
                     *           "received_at": "2026-01-31T09:30:00.052919Z",
                     *           "created_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Event"][];
                    };
                };
            };
        };
    };
    "list-exports": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the page before, with the same filters where there are any.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description By default 50.
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "exp_5v8n1c4x7z0q3w6t9r2k5m8p1d",
                     *           "status": "completed",
                     *           "format": "jsonl",
                     *           "filter": {
                     *             "action": "invoice.*",
                     *             "occurred_from": "2026-01-01T00:00:00Z"
                     *           },
                     *           "event_count": 2,
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "size_bytes": 1730,
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "completed_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["ExportPage"];
                };
            };
        };
    };
    "create-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "format": "jsonl",
                 *       "filter": {
                 *         "action": "invoice.*",
                 *         "occurred_from": "2026-01-01T00:00:00Z"
                 *       },
                 *       "include_proofs": true
                 *     }
                 */
                "application/json": components["schemas"]["NewExport"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "exp_5v8n1c4x7z0q3w6t9r2k5m8p1d",
                     *         "status": "completed",
                     *         "format": "jsonl",
                     *         "filter": {
                     *           "action": "invoice.*",
                     *           "occurred_from": "2026-01-01T00:00:00Z"
                     *         },
                     *         "event_count": 2,
                     *         "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "size_bytes": 1730,
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "completed_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Export"];
                    };
                };
            };
        };
    };
    "get-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `exp_` and an opaque text.
                 * @example exp_5v8n1c4x7z0q3w6t9r2k5m8p1d
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "exp_5v8n1c4x7z0q3w6t9r2k5m8p1d",
                     *         "status": "completed",
                     *         "format": "jsonl",
                     *         "filter": {
                     *           "action": "invoice.*",
                     *           "occurred_from": "2026-01-01T00:00:00Z"
                     *         },
                     *         "event_count": 2,
                     *         "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "size_bytes": 1730,
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "completed_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Export"];
                    };
                };
            };
        };
    };
    "delete-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `exp_` and an opaque text.
                 * @example exp_5v8n1c4x7z0q3w6t9r2k5m8p1d
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "get-export-content": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `exp_` and an opaque text.
                 * @example exp_5v8n1c4x7z0q3w6t9r2k5m8p1d
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"evt_0000000000001zttz581y73f7x","sequence_number":42,"action":"invoice.update","actor":{"id":"u_1","type":"user","meta":{"email":"ada@example.com"}},"target":{"type":"invoice","id":"inv_9","meta":{"number":"2026-0009"}},"context":{"ip":"203.0.113.7"},"diff":{"before":{"total":1200},"after":{"total":1250}},"metadata":{"request":"r-77"},"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","previous_hash":"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752","occurred_at":"2026-01-31T09:30:00.052919Z","received_at":"2026-01-31T09:30:00.052919Z","created_at":"2026-01-31T09:30:00.052919Z"} */
                    "application/x-ndjson": string;
                    /** @example sequence_number,id,action,actor_id,actor_type,target_id,target_type,occurred_at,received_at,created_at,hash,previous_hash,actor,target,context,diff,metadata,manifest */
                    "text/csv": string;
                };
            };
        };
    };
    "create-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "billing",
                 *       "scopes": [
                 *         "events:read",
                 *         "events:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_8m3kqa7v0d4x2c9r5t1w6y8b3e",
                     *       "name": "billing",
                     *       "key": "annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9",
                     *       "scopes": [
                     *         "events:read",
                     *         "events:write"
                     *       ],
                     *       "created_at": "2026-01-31T09:30:00.052919Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
        };
    };
    "delete-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and an opaque text.
                 * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "verify-chain": {
        parameters: {
            query?: {
                /**
                 * @description First event to verify; by default the chain's first.
                 * @example 1
                 */
                from_sequence?: number;
                /**
                 * @description Last event to verify; by default the chain's last.
                 * @example 42
                 */
                to_sequence?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "valid": true,
                     *         "checked": 42,
                     *         "from_sequence": 1,
                     *         "to_sequence": 42,
                     *         "head": {
                     *           "sequence_number": 42,
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         },
                     *         "first_invalid": null,
                     *         "verified_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Verification"];
                    };
                };
            };
        };
    };
    "list-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "wh_6w9t2q5n8k1h4f7c0z3x6v9s2m",
                     *           "url": "https://hooks.example.com/annals",
                     *           "events": [
                     *             "event.created"
                     *           ],
                     *           "active": true,
                     *           "created_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                    };
                };
            };
        };
    };
    "create-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/annals",
                 *       "events": [
                 *         "event.created"
                 *       ],
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "wh_6w9t2q5n8k1h4f7c0z3x6v9s2m",
                     *         "url": "https://hooks.example.com/annals",
                     *         "events": [
                     *           "event.created"
                     *         ],
                     *         "active": true,
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "secret": "whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE="
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["CreatedWebhook"];
                    };
                };
            };
        };
    };
    "delete-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "update-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/annals",
                 *       "events": [
                 *         "event.created"
                 *       ],
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "wh_6w9t2q5n8k1h4f7c0z3x6v9s2m",
                     *         "url": "https://hooks.example.com/annals",
                     *         "events": [
                     *           "event.created"
                     *         ],
                     *         "active": true,
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
        };
    };
    "list-deliveries": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the page before, with the same filters where there are any.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description By default 50.
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r",
                     *           "event": "event.created",
                     *           "status": "success",
                     *           "status_code": 204,
                     *           "attempts": 1,
                     *           "delivered_at": "2026-01-31T09:30:00.052919Z",
                     *           "next_retry_at": null
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    "replay-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wh_del_` and an opaque text.
                 * @example wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r
                 */
                delivery_id: string;
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["QueuedDelivery"];
                    };
                };
            };
        };
    };
    "replay-events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_sequence_number": 40,
                 *       "to_sequence_number": 42
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRange"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "deliveries": 3
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["QueuedDeliveries"];
                    };
                };
            };
        };
    };
    "rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grace_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "wh_6w9t2q5n8k1h4f7c0z3x6v9s2m",
                     *         "url": "https://hooks.example.com/annals",
                     *         "events": [
                     *           "event.created"
                     *         ],
                     *         "active": true,
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "secret": "whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE=",
                     *         "previous_secret_expires_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["RotatedWebhook"];
                    };
                };
            };
        };
    };
    "test-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque text.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["QueuedDelivery"];
                    };
                };
            };
        };
    };
}
