// Generated from the OpenAPI document by `npm run generate`. Not to be edited.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccountCheckpoint: {
            /**
             * @description The signed checkpoint of the account's log: the anchor to keep.
             * @example annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z
             *     42
             *     n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
             *
             *     — annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==
             */
            checkpoint: string;
            /**
             * @description Number of the epoch: the head log's entry with the index before it.
             * @example 8812
             */
            epoch: number;
            /**
             * @description The name of the account's log.
             * @example annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z
             */
            origin: string;
            /**
             * @description 64 lower-case hexadecimal characters.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            root: string;
            /**
             * @description How many events the checkpoint covers.
             * @example 42
             */
            size: number;
            /**
             * Format: date-time
             * @description When the epoch was closed. ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            time: string;
        };
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
             * @description IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.
             * @example [
             *       "192.0.2.7",
             *       "2001:db8::/32"
             *     ]
             */
            allowed_ips?: string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key expires; absent if it never does. ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            expires_at?: string;
            /**
             * @description `key_` and an opaque string.
             * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
             */
            id: string;
            /**
             * @description The start of the key, three dots, its last two characters.
             * @example annals_sk_4fQm...z9
             */
            key_prefix: string;
            /**
             * Format: date-time
             * @description The day of the last use, as its first moment in UTC; written within about a minute. Absent if the key was not used.
             * @example 2026-01-31T00:00:00.000000Z
             */
            last_used_at?: string;
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
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        ApiKeyUpdate: {
            /** @description Null: from anywhere. Left out: as they are. */
            allowed_ips?: string[] | null;
            /** @description Null: the key never expires. Left out: as it is. */
            expires_at?: string | null;
            /**
             * @description 1 to 255 characters after trimming, no control characters; need not be unique.
             * @example billing
             */
            name: string;
        };
        Archive: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /** @description Its events with proofs, as JSON Lines that are compressed with zstd. */
            events: {
                /**
                 * @description SHA-256 of the file, in lower-case hexadecimal.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                sha256: string;
                /** @example 36214 */
                size_bytes: number;
            };
            /** @description What proves its events: a bundle of evidence without them. */
            evidence: {
                /**
                 * @description SHA-256 of the file, in lower-case hexadecimal.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                sha256: string;
                /** @example 36214 */
                size_bytes: number;
            };
            /**
             * @description Its first event.
             * @example 1
             */
            from_sequence: number;
            /**
             * @description `arc_` and an opaque string.
             * @example arc_3c6f9j2m5q8t1w4z7a0d3g6k9n
             */
            id: string;
            /**
             * @description The month of UTC in which its events were stored.
             * @example 2026-01
             */
            month: string;
            /**
             * @description Its last event.
             * @example 4200
             */
            to_sequence: number;
            /**
             * Format: date-time
             * @description When its files were written last: an erasure of its events writes them anew.
             * @example 2026-01-31T09:30:00.052919Z
             */
            written_at: string;
        };
        ArchivePage: {
            data: components["schemas"]["Archive"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        AzureEventHubsSinkConfig: {
            /**
             * @description Name of the event hub.
             * @example audit
             */
            event_hub: string;
            /**
             * @description The key, a secret.
             * @example c2VjcmV0IG9mIGFuIGV4YW1wbGU=
             */
            shared_access_key: string;
            /**
             * @description Name of a key that may send.
             * @example send
             */
            shared_access_key_name: string;
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        AzureEventHubsSinkConfigShown: {
            /**
             * @description Name of the event hub.
             * @example audit
             */
            event_hub: string;
            /**
             * @description Name of a key that may send.
             * @example send
             */
            shared_access_key_name: string;
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        /**
         * @description The data of the event, whose attributes are headers with the prefix `ce-`; or, as `application/cloudevents+json`, an event; or, as `application/cloudevents-batch+json`, an array of at most 1,000.
         * @example {
         *       "total": 1250
         *     }
         */
        CloudEvent: unknown;
        Consistency: {
            /**
             * @description The earlier size.
             * @example 40
             */
            from: number;
            /**
             * @description The root at the size `from`.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            from_root: string;
            /**
             * @description The proof (RFC 6962). Empty for equal sizes.
             * @example [
             *       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
             *     ]
             */
            hashes: string[];
            /**
             * @description The later size.
             * @example 42
             */
            to: number;
            /**
             * @description The root at the size `to`.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            to_root: string;
        };
        Covered: {
            /**
             * @description Number of the epoch: the head log's entry with the index before it.
             * @example 8812
             */
            epoch: number;
            /**
             * @description The last event that the epoch covers.
             * @example 42
             */
            sequence_number: number;
            /**
             * Format: date-time
             * @description When the epoch was closed. ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            time: string;
            /** @description The witnesses of the policy that have cosigned the epoch. */
            witnesses: {
                /**
                 * @description Name in the policy.
                 * @example witness.example.com
                 */
                name: string;
                /**
                 * Format: date-time
                 * @description Time of the cosignature. ISO 8601, UTC, six fraction digits.
                 * @example 2026-01-31T09:30:00.052919Z
                 */
                time: string;
            }[];
        };
        CreatedApiKey: {
            /**
             * @description IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.
             * @example [
             *       "192.0.2.7",
             *       "2001:db8::/32"
             *     ]
             */
            allowed_ips?: string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key expires; absent if it never does. ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            expires_at?: string;
            /**
             * @description `key_` and an opaque string.
             * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
             */
            id: string;
            /**
             * @description The complete key. Shown only in this response.
             * @example annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9
             */
            key?: string;
            /**
             * @description The start of the key, three dots, its last two characters.
             * @example annals_sk_4fQm...z9
             */
            key_prefix: string;
            /**
             * Format: date-time
             * @description The day of the last use, as its first moment in UTC; written within about a minute. Absent if the key was not used.
             * @example 2026-01-31T00:00:00.000000Z
             */
            last_used_at?: string;
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
             * @description IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.
             * @example [
             *       "192.0.2.7",
             *       "2001:db8::/32"
             *     ]
             */
            allowed_ips?: string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key expires; absent if it never does. ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            expires_at?: string;
            /**
             * @description `key_` and an opaque string.
             * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
             */
            id: string;
            /**
             * @description The complete key. Shown only in this response.
             * @example annals_sk_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9
             */
            key?: string;
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
             * @description When the service disabled the webhook; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its filter would leave out less, because a value of `not` was erased. Absent if it did not.
             * @enum {string}
             */
            disabled_reason?: "failing" | "erasure";
            dropped?: components["schemas"]["DroppedDeliveries"];
            /**
             * @description The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            filter?: components["schemas"]["WebhookFilter"];
            /**
             * @description `wh_` and an opaque string.
             * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
             */
            id: string;
            /**
             * @description The signing secret, `whsec_` and base64. Shown only in this response.
             * @example whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE=
             */
            secret?: string;
            /**
             * Format: uri
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        CreatedWidgetToken: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the token expires; ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            expires_at: string;
            filter: components["schemas"]["EventFilter"];
            /**
             * @description `wtok_` and an opaque string.
             * @example wtok_2c9r5t1w6y8b3e8m3kqa7v0d4x
             */
            id: string;
            /**
             * @description Origins of the web pages that may use the token. Default: none, only pages of the service itself.
             * @example [
             *       "https://app.example.com"
             *     ]
             */
            origins: string[];
            /**
             * @description Parts of an event to show besides who, what and when. Default: none.
             * @example [
             *       "diff",
             *       "target.meta"
             *     ]
             */
            parts: ("actor.meta" | "target.meta" | "context" | "diff" | "metadata")[];
            /**
             * @description The complete token. Shown only in this response.
             * @example annals_wt_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9
             */
            token: string;
            /**
             * @description The start of the token, three dots, its last two characters.
             * @example annals_wt_4fQm...z9
             */
            token_prefix: string;
            /** @description Null if no viewer was named. */
            viewer: components["schemas"]["WidgetViewer"] | null;
        };
        Delivery: {
            /** @example 1 */
            attempts: number;
            /**
             * Format: date-time
             * @description When the delivery succeeded. Absent if it did not.
             * @example 2026-01-31T09:30:00.052919Z
             */
            delivered_at?: string;
            /**
             * @description The event's name.
             * @example event.created
             */
            event: string;
            /**
             * @description Why the last attempt failed; null after a success. `status`: the response has no 2xx status. `address`: the host has no address that may be connected to. `connection`: no connection, or it broke. `tls`: no valid certificate. `timeout`: no status in time. `response`: no valid response. `interrupted`: the service stopped during the attempt.
             * @example null
             */
            failure: ("status" | "address" | "connection" | "tls" | "timeout" | "response" | "interrupted") | null;
            /**
             * @description `wh_del_` and an opaque string.
             * @example wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r
             */
            id: string;
            /**
             * Format: date-time
             * @description When the last attempt ended. Absent if it succeeded.
             */
            last_attempt_at?: string;
            /**
             * @description When the next attempt is due; null if no attempt is left.
             * @example null
             */
            next_retry_at: string | null;
            /** @enum {string} */
            status: "success" | "failed";
            /** @description Status code of the last attempt; null if there was no response. */
            status_code: number | null;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
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
        /** @description Deliveries that were not queued, because the account had too many pending. Absent if there are none. */
        DroppedDeliveries: {
            count: number;
            first_sequence_number: number | null;
            /** Format: date-time */
            last_at: string;
            last_sequence_number: number | null;
        };
        EpochHead: {
            /**
             * @description The first served checkpoint of the head log that holds the entry.
             * @example annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z
             *     42
             *     n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
             *
             *     — annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==
             */
            checkpoint: string;
            /**
             * @description Leads from this head to the account's newest served head.
             * @example [
             *       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
             *     ]
             */
            consistency: string[];
            /**
             * @description The epoch's entry of the head log, in canonical JSON.
             * @example {"epoch":8812,"heads":"9f86d0…","kind":"heads","time":"2026-01-31T09:30:00.000000Z","v":1}
             */
            entry: string;
            /**
             * @description Number of the epoch.
             * @example 8812
             */
            epoch: number;
            /** @description The record of the account's head in this epoch. */
            head: {
                /** @example acct_0h4n8r2v6y1b5e9j3m7q0t4w8z */
                chain: string;
                /**
                 * @description 64 lower-case hexadecimal characters.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                root: string;
                /** @example 42 */
                size: number;
                /** @constant */
                v: 1;
            };
            /**
             * @description Proves the entry under this checkpoint.
             * @example [
             *       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
             *     ]
             */
            inclusion: string[];
            /**
             * @description Proves the head in the map of the epoch, from the top down.
             * @example [
             *       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
             *     ]
             */
            path: string[];
        };
        EpochHeadPage: {
            data: components["schemas"]["EpochHead"][];
            /** @description Whether there are later heads: continue after the epoch of the last one. */
            has_more: boolean;
        };
        Erasure: {
            /** @description Events of this actor are selected. Null once the erasure has ended. */
            actor_id: string | null;
            /** @description When it may begin. Until then it can be cancelled. Null once it has begun or ended. */
            begins_at: string | null;
            /** @description Null before, and if the service has no such copies. */
            copies: {
                /** @description Since when no file of an export has a value. */
                exports: string | null;
                /** @description Since when no webhook delivery that begins sends a value. */
                webhooks: string | null;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /** @description When it was completed or cancelled. */
            ended_at: string | null;
            /**
             * @description Events of which it has erased parts so far.
             * @example 310
             */
            erased: number;
            /** @description This event is selected. Null once the erasure has ended. */
            event_id: string | null;
            /**
             * @description Events that a hold has kept from it so far.
             * @example 2
             */
            held: number;
            /**
             * @description `era_` and an opaque string.
             * @example era_4h7k0n3q6s9v2x5z8b1d4f7h0k
             */
            id: string;
            /**
             * @description Parts to erase of each event.
             * @example [
             *       "actor",
             *       "metadata"
             *     ]
             */
            parts: ("actor" | "context" | "diff" | "metadata" | "target")[];
            /** @example case 7 */
            reference: string | null;
            /**
             * @description running: also while the erased values leave the copies of `copies`. completed: none of the selected events up to `up_to_sequence` still has these parts, in the stored events, the filter index and the copies, except those counted in `held`. It says nothing about backups and files that were downloaded.
             * @example completed
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "cancelled";
            /** @description Events about this target are selected. Null once the erasure has ended. */
            target_id: string | null;
            /**
             * @description Last event that it covers: the last one that was stored when it was requested.
             * @example 4200
             */
            up_to_sequence: number;
            /** @description When the old rows had left the tables of the database: their space is overwritten from then on. Null before. */
            vacuumed_at: string | null;
        };
        ErasurePage: {
            data: components["schemas"]["Erasure"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        Error: {
            error: {
                /**
                 * @description Present on 401, and on 403 for a missing scope.
                 * @enum {string}
                 */
                code?: "unauthorized" | "forbidden";
                /** @description What is wrong with the request. */
                details?: components["schemas"]["FieldFault"][];
                /** @description Human-readable. */
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
             * @description When the event was added to the chain.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            diff: components["schemas"]["Diff"];
            /**
             * @description The parts that were erased after the event was stored. Absent if it has all parts.
             * @example [
             *       "actor"
             *     ]
             */
            erased?: ("actor" | "context" | "diff" | "metadata" | "target")[];
            /**
             * @description 64 lower-case hexadecimal characters.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * @description `evt_` and an opaque string.
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
             * @description When the event happened, according to the client. UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            occurred_at: string;
            /**
             * @description Hash of the preceding event; 64 zeros for the first event.
             * @example 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
             */
            previous_hash: string;
            /**
             * Format: date-time
             * @description When the service had received the complete request.
             * @example 2026-01-31T09:30:00.052919Z
             */
            received_at: string;
            /**
             * @description 1 for the account's first event, then increases by one per event.
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
             * @description `wh_evt_` and an opaque string.
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
        EventFacet: {
            counted: {
                /**
                 * @description Events that match.
                 * @example 412
                 */
                events: number;
                /**
                 * @description Events below this sequence number were not counted.
                 * @example 1
                 */
                from_sequence: number;
            };
            /**
             * @description Different values that were counted.
             * @example 2
             */
            distinct: number;
            /**
             * @description Whether all events were counted. If not, the newest ones were: see `counted`.
             * @example true
             */
            exact: boolean;
            /** @example outcome */
            field: string;
            /**
             * @description Events without a value, or without one that begins with `prefix`.
             * @example 12
             */
            missing: number;
            /**
             * @description Counts of the values that are not listed.
             * @example 0
             */
            other: number;
            /** @description The most frequent first. */
            values: {
                /**
                 * @description Events with the value.
                 * @example 391
                 */
                count: number;
                /** @example failure */
                value: string;
            }[];
        };
        /**
         * @description The same filters as GET /v1/events. Default: all events.
         * @example {
         *       "action": "invoice.*",
         *       "occurred_from": "2026-01-01T00:00:00Z"
         *     }
         */
        EventFilter: {
            /**
             * @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
             * @example invoice.*
             */
            action?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example u_1
             */
            actor_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example user
             */
            actor_type?: string | string[];
            /**
             * @description Above this sequence number.
             * @example 40
             */
            after_sequence?: number;
            /**
             * @description Below this sequence number.
             * @example 50
             */
            before_sequence?: number;
            /**
             * @description By declared fields: each by its name. What is stored keeps path and type of them.
             * @example {
             *       "ip": "203.0.113.0/24"
             *     }
             */
            fields?: {
                [key: string]: string | string[];
            };
            /**
             * @description Leaves out events that any of these members selects.
             * @example {
             *       "action": "user.view"
             *     }
             */
            not?: {
                /**
                 * @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
                 * @example invoice.*
                 */
                action?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example u_1
                 */
                actor_id?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example user
                 */
                actor_type?: string | string[];
                /**
                 * @description By declared fields: each by its name. What is stored keeps path and type of them.
                 * @example {
                 *       "ip": "203.0.113.0/24"
                 *     }
                 */
                fields?: {
                    [key: string]: string | string[];
                };
                /**
                 * @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters.
                 * @example failure
                 */
                outcome?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example inv_9
                 */
                target_id?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example invoice
                 */
                target_type?: string | string[];
            };
            /**
             * Format: date-time
             * @description At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
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
             * @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters.
             * @example failure
             */
            outcome?: string | string[];
            /**
             * Format: date-time
             * @description Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            received_from?: string;
            /**
             * Format: date-time
             * @description Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            received_to?: string;
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example inv_9
             */
            target_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example invoice
             */
            target_type?: string | string[];
        };
        EventHistogram: {
            /**
             * @description Whether all events were counted. If not, go on with next_cursor and add the counts.
             * @example true
             */
            complete: boolean;
            /**
             * @description Of the events below the cursor, those from this sequence number on were counted.
             * @example 1
             */
            counted_from_sequence: number;
            /** @description Sorted by time, then in the order of `values`, null last. */
            data: {
                /**
                 * @description At least 1: a bar without events is absent.
                 * @example 12
                 */
                count: number;
                /**
                 * Format: date-time
                 * @description When the bar begins, in UTC.
                 * @example 2026-01-31T09:30:00.052919Z
                 */
                time: string;
                /** @description Null: the events with none of `values`. */
                value: string | null;
            }[];
            /**
             * @example 1d
             * @enum {string}
             */
            interval: "1m" | "5m" | "15m" | "1h" | "1d" | "1w";
            /** @description The cursor of the next page, which counts older events; null if complete. */
            next_cursor: string | null;
            /** @example UTC */
            time_zone: string;
            /**
             * @description Events that were counted.
             * @example 412
             */
            total: number;
            /** @description With `by`: at most ten values, the most frequent of the first page, or fewer if there are so many bars that the answer would be larger than 512 KiB. */
            values: string[];
        };
        EventPage: {
            data: components["schemas"]["Event"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
            proofs?: components["schemas"]["Proof"][];
        };
        /**
         * @description The name of an event; `*` means all of them but `log.checkpointed`.
         * @enum {string}
         */
        EventPattern: "event.created" | "event.verified" | "export.completed" | "log.checkpointed" | "*";
        EventVerifiedPayload: {
            data: components["schemas"]["Verification"];
            /** @constant */
            event: "event.verified";
            /**
             * @description `wh_evt_` and an opaque string.
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
            /** @description ISO 8601, UTC, six fraction digits. Null until the export is completed. */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /** @description Events in the file. Null until the export is completed. */
            event_count: number | null;
            filter: components["schemas"]["SearchFilter"];
            /** @enum {string} */
            format: "jsonl" | "csv" | "csv_bom" | "parquet" | "evidence";
            /**
             * @description `exp_` and an opaque string.
             * @example exp_5v8n1c4x7z0q3w6t9r2k5m8p1d
             */
            id: string;
            /** @description SHA-256 of the complete file, in lower-case hexadecimal. Null until the export is completed. */
            sha256: string | null;
            /** @description Size of the complete file. Null until the export is completed. */
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
             * @description `wh_evt_` and an opaque string.
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
        ExportLogsServiceRequest: {
            /**
             * @description Together they have at most 1,000 log records.
             * @example [
             *       {
             *         "scopeLogs": [
             *           {
             *             "logRecords": [
             *               {
             *                 "timeUnixNano": "1769851800052919000",
             *                 "eventName": "invoice.update",
             *                 "attributes": [
             *                   {
             *                     "key": "user.id",
             *                     "value": {
             *                       "stringValue": "u_1"
             *                     }
             *                   },
             *                   {
             *                     "key": "audit.target.id",
             *                     "value": {
             *                       "stringValue": "inv_9"
             *                     }
             *                   },
             *                   {
             *                     "key": "log.record.uid",
             *                     "value": {
             *                       "stringValue": "01KG8Y5Z7J8Q4V6W2X3C5B7N9M"
             *                     }
             *                   }
             *                 ]
             *               }
             *             ]
             *           }
             *         ]
             *       }
             *     ]
             */
            resourceLogs?: {
                resource?: unknown;
                scopeLogs?: {
                    /** @description Each one is a `LogRecord`. One that is not is rejected by itself. */
                    logRecords?: unknown[] | null;
                    scope?: unknown;
                }[] | null;
            }[] | null;
        };
        ExportLogsServiceResponse: {
            /** @description Absent if every record is stored, and nothing was ignored. */
            partialSuccess?: {
                /**
                 * @description The first ten of them, by their index in the request; and which part of the request was ignored, because it has no log records but members that are not known.
                 * @example 1 of 2 log records cannot be stored. 0: time_unix_nano must be a time before the year 2255
                 */
                errorMessage: string;
                /**
                 * @description Records that cannot be stored, as a number in text. Absent if there are none: a warning.
                 * @example 1
                 */
                rejectedLogRecords?: string;
            };
        };
        ExportPage: {
            data: components["schemas"]["Export"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        FieldFault: {
            field: string;
            message: string;
        };
        Hold: {
            /**
             * @description Only events of this actor are held; null: those of all actors.
             * @example u_7
             */
            actor_id: string | null;
            /**
             * @description First event that is held.
             * @example 40
             */
            from_sequence: number;
            /**
             * @description `hold_` and an opaque string.
             * @example hold_7d2k9m4p1r6t3v8x5z0b2c4f6g
             */
            id: string;
            /**
             * @description Who placed it. A hold of the operator cannot be released with an API key.
             * @example account
             * @enum {string}
             */
            owner: "account" | "operator";
            /**
             * @description Sequence number of the event `annals.hold` that records it.
             * @example 57
             */
            placed_by: number;
            /**
             * @description Last event that is held; null for a hold that also covers later events.
             * @example 42
             */
            to_sequence: number | null;
        };
        HoldPage: {
            data: components["schemas"]["Hold"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        HttpSinkConfig: {
            /**
             * @description A line per event, an array of events, or the `_bulk` request of Elasticsearch and OpenSearch.
             * @example jsonl
             * @enum {string}
             */
            body?: "jsonl" | "array" | "elastic";
            /**
             * @description Whether bodies are gzip.
             * @example true
             */
            compress?: boolean;
            /**
             * @description Up to 20 headers of each request, with their values, which are secrets. Default: none.
             * @example {
             *       "authorization": "Bearer 5c0p3d"
             *     }
             */
            headers?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        HttpSinkConfigShown: {
            /**
             * @description A line per event, an array of events, or the `_bulk` request of Elasticsearch and OpenSearch.
             * @example jsonl
             * @enum {string}
             */
            body: "jsonl" | "array" | "elastic";
            /**
             * @description Whether bodies are gzip.
             * @example true
             */
            compress: boolean;
            /**
             * @description The names of the headers; their values are not shown.
             * @example {
             *       "authorization": null
             *     }
             */
            headers: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        Inclusion: {
            /** @description The signed checkpoint of this size; null if no served epoch that is kept has it. */
            checkpoint: string | null;
            /**
             * @description The hash of the event, which is its leaf.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * @description The proof, from the leaf up (RFC 6962).
             * @example [
             *       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
             *     ]
             */
            hashes: string[];
            /**
             * @description Of the entry in the log, from 0.
             * @example 41
             */
            index: number;
            /**
             * @description The root of the tree: 64 lower-case hexadecimal characters.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            root: string;
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 42
             */
            sequence_number: number;
            /**
             * @description Number of events in the tree.
             * @example 42
             */
            size: number;
        };
        IntakeResult: {
            first_rejections: {
                /**
                 * @description Of the item in the body, from 0.
                 * @example 7
                 */
                index: number;
                /** @example auditID is required */
                reason: string;
            }[];
            /**
             * @description Items among the stored ones of which something large was left out.
             * @example 1
             */
            reduced: number;
            /**
             * @description Items that cannot be stored.
             * @example 1
             */
            rejected: number;
            /**
             * @description Items that an earlier request had stored.
             * @example 0
             */
            replayed: number;
            /**
             * @description Items that are no events.
             * @example 2
             */
            skipped: number;
            /**
             * @description Items that were stored now.
             * @example 398
             */
            stored: number;
        };
        KubernetesEventList: {
            /** @constant */
            apiVersion: "audit.k8s.io/v1";
            /**
             * @description Each one is an `Event` of audit.k8s.io/v1. One that is not is rejected by itself.
             * @example [
             *       {
             *         "level": "Metadata",
             *         "auditID": "2c7d09ad-7336-4fb5-ac36-07e990f5a69f",
             *         "stage": "ResponseComplete",
             *         "requestURI": "/api/v1/namespaces/shop/pods/web-0",
             *         "verb": "delete",
             *         "user": {
             *           "username": "ada@example.com",
             *           "groups": [
             *             "system:authenticated"
             *           ]
             *         },
             *         "objectRef": {
             *           "resource": "pods",
             *           "namespace": "shop",
             *           "name": "web-0",
             *           "apiVersion": "v1"
             *         },
             *         "responseStatus": {
             *           "code": 200
             *         },
             *         "requestReceivedTimestamp": "2026-01-31T09:30:00.052919Z"
             *       }
             *     ]
             */
            items: unknown[];
            /** @constant */
            kind: "EventList";
        };
        ListEventsQuery: {
            /** @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters. */
            action?: string | string[];
            /** @description Exact. One of up to 10 values, 20 in all filters. */
            actor_id?: string | string[];
            /** @description Exact. One of up to 10 values, 20 in all filters. */
            actor_type?: string | string[];
            /** @description Above this sequence number. */
            after_sequence?: number;
            /** @description Below this sequence number. */
            before_sequence?: number;
            /** @description The next_cursor of the previous page; use it with the same filters. */
            cursor?: string;
            /**
             * @description Adds the data needed to recompute the hash, next to `data`.
             * @constant
             */
            include?: "proof";
            /** @description Default: 50. */
            limit?: number;
            /** @description Leaves out events that `action` would select. One of up to 10 values, 20 in all filters. */
            "not.action"?: string | string[];
            /** @description Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters. */
            "not.actor_id"?: string | string[];
            /** @description Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters. */
            "not.actor_type"?: string | string[];
            /** @description Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters. */
            "not.outcome"?: string | string[];
            /** @description Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters. */
            "not.target_id"?: string | string[];
            /** @description Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters. */
            "not.target_type"?: string | string[];
            /**
             * Format: date-time
             * @description At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             */
            occurred_from?: string;
            /**
             * Format: date-time
             * @description Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             */
            occurred_to?: string;
            /**
             * @description Order by sequence number. Default: desc.
             * @enum {string}
             */
            order?: "desc" | "asc";
            /** @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters. */
            outcome?: string | string[];
            /**
             * Format: date-time
             * @description Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             */
            received_from?: string;
            /**
             * Format: date-time
             * @description Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             */
            received_to?: string;
            /** @description Exact. One of up to 10 values, 20 in all filters. */
            target_id?: string | string[];
            /** @description Exact. One of up to 10 values, 20 in all filters. */
            target_type?: string | string[];
            /** @description Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z and A to Z are the same. It has no index, so a page can be short or empty: other filters make it quicker. */
            text?: string;
        };
        Log: {
            /** @description Null if no epoch covers an event of the account yet. */
            covered: components["schemas"]["Covered"] | null;
            /**
             * @description Of the head log, whose entries are the epochs.
             * @example annals.example.com
             */
            log_origin: string;
            /**
             * @description Index of the first entry that can be read. Retention deletes those before it, 256 at a time.
             * @example 0
             */
            min_index: number;
            /** @description The newest epoch, which the witnesses may not have seen yet. Null before the first epoch. */
            newest_epoch: {
                /** @example 8813 */
                epoch: number;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, six fraction digits.
                 * @example 2026-01-31T09:30:00.052919Z
                 */
                time: string;
            } | null;
            /**
             * @description Of the account's log: the origin of the head log, `/` and the account's id.
             * @example annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z
             */
            origin: string;
            /**
             * @description The operator's policy of witnesses. Null without a policy: then each epoch counts at once.
             * @example null
             */
            policy: string | null;
            /**
             * @description Number of events of the account.
             * @example 44
             */
            size: number;
            /** @description Verifier keys that sign the head log now, newest first. The account's log is signed with the same public keys under its own origin. */
            vkeys: string[];
        };
        LogCheckpointedPayload: {
            data: components["schemas"]["AccountCheckpoint"];
            /** @constant */
            event: "log.checkpointed";
            /**
             * @description `wh_evt_` and an opaque string.
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
        LostEvents: {
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 42
             */
            from_sequence_number: number;
            /**
             * @description `retention` had deleted them before, or they were `rejected` by the receiver and passed over. `both`: the oldest ranges are joined.
             * @example retention
             * @enum {string}
             */
            reason: "retention" | "rejected" | "both";
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 42
             */
            to_sequence_number: number;
        };
        NewApiKey: {
            /**
             * @description IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.
             * @example [
             *       "192.0.2.7",
             *       "2001:db8::/32"
             *     ]
             */
            allowed_ips?: string[];
            /**
             * Format: date-time
             * @description When the key expires: from now to 3650 days from now. Left out: it never does. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2027-01-31T09:30:00Z
             */
            expires_at?: string;
            /**
             * @description 1 to 255 characters after trimming, no control characters; need not be unique.
             * @example billing
             */
            name: string;
            /**
             * @description Default: all five. Duplicates are ignored.
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
             * @description Default: the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_at?: string;
            target?: components["schemas"]["Target"];
            /**
             * @description Alias of action. If both are given, they must be equal.
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
             * @description Default: the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            occurred_at?: string;
            target?: components["schemas"]["Target"];
            /**
             * @description Alias of action. If both are given, they must be equal.
             * @example invoice.update
             */
            type: string;
        };
        NewErasure: {
            /**
             * @description Select the events of this actor. Exactly one selector is required.
             * @example u_7
             */
            actor_id?: string;
            /** @description Select this event. It is refused if a hold covers it. */
            event_id?: string;
            /**
             * @description Parts to erase of each event.
             * @example [
             *       "actor",
             *       "metadata"
             *     ]
             */
            parts: ("actor" | "context" | "diff" | "metadata" | "target")[];
            /**
             * @description Your reference, such as the number of a case. It is stored in the chain and cannot be erased, so it must not identify a person.
             * @example case 7
             */
            reference?: string;
            /** @description Select the events about this target. */
            target_id?: string;
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
             * @description Default: the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
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
            filter?: components["schemas"]["SearchFilter"];
            /**
             * @description Default: jsonl. csv_bom: CSV that begins with a byte order mark, without which Excel misreads letters beyond ASCII. parquet: for DuckDB, ClickHouse and Athena. evidence: a tar file that is verified against the log, with proofs and salts whatever include_proofs says. Its range ends at the last event that the log covers.
             * @example jsonl
             * @enum {string}
             */
            format?: "jsonl" | "csv" | "csv_bom" | "parquet" | "evidence";
            /**
             * @description Whether the file can be verified without the service. Such a file contains salts: anyone who has it can confirm a guess at an erased value. Default: false.
             * @example true
             */
            include_proofs?: boolean;
        };
        NewHold: {
            /**
             * @description Hold only events of this actor. Default: of all actors.
             * @example u_7
             */
            actor_id?: string;
            /**
             * @description First event to hold. It may be one that is not stored yet: the hold then covers it from the start.
             * @example 40
             */
            from_sequence: number;
            /**
             * @description Last event to hold. Default: no end, so later events are held too.
             * @example 42
             */
            to_sequence?: number;
        };
        NewRetention: {
            /**
             * @description Whether events are archived before they are deleted, if the plan allows it. Without it nothing changes. False takes effect after 7 days.
             * @example true
             */
            archive?: boolean;
            /** @description Days after which events are deleted, within what the plan allows. Null: those of the plan. */
            days: number | null;
        };
        NewRoleMapping: {
            /**
             * @description A group as the provider names it, to the character.
             * @example audit-readers
             */
            group?: string;
            /**
             * @description Name of an identity provider of the operator.
             * @example okta
             */
            provider: string;
            /**
             * @description What it gives. Of several mappings the highest role counts, and `none` beats all: who has it may not use the account.
             * @example viewer
             * @enum {string}
             */
            role: "none" | "viewer" | "auditor" | "manager";
            /**
             * @description A person as the provider identifies them (`sub`), to the character.
             * @example 00u1a2b3c4D5E6F7g8h9
             */
            subject?: string;
        };
        NewSavedSearch: {
            filter?: components["schemas"]["SearchFilter"];
            /**
             * @description What people call it. Several searches may have the same.
             * @example Failed log-ins
             */
            name: string;
            view?: components["schemas"]["SearchView"];
        };
        NewSearchField: {
            /**
             * @description Only for strings: whether a to z and A to Z are the same. Default: false.
             * @example false
             */
            ignore_case?: boolean;
            /**
             * @description Filters name it as `field.` and this. Default: the path.
             * @example ip
             */
            name?: string;
            /**
             * @description Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or `target.meta`, and names of members below it. An array if a name has other characters than A to Z, a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
             * @example context.ip
             */
            path: string | string[];
            /**
             * @description What a value is read as. A value that is not of the type is not found by the field.
             * @example ip
             * @enum {string}
             */
            type: "string" | "number" | "ip" | "time";
        };
        NewSink: components["schemas"]["NewSinkHttp"] | components["schemas"]["NewSinkSplunkHec"] | components["schemas"]["NewSinkOtlpHttp"] | components["schemas"]["NewSinkSyslog"] | components["schemas"]["NewSinkS3"] | components["schemas"]["NewSinkAzureEventHubs"];
        NewSinkAzureEventHubs: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["AzureEventHubsSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            from?: components["schemas"]["NewSinkFrom"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"];
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example azure_event_hubs
             * @enum {string}
             */
            type: "azure_event_hubs";
        };
        /** @description Null, or no member: all events. */
        NewSinkFilter: components["schemas"]["NewWebhookFilter"] | null;
        /**
         * @description The first event: `start` for the first that is left, a sequence number, or `now` for the first that is stored after the request. Default: now.
         * @example start
         */
        NewSinkFrom: ("start" | "now") | number;
        NewSinkHttp: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["HttpSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            from?: components["schemas"]["NewSinkFrom"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"];
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example http
             * @enum {string}
             */
            type: "http";
        };
        /**
         * @description Only with the format `ocsf`: classes by action, or by a prefix with a `*` at its end, each `class` and `activity`. At most 100, and 16,384 bytes as JSON.
         * @example {
         *       "user.*": {
         *         "class": "account_change"
         *       }
         *     }
         */
        NewSinkMapping: {
            [key: string]: unknown;
        };
        NewSinkOtlpHttp: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["OtlpHttpSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            from?: components["schemas"]["NewSinkFrom"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"];
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example otlp_http
             * @enum {string}
             */
            type: "otlp_http";
        };
        NewSinkS3: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["S3SinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            from?: components["schemas"]["NewSinkFrom"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"];
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example s3
             * @enum {string}
             */
            type: "s3";
        };
        NewSinkSplunkHec: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["SplunkHecSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            from?: components["schemas"]["NewSinkFrom"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"];
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example splunk_hec
             * @enum {string}
             */
            type: "splunk_hec";
        };
        NewSinkSyslog: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["SyslogSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            from?: components["schemas"]["NewSinkFrom"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"];
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example syslog
             * @enum {string}
             */
            type: "syslog";
        };
        NewWebhook: {
            /**
             * @description Default: true.
             * @example true
             */
            active?: boolean;
            /**
             * @description The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            /** @description Null, or no member: all events. */
            filter?: components["schemas"]["NewWebhookFilter"] | null;
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        /**
         * @description Which events a webhook sends `event.created` for, and which a sink is sent: those that match all members, as in GET /v1/events. At most 4,096 bytes as JSON, with path and type of each declared field.
         * @example {
         *       "action": [
         *         "user.deleted",
         *         "invoice.*"
         *       ]
         *     }
         */
        NewWebhookFilter: {
            /**
             * @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
             * @example invoice.*
             */
            action?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example u_1
             */
            actor_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example user
             */
            actor_type?: string | string[];
            /**
             * @description By declared fields: each by its name. What is stored keeps path and type of them.
             * @example {
             *       "ip": "203.0.113.0/24"
             *     }
             */
            fields?: {
                [key: string]: string | string[];
            };
            /**
             * @description Leaves out events that any of these members selects.
             * @example {
             *       "action": "user.view"
             *     }
             */
            not?: {
                /**
                 * @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
                 * @example invoice.*
                 */
                action?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example u_1
                 */
                actor_id?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example user
                 */
                actor_type?: string | string[];
                /**
                 * @description By declared fields: each by its name. What is stored keeps path and type of them.
                 * @example {
                 *       "ip": "203.0.113.0/24"
                 *     }
                 */
                fields?: {
                    [key: string]: string | string[];
                };
                /**
                 * @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters.
                 * @example failure
                 */
                outcome?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example inv_9
                 */
                target_id?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example invoice
                 */
                target_type?: string | string[];
            };
            /**
             * @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters.
             * @example failure
             */
            outcome?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example inv_9
             */
            target_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example invoice
             */
            target_type?: string | string[];
        };
        NewWidgetToken: {
            /**
             * @description Seconds until the token expires. Default: 3600.
             * @example 900
             */
            expires_in?: number;
            filter?: components["schemas"]["EventFilter"];
            /**
             * @description Origins of the web pages that may use the token. Default: none, only pages of the service itself.
             * @example [
             *       "https://app.example.com"
             *     ]
             */
            origins?: string[];
            /**
             * @description Parts of an event to show besides who, what and when. Default: none.
             * @example [
             *       "diff",
             *       "target.meta"
             *     ]
             */
            parts?: ("actor.meta" | "target.meta" | "context" | "diff" | "metadata")[];
            viewer?: components["schemas"]["WidgetViewer"];
        };
        NewWorkload: {
            /**
             * @description IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.
             * @example [
             *       "192.0.2.7",
             *       "2001:db8::/32"
             *     ]
             */
            allowed_ips?: string[];
            /**
             * @description Further claims that its tokens must have, each with the text of this member. A claim that is no text never fits.
             * @example {
             *       "repository_id": "74",
             *       "ref": "refs/heads/main"
             *     }
             */
            claims?: {
                [key: string]: string;
            };
            /**
             * @description Name of an issuer of the operator.
             * @example cluster
             */
            issuer: string;
            /**
             * @description 1 to 255 characters after trimming, no control characters; need not be unique.
             * @example billing
             */
            name: string;
            /**
             * @description What it may do.
             * @example [
             *       "events:write"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * @description The subject (`sub`) of its tokens, to the character. One that ends with `*`, after at least 8 characters, is a beginning.
             * @example system:serviceaccount:logging:collector
             */
            subject: string;
        };
        OtlpHttpSinkConfig: {
            /**
             * @description Up to 20 headers of each request, with their values, which are secrets. Default: none.
             * @example {
             *       "authorization": "Bearer 5c0p3d"
             *     }
             */
            headers?: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        OtlpHttpSinkConfigShown: {
            /**
             * @description The names of the headers; their values are not shown.
             * @example {
             *       "authorization": null
             *     }
             */
            headers: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        /** @description `google.rpc.Status`. */
        OtlpStatus: {
            /** @description A status code of gRPC. */
            code: number;
            /** @description Human-readable. */
            message: string;
        };
        Person: {
            /**
             * @description As the provider has sent it; null if it has sent none.
             * @example ada@example.com
             */
            email: string | null;
            /**
             * @description `usr_` and an opaque string.
             * @example usr_6g1h5j9k3m7n2p4q8r0s5t1v6w
             */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            last_login_at: string;
            /**
             * @description As the provider has sent it; null if it has sent none.
             * @example Ada Example
             */
            name: string | null;
            /** @example okta */
            provider: string;
            /**
             * @example viewer
             * @enum {string}
             */
            role: "viewer" | "auditor" | "manager";
            /**
             * @description The mapping that gives the role.
             * @example rmap_3f8k1m5p9r2t6v0x4z7b1c5d8g
             */
            role_mapping_id: string;
            /**
             * @description How the provider identifies them (`sub`).
             * @example 00u1a2b3c4D5E6F7g8h9
             */
            subject: string;
        };
        PersonPage: {
            data: components["schemas"]["Person"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description The data needed to recompute the hash, besides the event. */
        Proof: {
            /**
             * @description The account: `acct_` and an opaque string.
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
            /** @description By part. Absent if the part is erased. */
            salts: {
                /** @example 00112233445566778899aabbccddeeff */
                actor?: string;
                /** @example 00112233445566778899aabbccddeeff */
                context?: string;
                /** @example 00112233445566778899aabbccddeeff */
                diff?: string;
                /** @example 00112233445566778899aabbccddeeff */
                metadata?: string;
                /** @example 00112233445566778899aabbccddeeff */
                target?: string;
            };
            /** @constant */
            v: 1;
        };
        QueuedDeliveries: {
            /**
             * @description How many deliveries were queued.
             * @example 3
             */
            deliveries: number;
        };
        /** @description The new delivery. */
        QueuedDelivery: {
            /**
             * @description `wh_del_` and an opaque string.
             * @example wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r
             */
            id: string;
        };
        RejectedEvent: {
            /**
             * @description `evt_` and an opaque string.
             * @example evt_0000000000001zttz581y73f7x
             */
            id: string;
            /**
             * @description What the receiver has said, up to 200 characters, without the secrets of the sink.
             * @example document_parsing_exception: failed to parse field [diff]
             */
            reason: string;
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 42
             */
            sequence_number: number;
            /**
             * @description Status of the response, or of the item in it.
             * @example 400
             */
            status: number | null;
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
        Retention: {
            account_days: number | null;
            /**
             * @description Whether events are archived before they are deleted.
             * @example true
             */
            archive: boolean;
            /** @description Until when they still are, after `archive` was set to false. Null: it has no end, or has ended. */
            archive_until: string | null;
            /**
             * @description Last event that is archived. 0 without one.
             * @example 4200
             */
            archived_through: number;
            days: number | null;
            /**
             * @description The active hold that begins first: nothing from its first event on is deleted. Null: no hold is active.
             * @example hold_4h7k0n3q6s9v2x5z8b1d4f7h0k
             */
            hold: string | null;
            /**
             * @description What says `days`. Null without days.
             * @example plan
             */
            limited_by: ("plan" | "account") | null;
            /**
             * @description The shortest time that can be set.
             * @example 30
             */
            min_days: number;
            plan_days: number | null;
            /**
             * @description First event that is not deleted.
             * @example 4201
             */
            retained_from: number;
            /** @description When `account_days` takes effect, if it is shorter than what is in force. Null: it is in force. */
            shorter_from: string | null;
            /**
             * @description Last event that the newest event `annals.retention` names. 0 before the first one.
             * @example 4200
             */
            through_sequence: number;
        };
        RoleMapping: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /** @description Null for a mapping of a subject. */
            group: string | null;
            /**
             * @description `rmap_` and an opaque string.
             * @example rmap_3f8k1m5p9r2t6v0x4z7b1c5d8g
             */
            id: string;
            /**
             * @description Name of an identity provider of the operator.
             * @example okta
             */
            provider: string;
            /**
             * @description What it gives. Of several mappings the highest role counts, and `none` beats all: who has it may not use the account.
             * @example viewer
             * @enum {string}
             */
            role: "none" | "viewer" | "auditor" | "manager";
            /** @description Null for a mapping of a group. */
            subject: string | null;
        };
        RoleMappingPage: {
            data: components["schemas"]["RoleMapping"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
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
             * @description When the service disabled the webhook; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its filter would leave out less, because a value of `not` was erased. Absent if it did not.
             * @enum {string}
             */
            disabled_reason?: "failing" | "erasure";
            dropped?: components["schemas"]["DroppedDeliveries"];
            /**
             * @description The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            filter?: components["schemas"]["WebhookFilter"];
            /**
             * @description `wh_` and an opaque string.
             * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
             */
            id: string;
            /** @description Null if the old secret is no longer valid. */
            previous_secret_expires_at: string | null;
            /**
             * @description The signing secret, `whsec_` and base64. Shown only in this response.
             * @example whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE=
             */
            secret: string;
            /**
             * Format: uri
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        S3SinkConfig: {
            /**
             * @description Name of the bucket.
             * @example acme-audit
             */
            bucket: string;
            credentials?: components["schemas"]["SinkCredentials"];
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            endpoint?: string;
            /**
             * @description What object names begin with; empty, or ends in a slash.
             * @example annals/
             */
            prefix?: string;
            /**
             * @description Region of the bucket.
             * @example eu-central-1
             */
            region: string;
        };
        S3SinkConfigShown: {
            /**
             * @description Name of the bucket.
             * @example acme-audit
             */
            bucket: string;
            credentials?: {
                /**
                 * @description Id of the access key.
                 * @example AKIAIOSFODNN7EXAMPLE
                 */
                access_key_id: string;
            };
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            endpoint?: string;
            /**
             * @description What object names begin with; empty, or ends in a slash.
             * @example annals/
             */
            prefix: string;
            /**
             * @description Region of the bucket.
             * @example eu-central-1
             */
            region: string;
        };
        SavedSearch: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * @description The declared fields that the filter names, as they were when it was set. A list takes only fields that are declared now.
             * @example [
             *       {
             *         "name": "ip",
             *         "path": "context.ip",
             *         "type": "ip",
             *         "ignore_case": false
             *       }
             *     ]
             */
            fields: {
                /**
                 * @description Only for strings: whether a to z and A to Z are the same. Default: false.
                 * @example false
                 */
                ignore_case: boolean;
                /**
                 * @description Filters name it as `field.` and this. Default: the path.
                 * @example ip
                 */
                name: string;
                /**
                 * @description Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or `target.meta`, and names of members below it. An array if a name has other characters than A to Z, a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
                 * @example context.ip
                 */
                path: string | string[];
                /**
                 * @description What a value is read as. A value that is not of the type is not found by the field.
                 * @example ip
                 * @enum {string}
                 */
                type: "string" | "number" | "ip" | "time";
            }[];
            filter: components["schemas"]["SearchFilter"];
            /**
             * @description Whether an erasure has taken a value out of it since its filter was set: then it selects other events.
             * @example false
             */
            has_erased: boolean;
            /**
             * @description `srch_` and an opaque string.
             * @example srch_4d8k2m6p0r3t7v1x5z9b2c4f6g
             */
            id: string;
            /**
             * @description What people call it. Several searches may have the same.
             * @example Failed log-ins
             */
            name: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            updated_at: string;
            view: components["schemas"]["SearchView"];
        };
        SavedSearchUpdate: {
            filter?: components["schemas"]["SearchFilter"];
            /**
             * @description What people call it. Several searches may have the same.
             * @example Failed log-ins
             */
            name?: string;
            view?: components["schemas"]["SearchView"];
        };
        /**
         * @description What a key may do.
         * @enum {string}
         */
        Scope: "events:read" | "events:write" | "verify" | "export" | "keys:manage";
        SearchField: {
            /** @description What its index took of them when they were indexed, by event: of all, also of those without a value. Null if `measured_events` is 0. */
            bytes_per_event: number | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * @description `field_` and an opaque string.
             * @example field_16
             */
            id: string;
            /**
             * @description Only for strings: whether a to z and A to Z are the same. Default: false.
             * @example false
             */
            ignore_case: boolean;
            /**
             * @description The first event from which on its index has all that were indexed.
             * @example 42
             */
            indexed_from: number;
            /**
             * @description Older events, which its index does not have yet.
             * @example 41
             */
            lag_events: number;
            /**
             * @description Events of which `bytes_per_event` and `uncounted` are: 65,536 of the newest that the index has, or 4,096 while it has no such part; 0 before that.
             * @example 65536
             */
            measured_events: number;
            /**
             * @description Filters name it as `field.` and this. Default: the path.
             * @example ip
             */
            name: string;
            /**
             * @description Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or `target.meta`, and names of members below it. An array if a name has other characters than A to Z, a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
             * @example context.ip
             */
            path: string | string[];
            /**
             * @description `building`: older events are still put into its index. Filters find them meanwhile, but more slowly.
             * @example building
             * @enum {string}
             */
            status: "building" | "ready";
            /**
             * @description What a value is read as. A value that is not of the type is not found by the field.
             * @example ip
             * @enum {string}
             */
            type: "string" | "number" | "ip" | "time";
            /** @description Those of them whose values are too many or too long for its index, so that every search of the field compares them. Null if `measured_events` is 0. */
            uncounted: number | null;
        };
        /**
         * @description The same filters as GET /v1/events. Default: all events.
         * @example {
         *       "action": "invoice.*",
         *       "occurred_from": "2026-01-01T00:00:00Z"
         *     }
         */
        SearchFilter: {
            /**
             * @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
             * @example invoice.*
             */
            action?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example u_1
             */
            actor_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example user
             */
            actor_type?: string | string[];
            /**
             * @description Above this sequence number.
             * @example 40
             */
            after_sequence?: number;
            /**
             * @description Below this sequence number.
             * @example 50
             */
            before_sequence?: number;
            /**
             * @description By declared fields: each by its name. What is stored keeps path and type of them.
             * @example {
             *       "ip": "203.0.113.0/24"
             *     }
             */
            fields?: {
                [key: string]: string | string[];
            };
            /**
             * @description Leaves out events that any of these members selects.
             * @example {
             *       "action": "user.view"
             *     }
             */
            not?: {
                /**
                 * @description An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
                 * @example invoice.*
                 */
                action?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example u_1
                 */
                actor_id?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example user
                 */
                actor_type?: string | string[];
                /**
                 * @description By declared fields: each by its name. What is stored keeps path and type of them.
                 * @example {
                 *       "ip": "203.0.113.0/24"
                 *     }
                 */
                fields?: {
                    [key: string]: string | string[];
                };
                /**
                 * @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters.
                 * @example failure
                 */
                outcome?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example inv_9
                 */
                target_id?: string | string[];
                /**
                 * @description Exact. One of up to 10 values, 20 in all filters.
                 * @example invoice
                 */
                target_type?: string | string[];
            };
            /**
             * Format: date-time
             * @description At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
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
             * @description Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10 values, 20 in all filters.
             * @example failure
             */
            outcome?: string | string[];
            /**
             * Format: date-time
             * @description Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            received_from?: string;
            /**
             * Format: date-time
             * @description Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
             * @example 2026-01-31T09:30:00Z
             */
            received_to?: string;
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example inv_9
             */
            target_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values, 20 in all filters.
             * @example invoice
             */
            target_type?: string | string[];
            /**
             * @description Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z and A to Z are the same. It has no index: other filters make it quicker.
             * @example 203.0.113.
             */
            text?: string;
        };
        SearchPath: {
            /**
             * @description Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or `target.meta`, and names of members below it. An array if a name has other characters than A to Z, a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
             * @example context.ip
             */
            path: string | string[];
            /**
             * @description How many of the events that were read have a value there.
             * @example 0.75
             */
            share: number;
            /**
             * @description What a value is read as. A value that is not of the type is not found by the field.
             * @example ip
             * @enum {string}
             */
            type: "string" | "number" | "ip" | "time";
        };
        /**
         * @description How it is shown. The service keeps it and does not read it.
         * @example {
         *       "range": "30d",
         *       "by": "outcome"
         *     }
         */
        SearchView: {
            /**
             * @description The field that splits the bars.
             * @example outcome
             */
            by?: string;
            /**
             * @description The columns of the table, in order.
             * @example [
             *       "occurred_at",
             *       "action",
             *       "actor",
             *       "context.ip"
             *     ]
             */
            columns?: string[];
            /**
             * @description The range of time as the screen that saved it writes it.
             * @example 30d
             */
            range?: string;
        };
        SecretRotation: {
            /**
             * @description How long deliveries are also signed with the old secret. Default: 86400.
             * @example 3600
             */
            grace_seconds?: number;
        };
        Sink: {
            /** @example true */
            active: boolean;
            config: components["schemas"]["HttpSinkConfigShown"] | components["schemas"]["SplunkHecSinkConfigShown"] | components["schemas"]["OtlpHttpSinkConfigShown"] | components["schemas"]["SyslogSinkConfigShown"] | components["schemas"]["S3SinkConfigShown"] | components["schemas"]["AzureEventHubsSinkConfigShown"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            filter?: components["schemas"]["WebhookFilter"];
            format: components["schemas"]["SinkFormat"];
            /**
             * @description `sink_` and an opaque string.
             * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
             */
            id: string;
            include_proof: components["schemas"]["SinkIncludeProof"];
            leave_out: components["schemas"]["SinkLeaveOut"];
            /**
             * @description Classes of OCSF by action. Absent: those of the service.
             * @example {
             *       "user.*": {
             *         "class": "account_change"
             *       }
             *     }
             */
            mapping?: {
                [key: string]: unknown;
            };
            on_rejected: components["schemas"]["SinkOnRejected"];
            status: components["schemas"]["SinkState"];
            type: components["schemas"]["SinkType"];
        };
        SinkCredentials: {
            /**
             * @description Id of the access key.
             * @example AKIAIOSFODNN7EXAMPLE
             */
            access_key_id: string;
            /**
             * @description A secret.
             * @example wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
             */
            secret_access_key: string;
        };
        /**
         * @description What an event is sent as. `annals`: as in lists, with its `chain`.
         * @example annals
         * @enum {string}
         */
        SinkFormat: "annals" | "ocsf" | "ecs" | "cloudevents";
        /**
         * @description Whether each event has its proof. A proof contains salts, with which a guess at an erased value can be confirmed.
         * @example false
         */
        SinkIncludeProof: boolean;
        /**
         * @description Parts of an event that are not sent. Duplicates are ignored.
         * @example [
         *       "diff"
         *     ]
         */
        SinkLeaveOut: ("actor.meta" | "target.meta" | "context" | "diff" | "metadata")[];
        /**
         * @description What is done with a single event that the receiver refuses for good (400, 413, 422). `stop`: it is sent again, and nothing after it. `skip`: it is passed over, and recorded. Default: stop.
         * @example stop
         * @enum {string}
         */
        SinkOnRejected: "stop" | "skip";
        SinkPage: {
            data: components["schemas"]["Sink"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        SinkReplay: {
            /**
             * @description The event that is sent next; at most the next one of the chain.
             * @example 40
             */
            from_sequence_number: number;
        };
        SinkReplayed: {
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 40
             */
            from_sequence_number: number;
        };
        SinkSkip: {
            /**
             * @description The event that `rejected` of the status names.
             * @example 42
             */
            sequence_number: number;
        };
        SinkSkipped: {
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 42
             */
            sequence_number: number;
        };
        /**
         * @description `failing`: the last attempt failed, and the next one is due. `paused`: by `active: false`.
         * @example active
         * @enum {string}
         */
        SinkState: "active" | "failing" | "paused";
        SinkStatus: {
            /**
             * @description Number of the last event that the receiver has acknowledged, or that the filter left out; 0: none yet.
             * @example 41
             */
            cursor: number;
            /**
             * @description Number of the last event of the chain.
             * @example 42
             */
            head: number;
            /**
             * @description Events after the cursor.
             * @example 1
             */
            lag_events: number;
            /**
             * @description How long the first of them has waited; 0 at the head.
             * @example 0.8
             */
            lag_seconds: number;
            /** @description Null if nothing was sent yet. */
            last_delivered_at: string | null;
            /**
             * @description Why the last attempt failed; null if it did not.
             * @example null
             */
            last_error: string | null;
            /**
             * @description Ranges that are never sent, both ends included.
             * @example []
             */
            lost: components["schemas"]["LostEvents"][];
            /** @description Null while the sink is paused. */
            next_attempt_at: string | null;
            /** @description The one event that the receiver refuses for good; null without one. */
            rejected: components["schemas"]["RejectedEvent"] | null;
            status: components["schemas"]["SinkState"];
        };
        SinkTest: {
            /**
             * @description Why the receiver did not accept it; null after a success.
             * @example null
             */
            error: string | null;
            /** @example true */
            success: boolean;
        };
        /**
         * @description What receives the events. It cannot be changed.
         * @example http
         * @enum {string}
         */
        SinkType: "http" | "splunk_hec" | "otlp_http" | "syslog" | "s3" | "azure_event_hubs";
        SinkUpdate: components["schemas"]["SinkUpdatePlain"] | components["schemas"]["SinkUpdateHttp"] | components["schemas"]["SinkUpdateSplunkHec"] | components["schemas"]["SinkUpdateOtlpHttp"] | components["schemas"]["SinkUpdateSyslog"] | components["schemas"]["SinkUpdateS3"] | components["schemas"]["SinkUpdateAzureEventHubs"];
        SinkUpdateAzureEventHubs: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["AzureEventHubsSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example azure_event_hubs
             * @enum {string}
             */
            type: "azure_event_hubs";
        };
        SinkUpdateHttp: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["HttpSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example http
             * @enum {string}
             */
            type: "http";
        };
        SinkUpdateOtlpHttp: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["OtlpHttpSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example otlp_http
             * @enum {string}
             */
            type: "otlp_http";
        };
        SinkUpdatePlain: {
            /** @example true */
            active?: boolean;
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
        };
        SinkUpdateS3: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["S3SinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example s3
             * @enum {string}
             */
            type: "s3";
        };
        SinkUpdateSplunkHec: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["SplunkHecSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example splunk_hec
             * @enum {string}
             */
            type: "splunk_hec";
        };
        SinkUpdateSyslog: {
            /** @example true */
            active?: boolean;
            config: components["schemas"]["SyslogSinkConfig"];
            filter?: components["schemas"]["NewSinkFilter"];
            format?: components["schemas"]["SinkFormat"];
            include_proof?: components["schemas"]["SinkIncludeProof"];
            leave_out?: components["schemas"]["SinkLeaveOut"];
            mapping?: components["schemas"]["NewSinkMapping"] | null;
            on_rejected?: components["schemas"]["SinkOnRejected"];
            /**
             * @example syslog
             * @enum {string}
             */
            type: "syslog";
        };
        SplunkHecSinkConfig: {
            /**
             * @description Whether a batch counts as received when the indexer acknowledges it.
             * @example true
             */
            ack?: boolean;
            /**
             * @description Index of Splunk. Default: that of the token.
             * @example audit
             */
            index?: string;
            /**
             * @description The token of the collector, a secret.
             * @example b5c9-token
             */
            token: string;
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        SplunkHecSinkConfigShown: {
            /**
             * @description Whether a batch counts as received when the indexer acknowledges it.
             * @example true
             */
            ack: boolean;
            /**
             * @description Index of Splunk. Default: that of the token.
             * @example audit
             */
            index?: string;
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        SyslogSinkConfig: {
            /**
             * @description Name or address of a public host.
             * @example syslog.example.com
             */
            host: string;
            /** @example 6514 */
            port: number;
        };
        SyslogSinkConfigShown: {
            /**
             * @description Name or address of a public host.
             * @example syslog.example.com
             */
            host: string;
            /** @example 6514 */
            port: number;
        };
        /** @description What the action was done to. */
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
        Usage: {
            /** @example acct_0h4n8r2v6y1b5e9j3m7q0t4w8z */
            account_id: string;
            /** @description Requests of all keys and widget tokens of the account in its window of 60 seconds. */
            account_requests: {
                /** @example 6000 */
                limit: number;
                /**
                 * @description Seconds until the window ends.
                 * @example 41
                 */
                resets_in: number;
                /** @example 12 */
                used: number;
            };
            /** @description Live keys. */
            api_keys: {
                /**
                 * @description Null if there is no limit.
                 * @example 5
                 */
                limit: number | null;
                /** @example 2 */
                used: number;
            };
            /** @description Events that were stored, with those that retention has deleted. No plan limits them. */
            events: {
                /**
                 * @description Null if there is no limit.
                 * @example null
                 */
                limit: number | null;
                /** @example 4200 */
                used: number;
            };
            /** @description Null if the plan does not include the feature. */
            events_exported_today: {
                /**
                 * @description Null if there is no limit.
                 * @example 100000000
                 */
                limit: number | null;
                /** @example 42000 */
                used: number;
            } | null;
            /** @description Null if the plan does not include the feature. */
            events_replayed_today: {
                /**
                 * @description Null if there is no limit.
                 * @example 100000000
                 */
                limit: number | null;
                /** @example 1000 */
                used: number;
            } | null;
            /** @description Null if the plan does not include the feature. */
            export_bytes: {
                /**
                 * @description Null if there is no limit.
                 * @example 2147483648
                 */
                limit: number | null;
                /** @example 48000000 */
                used: number;
            } | null;
            /** @description Null if the plan does not include the feature. */
            exports: {
                /**
                 * @description Null if there is no limit.
                 * @example 1000
                 */
                limit: number | null;
                /** @example 4 */
                used: number;
            } | null;
            /** @description Null if the plan does not include the feature. */
            exports_under_way: {
                /**
                 * @description Null if there is no limit.
                 * @example 10
                 */
                limit: number | null;
                /** @example 1 */
                used: number;
            } | null;
            /**
             * @description How long an `Idempotency-Key` is kept.
             * @example 72
             */
            idempotency_hours: number;
            /** @description The API key of this request, or the person. */
            key: {
                /**
                 * @description `key_` and an opaque string, or `usr_` for a person.
                 * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
                 */
                id: string;
                /**
                 * @description Of a person.
                 * @example viewer
                 * @enum {string}
                 */
                role?: "viewer" | "auditor" | "manager";
                /**
                 * @example [
                 *       "verify"
                 *     ]
                 */
                scopes: components["schemas"]["Scope"][];
            };
            /** @description Events of this month that count against the plan. */
            month_events: {
                /**
                 * @description Null if there is no limit.
                 * @example 10000
                 */
                limit: number | null;
                /**
                 * @description The month, in UTC.
                 * @example 2026-01
                 */
                month: string;
                /** @example 310 */
                used: number;
            };
            /** @description Null if the plan does not include the feature. */
            pending_deliveries: {
                /**
                 * @description Null if there is no limit.
                 * @example 100000
                 */
                limit: number | null;
                /** @example 0 */
                used: number;
            } | null;
            /** @description Null if the plan does not include the feature. */
            pending_delivery_bytes: {
                /**
                 * @description Null if there is no limit.
                 * @example 268435456
                 */
                limit: number | null;
                /** @example 0 */
                used: number;
            } | null;
            plan: {
                /**
                 * @description What the plan includes.
                 * @example [
                 *       "webhooks",
                 *       "verify"
                 *     ]
                 */
                features: ("webhooks" | "exports" | "verify" | "lifecycle")[];
                /** @example free */
                name: string;
            };
            /** @description Requests of this key in its window of 60 seconds, including this one. */
            requests: {
                /** @example 100 */
                limit: number;
                /**
                 * @description Seconds until the window ends.
                 * @example 41
                 */
                resets_in: number;
                /** @example 3 */
                used: number;
            };
            retention_days: {
                /**
                 * @description How long the record of a delivery is kept. Null if the plan does not include the feature.
                 * @example 30
                 */
                deliveries: number | null;
                /**
                 * @description How long an export is kept. Null if exports do not expire. Null if the plan does not include the feature.
                 * @example 30
                 */
                exports: number | null;
            };
            /** @description Null if the plan does not include the feature. */
            sinks: {
                /**
                 * @description Null if there is no limit.
                 * @example 10
                 */
                limit: number | null;
                /** @example 1 */
                used: number;
            } | null;
            /** @description Null if the plan does not include the feature. */
            webhooks: {
                /**
                 * @description Null if there is no limit.
                 * @example 3
                 */
                limit: number | null;
                /** @example 1 */
                used: number;
            } | null;
            /** @description Live tokens. */
            widget_tokens: {
                /**
                 * @description Null if there is no limit.
                 * @example 10000
                 */
                limit: number | null;
                /** @example 40 */
                used: number;
            };
            /** @description Live widget tokens created by this key. */
            widget_tokens_of_key: {
                /**
                 * @description Null if there is no limit.
                 * @example 2500
                 */
                limit: number | null;
                /** @example 40 */
                used: number;
            };
        };
        Verification: {
            /**
             * @description Number of events that were checked.
             * @example 42
             */
            checked: number;
            /** @description Null if no epoch covers an event of the account yet. */
            covered: components["schemas"]["Covered"] | null;
            /**
             * @description Number of erased parts in the range. With first_invalid, at least of those before it.
             * @example 0
             */
            erased: number;
            /**
             * @description The first event that does not verify; null for a valid chain.
             * @example null
             */
            first_invalid: {
                /** @description Null if no event has this number. */
                event_id: string | null;
                /** @enum {string} */
                reason: "hash_mismatch" | "link_mismatch" | "sequence_gap" | "digest_mismatch" | "head_mismatch" | "tree_mismatch" | "erasure_unrecorded";
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
                 * @description Sequence number of the chain's last event; 0 for an empty chain.
                 * @example 42
                 */
                sequence_number: number;
            };
            /**
             * @description First event of the chain that retention has not deleted.
             * @example 1
             */
            retained_from: number;
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
        VerifyChainQuery: {
            /** @description First event to verify. Default: the first event that retention has left. */
            from_sequence?: number;
            /** @description Last event to verify. Default: the chain's last event. */
            to_sequence?: number;
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
             * @description When the service disabled the webhook; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its filter would leave out less, because a value of `not` was erased. Absent if it did not.
             * @enum {string}
             */
            disabled_reason?: "failing" | "erasure";
            dropped?: components["schemas"]["DroppedDeliveries"];
            /**
             * @description The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
             * @example [
             *       "event.created"
             *     ]
             */
            events: components["schemas"]["EventPattern"][];
            filter?: components["schemas"]["WebhookFilter"];
            /**
             * @description `wh_` and an opaque string.
             * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
             */
            id: string;
            /**
             * Format: uri
             * @example https://hooks.example.com/annals
             */
            url: string;
        };
        /**
         * @description Which events a webhook sends `event.created` for, and which a sink is sent. Absent: all. A member without values, which an erasure leaves, matches none.
         * @example {
         *       "action": [
         *         "user.deleted"
         *       ]
         *     }
         */
        WebhookFilter: {
            /**
             * @example [
             *       "user.deleted"
             *     ]
             */
            action?: string[];
            /**
             * @example [
             *       "u_1"
             *     ]
             */
            actor_id?: string[];
            /**
             * @example [
             *       "user"
             *     ]
             */
            actor_type?: string[];
            /**
             * @description By declared fields: each by the name that it had when the filter was set.
             * @example {
             *       "ip": [
             *         "203.0.113.0/24"
             *       ]
             *     }
             */
            fields?: {
                [key: string]: string[];
            };
            /**
             * @description What is left out: events that any of these members selects.
             * @example {
             *       "action": [
             *         "user.view"
             *       ]
             *     }
             */
            not?: {
                /**
                 * @example [
                 *       "user.deleted"
                 *     ]
                 */
                action?: string[];
                /**
                 * @example [
                 *       "u_1"
                 *     ]
                 */
                actor_id?: string[];
                /**
                 * @example [
                 *       "user"
                 *     ]
                 */
                actor_type?: string[];
                /**
                 * @description By declared fields: each by the name that it had when the filter was set.
                 * @example {
                 *       "ip": [
                 *         "203.0.113.0/24"
                 *       ]
                 *     }
                 */
                fields?: {
                    [key: string]: string[];
                };
                /**
                 * @example [
                 *       "failure"
                 *     ]
                 */
                outcome?: string[];
                /**
                 * @example [
                 *       "inv_9"
                 *     ]
                 */
                target_id?: string[];
                /**
                 * @example [
                 *       "invoice"
                 *     ]
                 */
                target_type?: string[];
            };
            /**
             * @example [
             *       "failure"
             *     ]
             */
            outcome?: string[];
            /**
             * @example [
             *       "inv_9"
             *     ]
             */
            target_id?: string[];
            /**
             * @example [
             *       "invoice"
             *     ]
             */
            target_type?: string[];
        };
        WebhookPage: {
            data: components["schemas"]["Webhook"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        WebhookTestPayload: {
            data: {
                /**
                 * @description `wh_` and an opaque string.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                webhook_id: string;
            };
            /** @constant */
            event: "webhook.test";
            /**
             * @description `wh_evt_` and an opaque string.
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
             * @description The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
             * @example [
             *       "event.created"
             *     ]
             */
            events?: components["schemas"]["EventPattern"][];
            /** @description Null, or no member: all events. */
            filter?: components["schemas"]["NewWebhookFilter"] | null;
            /**
             * Format: uri
             * @description An HTTPS URL of a public host, without a user name.
             * @example https://hooks.example.com/annals
             */
            url?: string;
        };
        WidgetCovered: {
            /**
             * @description Number of the epoch: the head log's entry with the index before it.
             * @example 8812
             */
            epoch: number;
            /**
             * @description The last event that the epoch covers.
             * @example 42
             */
            sequence_number: number;
            /**
             * Format: date-time
             * @description When the epoch was closed. ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            time: string;
            /**
             * @description How many witnesses of the policy have cosigned the epoch.
             * @example 2
             */
            witness_count: number;
        };
        /** @description An event. context, diff, metadata and meta: absent if the token does not show it. */
        WidgetEvent: {
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
            context?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the event was added to the chain.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            diff?: components["schemas"]["Diff"];
            /**
             * @description The parts that were erased after the event was stored. Absent if it has all parts.
             * @example [
             *       "actor"
             *     ]
             */
            erased?: ("actor" | "context" | "diff" | "metadata" | "target")[];
            /**
             * @description 64 lower-case hexadecimal characters.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * @description `evt_` and an opaque string.
             * @example evt_0000000000001zttz581y73f7x
             */
            id: string;
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
             * @description When the event happened, according to the client. UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            occurred_at: string;
            /**
             * @description Hash of the preceding event; 64 zeros for the first event.
             * @example 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
             */
            previous_hash: string;
            /**
             * Format: date-time
             * @description When the service had received the complete request.
             * @example 2026-01-31T09:30:00.052919Z
             */
            received_at: string;
            /**
             * @description 1 for the account's first event, then increases by one per event.
             * @example 42
             */
            sequence_number: number;
            target: components["schemas"]["Target"];
        };
        WidgetEventPage: {
            data: components["schemas"]["WidgetEvent"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
            proofs: components["schemas"]["WidgetProof"][];
        };
        WidgetFilters: {
            /**
             * @description At most 200.
             * @example [
             *       "invoice.create",
             *       "invoice.update"
             *     ]
             */
            actions: string[];
            /**
             * @description At most 200.
             * @example [
             *       "service",
             *       "user"
             *     ]
             */
            actor_types: string[];
            /**
             * @description At most 200.
             * @example [
             *       "invoice"
             *     ]
             */
            target_types: string[];
            /**
             * @description Whether there may be more values: in older events, or beyond the first 200.
             * @example false
             */
            truncated: boolean;
        };
        WidgetLog: {
            /** @description Null if no epoch covers an event of the account yet. */
            covered: components["schemas"]["WidgetCovered"] | null;
            /** @description Of the head log. Null if the service keeps no log. */
            log_origin: string | null;
        };
        /** @description The data needed to recompute the hash, besides the event. */
        WidgetProof: {
            /**
             * @description The account: `acct_` and an opaque string.
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
            /** @description By part. Absent if the token does not show it. Absent if the part is erased. */
            salts: {
                /** @example 00112233445566778899aabbccddeeff */
                actor?: string;
                /** @example 00112233445566778899aabbccddeeff */
                context?: string;
                /** @example 00112233445566778899aabbccddeeff */
                diff?: string;
                /** @example 00112233445566778899aabbccddeeff */
                metadata?: string;
                /** @example 00112233445566778899aabbccddeeff */
                target?: string;
            };
            /** @constant */
            v: 1;
        };
        WidgetToken: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the token expires; ISO 8601, UTC.
             * @example 2026-01-31T09:30:00.052919Z
             */
            expires_at: string;
            filter: components["schemas"]["EventFilter"];
            /**
             * @description `wtok_` and an opaque string.
             * @example wtok_2c9r5t1w6y8b3e8m3kqa7v0d4x
             */
            id: string;
            /**
             * @description Origins of the web pages that may use the token. Default: none, only pages of the service itself.
             * @example [
             *       "https://app.example.com"
             *     ]
             */
            origins: string[];
            /**
             * @description Parts of an event to show besides who, what and when. Default: none.
             * @example [
             *       "diff",
             *       "target.meta"
             *     ]
             */
            parts: ("actor.meta" | "target.meta" | "context" | "diff" | "metadata")[];
            /**
             * @description The start of the token, three dots, its last two characters.
             * @example annals_wt_4fQm...z9
             */
            token_prefix: string;
            /** @description Null if no viewer was named. */
            viewer: components["schemas"]["WidgetViewer"] | null;
        };
        WidgetTokenPage: {
            data: components["schemas"]["WidgetToken"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description The person who views the events, for the record. */
        WidgetViewer: {
            /**
             * @description Your id for the viewer.
             * @example u_7
             */
            id: string;
            /** @example Ada Lovelace */
            name?: string;
        };
        Workload: {
            /**
             * @description IP addresses and networks that the key may be used from; requests from others get 403. Left out: any.
             * @example [
             *       "192.0.2.7",
             *       "2001:db8::/32"
             *     ]
             */
            allowed_ips?: string[];
            /** @description The audience (`aud`) that its tokens must have. Null if no issuer is configured any longer. */
            audience: string | null;
            /**
             * @description Further claims that its tokens must have, each with the text of this member. A claim that is no text never fits.
             * @example {
             *       "repository_id": "74",
             *       "ref": "refs/heads/main"
             *     }
             */
            claims: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC, six fraction digits.
             * @example 2026-01-31T09:30:00.052919Z
             */
            created_at: string;
            /**
             * @description `wkl_` and an opaque string.
             * @example wkl_3f8k1m5p9r2t6v0x4z7b1c5d8g
             */
            id: string;
            /**
             * @description Name of an issuer of the operator.
             * @example cluster
             */
            issuer: string;
            /** @example collector */
            name: string;
            /**
             * @description What it may do.
             * @example [
             *       "events:write"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * @description The subject (`sub`) of its tokens, to the character. One that ends with `*`, after at least 8 characters, is a beginning.
             * @example system:serviceaccount:logging:collector
             */
            subject: string;
        };
        WorkloadPage: {
            data: components["schemas"]["Workload"][];
            /** @description Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only. */
            has_more: boolean;
            /** @description The cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
