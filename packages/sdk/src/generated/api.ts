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
         * @description Effective immediately: a request that begins after this response is refused. Needs the scope `keys:manage`.
         */
        delete: operations["delete-api-key"];
        options?: never;
        head?: never;
        /**
         * Update an API key
         * @description Scopes are fixed at creation. Needs the scope `keys:manage`.
         */
        patch: operations["update-api-key"];
        trace?: never;
    };
    "/v1/archives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List archives
         * @description What was archived of the account's events, newest first. An archive has events of one month. They stay here after retention has deleted them. Needs the scope `export`.
         */
        get: operations["list-archives"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/archives/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the events of an archive
         * @description JSON Lines with proofs in one zstd frame. An erasure of its events writes the file anew. Needs the scope `export`.
         */
        get: operations["get-archive-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/archives/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the evidence of an archive
         * @description A bundle of evidence without its events, which the other file has: annals-verify checks both together. Needs the scope `export`.
         */
        get: operations["get-archive-evidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures
         * @description Needs the scope `keys:manage`.
         */
        get: operations["list-erasures"];
        put?: never;
        /**
         * Erase parts of events
         * @description Selects events that are stored now. The erasure begins after a delay, by default 24 hours, and can be cancelled until then. It empties the parts in the stored events and removes them from the filter index; the hashes stay, so every proof stays valid. The chain records it as events `annals.erasure`. Files of exports and backups keep the parts until they end by their own retention, and a webhook dispatcher may still send an event that it has in memory. Needs the scope `keys:manage`.
         */
        post: operations["create-erasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an erasure
         * @description Needs the scope `keys:manage`.
         */
        get: operations["get-erasure"];
        put?: never;
        post?: never;
        /**
         * Cancel an erasure
         * @description Returns 422 for an erasure that has begun or is completed. One that was cancelled stays so. Needs the scope `keys:manage`.
         */
        delete: operations["cancel-erasure"];
        options?: never;
        head?: never;
        patch?: never;
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
         * @description A page ends at its limit, at 1 MiB, or after a bounded number of events was read. So it can be shorter than its limit or even empty if a filter excludes most events: continue while has_more is true. Needs the scope `events:read`.
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
         * @description The range is fixed by the request and ends at the last stored event. The file is written afterwards; poll the export until its status is completed, or subscribe to export.completed. If there is an export with the same members, and no event was stored since, that export is returned. Needs the scope `export`.
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
         * @description An export that is being written is cancelled. Its file is deleted shortly after the response. Needs the scope `export`.
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
    "/v1/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List holds
         * @description Active holds, newest first: those of the account and those of the operator. Needs the scope `keys:manage`.
         */
        get: operations["list-holds"];
        put?: never;
        /**
         * Place a hold
         * @description While a hold is active, no part of the events that it covers is erased, and no retention deletes them. The chain records it as the event `annals.hold`, which names the range and never the actor. Needs the scope `keys:manage`.
         */
        post: operations["place-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{id}": {
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
         * Release a hold
         * @description The chain records it as another event `annals.hold`. Returns 422 for a hold of the operator, and 404 for one that was released. Needs the scope `keys:manage`.
         */
        delete: operations["release-hold"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/intake/cloudevents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store CloudEvents
         * @description Takes binary, structured and batched mode. One event that is not valid is refused with 422, in a batch it is counted and costs no other. Needs the scope `events:write`.
         */
        post: operations["store-cloudevents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/intake/kubernetes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store audit events of a Kubernetes cluster
         * @description Takes what a kube-apiserver posts to an audit webhook. Each item is stored, or not, for itself. Needs the scope `events:write`.
         */
        post: operations["store-kubernetes-audit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/intake/otlp/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store log records of OpenTelemetry
         * @description Takes OTLP/HTTP 1.x as `application/x-protobuf` or `application/json`. Each record that has the name of an event is stored, or not, for itself. A body may be empty. Needs the scope `events:write`.
         */
        post: operations["store-otlp-logs"];
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
    "/v1/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the log of evidence
         * @description Returns 404 if the service keeps no log. Needs the scope `verify`.
         */
        get: operations["get-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the checkpoint of the log
         * @description A signed note of c2sp.org/tlog-checkpoint. Returns 404 until an epoch covers the account. Needs the scope `verify`.
         */
        get: operations["read-checkpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that the log has only grown
         * @description Returns 404 for what no served epoch covers. Needs the scope `verify`.
         */
        get: operations["prove-consistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/heads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the heads of the log
         * @description Oldest first: the served epochs that are still kept, with the head that the account has in each. Returns 404 until an epoch covers the account. Needs the scope `verify`.
         */
        get: operations["list-heads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/inclusion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove an event in the log
         * @description With `Accept: text/plain` a proof of c2sp.org/tlog-proof with its checkpoint, or 404 if no served epoch has this size. Returns 404 for what no served epoch covers. Needs the scope `verify`.
         */
        get: operations["prove-inclusion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/tile/{level}/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tile of the log
         * @description 256 hashes of 32 bytes; a partial tile has as many as its width. Returns 404 for any other path, and for what no served epoch covers. Needs the scope `verify`.
         */
        get: operations["read-tile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/tile/entries/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a bundle of entries of the log
         * @description 256 entries, or as many as the width of a partial bundle, each behind its length in two bytes. An entry is the text that the hash of an event is made of. Returns 404 for any other path, and for what no served epoch covers. Needs the scope `events:read`.
         */
        get: operations["read-entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the retention of events
         * @description Needs the scope `keys:manage`.
         */
        get: operations["get-retention"];
        /**
         * Set the retention of events
         * @description A longer time takes effect at once, a shorter one after 7 days. The operator's audit records the change. Once a day the service deletes older events, after an event `annals.retention` names the last of them. Their hashes stay in the tree, so every proof stays valid. Retention stops before the first event of an active hold, and never deletes the last event of the chain. Needs the scope `keys:manage`.
         */
        put: operations["set-retention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sinks
         * @description Needs the scope `keys:manage`.
         */
        get: operations["list-sinks"];
        put?: never;
        /**
         * Create a sink
         * @description A sink is sent the account's events in order and at least once. `config` belongs to the `type`; its secrets are not shown again. Needs the scope `keys:manage`.
         */
        post: operations["create-sink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sinks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sink
         * @description Needs the scope `keys:manage`.
         */
        get: operations["get-sink"];
        put?: never;
        post?: never;
        /**
         * Delete a sink
         * @description No batch begins after this response. One that is being sent may still arrive. Needs the scope `keys:manage`.
         */
        delete: operations["delete-sink"];
        options?: never;
        head?: never;
        /**
         * Change a sink
         * @description Changes act from the next batch on. `config` replaces the whole configuration, with its secrets, and needs the `type`, which cannot be changed. `active: true` also ends the wait after a failure. Needs the scope `keys:manage`.
         */
        patch: operations["update-sink"];
        trace?: never;
    };
    "/v1/sinks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay events to a sink
         * @description Sets the cursor: the sink is sent the events from that number on, again and in order. A number that retention has deleted is refused with the first that is left. Needs the scope `keys:manage`.
         */
        post: operations["replay-sink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sinks/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Skip an event that the receiver of a sink refuses
         * @description Passes over the event that `rejected` of the status names, and over no other. The sink goes on after it. The receiver is sent a gap, `lost` of the status lists it, and the account's chain records it. Needs the scope `keys:manage`.
         */
        post: operations["skip-sink-record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sinks/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a sink
         * @description Needs the scope `keys:manage`.
         */
        get: operations["get-sink-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sinks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a sink
         * @description Sends one checkpoint, even if the sink is paused, and waits for the receiver, up to half a minute. The cursor stays. An account may test its sinks 20 times a minute, one at a time. Needs the scope `keys:manage`.
         */
        post: operations["test-sink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use of each limit
         * @description The limits come from the plan and the service's settings. Any API key is accepted.
         */
        get: operations["get-usage"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Events stored after this response are delivered; events stored before the request are not. With `filter`, only events that match it. Needs the scope `keys:manage`.
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
         * @description Effective immediately: no delivery begins after this response. Needs the scope `keys:manage`.
         */
        delete: operations["delete-webhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description After the response to `active: false`, no delivery begins. A webhook that is activated again receives only later events. Another `filter` acts on later events, too; null removes it. Needs the scope `keys:manage`.
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
         * @description Queues a new delivery with the same `data` and new ids, for one of the newest 10,000 attempted deliveries. Returns 422 if the webhook is disabled. Needs the scope `keys:manage`.
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
         * @description Queues a new delivery for each event of the range, both ends included, at most 1,000, that the filter of the webhook selects: all of them or none. Returns 422 if the webhook is disabled, or if its URL has not accepted a delivery yet: send a test delivery first. Needs the scope `keys:manage`.
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
         * @description During the grace period `webhook-signature` contains a signature for each secret, and `X-Service-Signature` is made with the old one. Needs the scope `keys:manage`.
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
         * @description Queues a delivery of the event `webhook.test`, even if the webhook does not subscribe to it. The delivery is retried and recorded like any other. Returns 422 if the webhook is disabled. Needs the scope `keys:manage`.
         */
        post: operations["test-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/widget-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List widget tokens
         * @description Live tokens, newest first: those created by the key of the request, or with the scope keys:manage those of all keys. Needs the scope `events:read`.
         */
        get: operations["list-widget-tokens"];
        put?: never;
        /**
         * Create a widget token
         * @description For use in a browser. The token can only read the events of its filter through the widget routes. It stops working when it expires, when it is revoked, and when the API key that created it is revoked. Needs the scope `events:read`.
         */
        post: operations["create-widget-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/widget-tokens/{id}": {
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
         * Revoke a widget token
         * @description Effective immediately: a request that begins after this response is refused. To revoke a token of another key needs the scope keys:manage; without it the response is 404. Needs the scope `events:read`.
         */
        delete: operations["delete-widget-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/widget/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a widget token
         * @description Like GET /v1/events, but limited to the filter of the token, and always with proofs. A page ends at 768 KiB. Continue while has_more is true, even after an empty page. Needs a widget token.
         */
        get: operations["list-widget-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/widget/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event of a widget token
         * @description Returns 404 for an event outside the filter of the token, as for one that does not exist. Needs a widget token.
         */
        get: operations["get-widget-event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/widget/filters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the values to filter by
         * @description The distinct actions and types of the newest events that the token can see: at most 3,000 events, or fewer if its filter excludes most of them. Needs a widget token.
         */
        get: operations["list-widget-filters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/widget/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how far the log covers the events
         * @description Needs a widget token.
         */
        get: operations["get-widget-log"];
        put?: never;
        post?: never;
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
            key: string;
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
             * @description When the service disabled the webhook; ISO 8601, UTC.
             */
            disabled_at?: string;
            /**
             * @description Why the service disabled the webhook. Absent if it did not.
             * @enum {string}
             */
            disabled_reason?: "failing";
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
            secret: string;
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
            filter: components["schemas"]["EventFilter"];
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
            filter?: components["schemas"]["EventFilter"];
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
        NewSink: components["schemas"]["NewSinkHttp"] | components["schemas"]["NewSinkSplunkHec"] | components["schemas"]["NewSinkOtlpHttp"] | components["schemas"]["NewSinkSyslog"] | components["schemas"]["NewSinkS3"];
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
         * @description Which events a webhook sends `event.created` for, and which a sink is sent: those that match all members, as in GET /v1/events. At most 4,096 bytes as JSON.
         * @example {
         *       "action": [
         *         "user.deleted",
         *         "invoice.*"
         *       ]
         *     }
         */
        NewWebhookFilter: {
            /**
             * @description Exact; with a `*` at the end, a prefix. One of up to 10 values.
             * @example user.deleted
             */
            action?: string | string[];
            /**
             * @description Exact. One of up to 10 values.
             * @example u_1
             */
            actor_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values.
             * @example user
             */
            actor_type?: string | string[];
            /**
             * @description Exact. One of up to 10 values.
             * @example inv_9
             */
            target_id?: string | string[];
            /**
             * @description Exact. One of up to 10 values.
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
             * @description Why the service disabled the webhook. Absent if it did not.
             * @enum {string}
             */
            disabled_reason?: "failing";
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
        /**
         * @description What a key may do.
         * @enum {string}
         */
        Scope: "events:read" | "events:write" | "verify" | "export" | "keys:manage";
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
            config: components["schemas"]["HttpSinkConfigShown"] | components["schemas"]["SplunkHecSinkConfigShown"] | components["schemas"]["OtlpHttpSinkConfigShown"] | components["schemas"]["SyslogSinkConfigShown"] | components["schemas"]["S3SinkConfigShown"];
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
        SinkType: "http" | "splunk_hec" | "otlp_http" | "syslog" | "s3";
        SinkUpdate: components["schemas"]["SinkUpdatePlain"] | components["schemas"]["SinkUpdateHttp"] | components["schemas"]["SinkUpdateSplunkHec"] | components["schemas"]["SinkUpdateOtlpHttp"] | components["schemas"]["SinkUpdateSyslog"] | components["schemas"]["SinkUpdateS3"];
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
            /** @description The API key of this request. */
            key: {
                /**
                 * @description `key_` and an opaque string.
                 * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
                 */
                id: string;
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
             * @description Why the service disabled the webhook. Absent if it did not.
             * @enum {string}
             */
            disabled_reason?: "failing";
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
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 100.
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
                     *           "id": "key_8m3kqa7v0d4x2c9r5t1w6y8b3e",
                     *           "name": "billing",
                     *           "key_prefix": "annals_sk_4fQm...z9",
                     *           "scopes": [
                     *             "events:read",
                     *             "events:write"
                     *           ],
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "expires_at": "2026-01-31T09:30:00.052919Z",
                     *           "allowed_ips": [
                     *             "192.0.2.7",
                     *             "2001:db8::/32"
                     *           ],
                     *           "last_used_at": "2026-01-31T00:00:00.000000Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyPage"];
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
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "billing",
                 *       "scopes": [
                 *         "events:read",
                 *         "events:write"
                 *       ],
                 *       "expires_at": "2027-01-31T09:30:00Z",
                 *       "allowed_ips": [
                 *         "192.0.2.7",
                 *         "2001:db8::/32"
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
                     *         "expires_at": "2026-01-31T09:30:00.052919Z",
                     *         "allowed_ips": [
                     *           "192.0.2.7",
                     *           "2001:db8::/32"
                     *         ],
                     *         "last_used_at": "2026-01-31T00:00:00.000000Z",
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
                 * @description `key_` and an opaque string.
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
                 * @description `key_` and an opaque string.
                 * @example key_8m3kqa7v0d4x2c9r5t1w6y8b3e
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
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
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "expires_at": "2026-01-31T09:30:00.052919Z",
                     *         "allowed_ips": [
                     *           "192.0.2.7",
                     *           "2001:db8::/32"
                     *         ],
                     *         "last_used_at": "2026-01-31T00:00:00.000000Z"
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
    "list-archives": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 50.
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
                     *           "id": "arc_3c6f9j2m5q8t1w4z7a0d3g6k9n",
                     *           "month": "2026-01",
                     *           "from_sequence": 1,
                     *           "to_sequence": 4200,
                     *           "events": {
                     *             "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "size_bytes": 36214
                     *           },
                     *           "evidence": {
                     *             "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "size_bytes": 36214
                     *           },
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "written_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["ArchivePage"];
                };
            };
        };
    };
    "get-archive-events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `arc_` and an opaque string.
                 * @example arc_3c6f9j2m5q8t1w4z7a0d3g6k9n
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
                    /** @example  */
                    "application/zstd": string;
                };
            };
        };
    };
    "get-archive-evidence": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `arc_` and an opaque string.
                 * @example arc_3c6f9j2m5q8t1w4z7a0d3g6k9n
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
                    "application/x-tar": string;
                };
            };
        };
    };
    "list-erasures": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 50.
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
                     *           "id": "era_4h7k0n3q6s9v2x5z8b1d4f7h0k",
                     *           "status": "completed",
                     *           "actor_id": "text",
                     *           "target_id": "text",
                     *           "event_id": "text",
                     *           "parts": [
                     *             "actor",
                     *             "metadata"
                     *           ],
                     *           "reference": "case 7",
                     *           "up_to_sequence": 4200,
                     *           "erased": 310,
                     *           "held": 2,
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "begins_at": "2026-01-31T09:30:00.052919Z",
                     *           "ended_at": "2026-01-31T09:30:00.052919Z",
                     *           "copies": {
                     *             "exports": "2026-01-31T09:30:00.052919Z",
                     *             "webhooks": "2026-01-31T09:30:00.052919Z"
                     *           },
                     *           "vacuumed_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["ErasurePage"];
                };
            };
        };
    };
    "create-erasure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor_id": "u_7",
                 *       "parts": [
                 *         "actor",
                 *         "metadata"
                 *       ],
                 *       "reference": "case 7"
                 *     }
                 */
                "application/json": components["schemas"]["NewErasure"];
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
                     *         "id": "era_4h7k0n3q6s9v2x5z8b1d4f7h0k",
                     *         "status": "completed",
                     *         "actor_id": "text",
                     *         "target_id": "text",
                     *         "event_id": "text",
                     *         "parts": [
                     *           "actor",
                     *           "metadata"
                     *         ],
                     *         "reference": "case 7",
                     *         "up_to_sequence": 4200,
                     *         "erased": 310,
                     *         "held": 2,
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "begins_at": "2026-01-31T09:30:00.052919Z",
                     *         "ended_at": "2026-01-31T09:30:00.052919Z",
                     *         "copies": {
                     *           "exports": "2026-01-31T09:30:00.052919Z",
                     *           "webhooks": "2026-01-31T09:30:00.052919Z"
                     *         },
                     *         "vacuumed_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Erasure"];
                    };
                };
            };
        };
    };
    "get-erasure": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `era_` and an opaque string.
                 * @example era_4h7k0n3q6s9v2x5z8b1d4f7h0k
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
                     *         "id": "era_4h7k0n3q6s9v2x5z8b1d4f7h0k",
                     *         "status": "completed",
                     *         "actor_id": "text",
                     *         "target_id": "text",
                     *         "event_id": "text",
                     *         "parts": [
                     *           "actor",
                     *           "metadata"
                     *         ],
                     *         "reference": "case 7",
                     *         "up_to_sequence": 4200,
                     *         "erased": 310,
                     *         "held": 2,
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "begins_at": "2026-01-31T09:30:00.052919Z",
                     *         "ended_at": "2026-01-31T09:30:00.052919Z",
                     *         "copies": {
                     *           "exports": "2026-01-31T09:30:00.052919Z",
                     *           "webhooks": "2026-01-31T09:30:00.052919Z"
                     *         },
                     *         "vacuumed_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Erasure"];
                    };
                };
            };
        };
    };
    "cancel-erasure": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `era_` and an opaque string.
                 * @example era_4h7k0n3q6s9v2x5z8b1d4f7h0k
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
    "list-events": {
        parameters: {
            query?: {
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
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /** @description Adds the data needed to recompute the hash, next to `data`. */
                include?: "proof";
                /**
                 * @description Default: 50.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                occurred_from?: string;
                /**
                 * @description Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                occurred_to?: string;
                /**
                 * @description Order by sequence number. Default: desc.
                 * @example asc
                 */
                order?: "desc" | "asc";
                /**
                 * @description Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                received_from?: string;
                /**
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
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "erased": [
                     *             "actor"
                     *           ]
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
                 * @description A retry with the same key and body within 24 hours stores nothing and gets the first response. It must not begin with `intake:`.
                 * @example invoice-9-update-3
                 */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
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
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "erased": [
                     *           "actor"
                     *         ]
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
                /** @description Adds the data needed to recompute the hash, next to `data`. */
                include?: "proof";
            };
            header?: never;
            path: {
                /**
                 * @description `evt_` and an opaque string.
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
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "erased": [
                     *           "actor"
                     *         ]
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
                 * @description A retry with the same key and body within 24 hours stores nothing and gets the first response. It must not begin with `intake:`.
                 * @example invoice-9-update-3
                 */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
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
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "erased": [
                     *             "actor"
                     *           ]
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
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 50.
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
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
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
                 * @description `exp_` and an opaque string.
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
                 * @description `exp_` and an opaque string.
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
                 * @description `exp_` and an opaque string.
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
                    /** @example  */
                    "application/vnd.apache.parquet": string;
                    /** @example {"id":"evt_0000000000001zttz581y73f7x","sequence_number":42,"action":"invoice.update","actor":{"id":"u_1","type":"user","meta":{"email":"ada@example.com"}},"target":{"type":"invoice","id":"inv_9","meta":{"number":"2026-0009"}},"context":{"ip":"203.0.113.7"},"diff":{"before":{"total":1200},"after":{"total":1250}},"metadata":{"request":"r-77"},"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","previous_hash":"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752","occurred_at":"2026-01-31T09:30:00.052919Z","received_at":"2026-01-31T09:30:00.052919Z","created_at":"2026-01-31T09:30:00.052919Z","erased":["actor"]} */
                    "application/x-ndjson": string;
                    "application/x-tar": string;
                    /** @example sequence_number,id,action,actor_id,actor_type,target_id,target_type,occurred_at,received_at,created_at,hash,previous_hash,actor,target,context,diff,metadata,manifest */
                    "text/csv": string;
                };
            };
        };
    };
    "list-holds": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 50.
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
                     *           "id": "hold_7d2k9m4p1r6t3v8x5z0b2c4f6g",
                     *           "from_sequence": 40,
                     *           "to_sequence": 42,
                     *           "actor_id": "u_7",
                     *           "owner": "account",
                     *           "placed_by": 57
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["HoldPage"];
                };
            };
        };
    };
    "place-hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_sequence": 40,
                 *       "to_sequence": 42,
                 *       "actor_id": "u_7"
                 *     }
                 */
                "application/json": components["schemas"]["NewHold"];
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
                     *         "id": "hold_7d2k9m4p1r6t3v8x5z0b2c4f6g",
                     *         "from_sequence": 40,
                     *         "to_sequence": 42,
                     *         "actor_id": "u_7",
                     *         "owner": "account",
                     *         "placed_by": 57
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Hold"];
                    };
                };
            };
        };
    };
    "release-hold": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `hold_` and an opaque string.
                 * @example hold_7d2k9m4p1r6t3v8x5z0b2c4f6g
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
    "store-cloudevents": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description In binary mode. Unique in its source.
                 * @example 1
                 */
                "ce-id"?: string;
                /**
                 * @description In binary mode. A URI reference.
                 * @example /billing
                 */
                "ce-source"?: string;
                /**
                 * @description In binary mode. The version of CloudEvents.
                 * @example 1.0
                 */
                "ce-specversion"?: string;
                /**
                 * @description In binary mode. Becomes the action.
                 * @example invoice.update
                 */
                "ce-type"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "total": 1250
                 *     }
                 */
                "application/json": components["schemas"]["CloudEvent"];
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
                     *         "stored": 398,
                     *         "replayed": 0,
                     *         "reduced": 1,
                     *         "skipped": 2,
                     *         "rejected": 1,
                     *         "first_rejections": [
                     *           {
                     *             "index": 7,
                     *             "reason": "auditID is required"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["IntakeResult"];
                    };
                };
            };
        };
    };
    "store-kubernetes-audit": {
        parameters: {
            query?: {
                /**
                 * @description Added by the API server, and ignored.
                 * @example 30s
                 */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "apiVersion": "audit.k8s.io/v1",
                 *       "kind": "EventList",
                 *       "items": [
                 *         {
                 *           "level": "Metadata",
                 *           "auditID": "2c7d09ad-7336-4fb5-ac36-07e990f5a69f",
                 *           "stage": "ResponseComplete",
                 *           "requestURI": "/api/v1/namespaces/shop/pods/web-0",
                 *           "verb": "delete",
                 *           "user": {
                 *             "username": "ada@example.com",
                 *             "groups": [
                 *               "system:authenticated"
                 *             ]
                 *           },
                 *           "objectRef": {
                 *             "resource": "pods",
                 *             "namespace": "shop",
                 *             "name": "web-0",
                 *             "apiVersion": "v1"
                 *           },
                 *           "responseStatus": {
                 *             "code": 200
                 *           },
                 *           "requestReceivedTimestamp": "2026-01-31T09:30:00.052919Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["KubernetesEventList"];
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
                     *         "stored": 398,
                     *         "replayed": 0,
                     *         "reduced": 1,
                     *         "skipped": 2,
                     *         "rejected": 1,
                     *         "first_rejections": [
                     *           {
                     *             "index": 7,
                     *             "reason": "auditID is required"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["IntakeResult"];
                    };
                };
            };
        };
    };
    "store-otlp-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "resourceLogs": [
                 *         {
                 *           "scopeLogs": [
                 *             {
                 *               "logRecords": [
                 *                 {
                 *                   "timeUnixNano": "1769851800052919000",
                 *                   "eventName": "invoice.update",
                 *                   "attributes": [
                 *                     {
                 *                       "key": "user.id",
                 *                       "value": {
                 *                         "stringValue": "u_1"
                 *                       }
                 *                     },
                 *                     {
                 *                       "key": "audit.target.id",
                 *                       "value": {
                 *                         "stringValue": "inv_9"
                 *                       }
                 *                     },
                 *                     {
                 *                       "key": "log.record.uid",
                 *                       "value": {
                 *                         "stringValue": "01KG8Y5Z7J8Q4V6W2X3C5B7N9M"
                 *                       }
                 *                     }
                 *                   ]
                 *                 }
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ExportLogsServiceRequest"];
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
                     *       "partialSuccess": {
                     *         "rejectedLogRecords": "1",
                     *         "errorMessage": "1 of 2 log records cannot be stored. 0: time_unix_nano must be a time before the year 2255"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ExportLogsServiceResponse"];
                    "application/x-protobuf": string;
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
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "billing",
                 *       "scopes": [
                 *         "events:read",
                 *         "events:write"
                 *       ],
                 *       "expires_at": "2027-01-31T09:30:00Z",
                 *       "allowed_ips": [
                 *         "192.0.2.7",
                 *         "2001:db8::/32"
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
                     *       "created_at": "2026-01-31T09:30:00.052919Z",
                     *       "expires_at": "2026-01-31T09:30:00.052919Z",
                     *       "allowed_ips": [
                     *         "192.0.2.7",
                     *         "2001:db8::/32"
                     *       ]
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
                 * @description `key_` and an opaque string.
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
    "get-log": {
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
                     *       "data": {
                     *         "origin": "annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z",
                     *         "log_origin": "annals.example.com",
                     *         "vkeys": [
                     *           "annals.example.com+e2562da6+ASfCkI3Xk6fM8r0Nh3sQm1Jx"
                     *         ],
                     *         "size": 44,
                     *         "covered": {
                     *           "sequence_number": 42,
                     *           "epoch": 8812,
                     *           "time": "2026-01-31T09:30:00.052919Z",
                     *           "witnesses": [
                     *             {
                     *               "name": "witness.example.com",
                     *               "time": "2026-01-31T09:30:00.052919Z"
                     *             }
                     *           ]
                     *         },
                     *         "newest_epoch": {
                     *           "epoch": 8813,
                     *           "time": "2026-01-31T09:30:00.052919Z"
                     *         },
                     *         "min_index": 0,
                     *         "policy": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Log"];
                    };
                };
            };
        };
    };
    "read-checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
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
                    /**
                     * @example annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z
                     *     42
                     *     n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
                     *
                     *     — annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==
                     */
                    "text/plain": string;
                };
            };
        };
    };
    "prove-consistency": {
        parameters: {
            query: {
                /**
                 * @description The earlier size.
                 * @example 40
                 */
                from: number;
                /**
                 * @description The later size. Default: the newest that is served.
                 * @example 42
                 */
                to?: number;
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
                     *         "from": 40,
                     *         "from_root": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "to": 42,
                     *         "to_root": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hashes": [
                     *           "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Consistency"];
                    };
                };
            };
        };
    };
    "list-heads": {
        parameters: {
            query?: {
                /**
                 * @description Only later epochs. Default: 0, all that are kept.
                 * @example 8640
                 */
                after_epoch?: number;
                /**
                 * @description Default: 50.
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
                     *           "epoch": 8812,
                     *           "entry": "{\"epoch\":8812,\"heads\":\"9f86d0…\",\"kind\":\"heads\",\"time\":\"2026-01-31T09:30:00.000000Z\",\"v\":1}",
                     *           "head": {
                     *             "chain": "acct_0h4n8r2v6y1b5e9j3m7q0t4w8z",
                     *             "root": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "size": 42,
                     *             "v": 1
                     *           },
                     *           "path": [
                     *             "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *           ],
                     *           "checkpoint": "annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z\n42\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==\n",
                     *           "inclusion": [
                     *             "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *           ],
                     *           "consistency": [
                     *             "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *           ]
                     *         }
                     *       ],
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["EpochHeadPage"];
                };
            };
        };
    };
    "prove-inclusion": {
        parameters: {
            query: {
                /**
                 * @description The event.
                 * @example 42
                 */
                sequence_number: number;
                /**
                 * @description Size of the tree. Default: the newest size that is served.
                 * @example 42
                 */
                size?: number;
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
                     *         "sequence_number": 42,
                     *         "index": 41,
                     *         "size": 42,
                     *         "root": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "hashes": [
                     *           "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         ],
                     *         "checkpoint": "annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z\n42\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==\n"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Inclusion"];
                    };
                    /**
                     * @example c2sp.org/tlog-proof@v1
                     *     index 41
                     *
                     *     annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z
                     *     42
                     *     n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
                     *
                     *     — annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z 4lYtpg==
                     */
                    "text/plain": string;
                };
            };
        };
    };
    "read-tile": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The index in groups of three digits as c2sp.org/tlog-tiles writes it, such as `x001/x234/067`. `.p/` and a width from 1 to 255 at the end name a partial tile.
                 * @example 000
                 */
                index: string;
                /**
                 * @description 0 to 63.
                 * @example 0
                 */
                level: string;
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
                    "application/octet-stream": string;
                };
            };
        };
    };
    "read-entries": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The index in groups of three digits as c2sp.org/tlog-tiles writes it, such as `x001/x234/067`. `.p/` and a width from 1 to 255 at the end name a partial tile.
                 * @example 000
                 */
                index: string;
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
                    "application/octet-stream": string;
                };
            };
        };
    };
    "get-retention": {
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
                     *       "data": {
                     *         "days": 365,
                     *         "limited_by": "plan",
                     *         "plan_days": 365,
                     *         "min_days": 30,
                     *         "account_days": 90,
                     *         "shorter_from": "2026-01-31T09:30:00.052919Z",
                     *         "through_sequence": 4200,
                     *         "retained_from": 4201,
                     *         "hold": "hold_4h7k0n3q6s9v2x5z8b1d4f7h0k",
                     *         "archive": true,
                     *         "archive_until": "2026-01-31T09:30:00.052919Z",
                     *         "archived_through": 4200
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Retention"];
                    };
                };
            };
        };
    };
    "set-retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "days": 90,
                 *       "archive": true
                 *     }
                 */
                "application/json": components["schemas"]["NewRetention"];
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
                     *         "days": 365,
                     *         "limited_by": "plan",
                     *         "plan_days": 365,
                     *         "min_days": 30,
                     *         "account_days": 90,
                     *         "shorter_from": "2026-01-31T09:30:00.052919Z",
                     *         "through_sequence": 4200,
                     *         "retained_from": 4201,
                     *         "hold": "hold_4h7k0n3q6s9v2x5z8b1d4f7h0k",
                     *         "archive": true,
                     *         "archive_until": "2026-01-31T09:30:00.052919Z",
                     *         "archived_through": 4200
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Retention"];
                    };
                };
            };
        };
    };
    "list-sinks": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 100.
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
                     *           "id": "sink_4k8s1w5z9c3f7j0n2q6t8v1x5a",
                     *           "type": "http",
                     *           "format": "annals",
                     *           "filter": {
                     *             "action": [
                     *               "user.deleted"
                     *             ]
                     *           },
                     *           "leave_out": [
                     *             "diff"
                     *           ],
                     *           "include_proof": false,
                     *           "mapping": {
                     *             "user.*": {
                     *               "class": "account_change"
                     *             }
                     *           },
                     *           "config": {
                     *             "url": "https://hooks.example.com/annals",
                     *             "headers": {
                     *               "authorization": null
                     *             },
                     *             "body": "jsonl",
                     *             "compress": true
                     *           },
                     *           "on_rejected": "stop",
                     *           "active": true,
                     *           "status": "active",
                     *           "created_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["SinkPage"];
                };
            };
        };
    };
    "create-sink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "http",
                 *       "config": {
                 *         "url": "https://hooks.example.com/annals",
                 *         "headers": {
                 *           "authorization": "Bearer 5c0p3d"
                 *         },
                 *         "body": "jsonl",
                 *         "compress": true
                 *       },
                 *       "format": "annals",
                 *       "mapping": {
                 *         "user.*": {
                 *           "class": "account_change"
                 *         }
                 *       },
                 *       "from": "start",
                 *       "leave_out": [
                 *         "diff"
                 *       ],
                 *       "include_proof": false,
                 *       "on_rejected": "stop",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["NewSink"];
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
                     *         "id": "sink_4k8s1w5z9c3f7j0n2q6t8v1x5a",
                     *         "type": "http",
                     *         "format": "annals",
                     *         "filter": {
                     *           "action": [
                     *             "user.deleted"
                     *           ]
                     *         },
                     *         "leave_out": [
                     *           "diff"
                     *         ],
                     *         "include_proof": false,
                     *         "mapping": {
                     *           "user.*": {
                     *             "class": "account_change"
                     *           }
                     *         },
                     *         "config": {
                     *           "url": "https://hooks.example.com/annals",
                     *           "headers": {
                     *             "authorization": null
                     *           },
                     *           "body": "jsonl",
                     *           "compress": true
                     *         },
                     *         "on_rejected": "stop",
                     *         "active": true,
                     *         "status": "active",
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Sink"];
                    };
                };
            };
        };
    };
    "get-sink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
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
                     *         "id": "sink_4k8s1w5z9c3f7j0n2q6t8v1x5a",
                     *         "type": "http",
                     *         "format": "annals",
                     *         "filter": {
                     *           "action": [
                     *             "user.deleted"
                     *           ]
                     *         },
                     *         "leave_out": [
                     *           "diff"
                     *         ],
                     *         "include_proof": false,
                     *         "mapping": {
                     *           "user.*": {
                     *             "class": "account_change"
                     *           }
                     *         },
                     *         "config": {
                     *           "url": "https://hooks.example.com/annals",
                     *           "headers": {
                     *             "authorization": null
                     *           },
                     *           "body": "jsonl",
                     *           "compress": true
                     *         },
                     *         "on_rejected": "stop",
                     *         "active": true,
                     *         "status": "active",
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Sink"];
                    };
                };
            };
        };
    };
    "delete-sink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
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
    "update-sink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "format": "annals",
                 *       "leave_out": [
                 *         "diff"
                 *       ],
                 *       "include_proof": false,
                 *       "on_rejected": "stop",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["SinkUpdate"];
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
                     *         "id": "sink_4k8s1w5z9c3f7j0n2q6t8v1x5a",
                     *         "type": "http",
                     *         "format": "annals",
                     *         "filter": {
                     *           "action": [
                     *             "user.deleted"
                     *           ]
                     *         },
                     *         "leave_out": [
                     *           "diff"
                     *         ],
                     *         "include_proof": false,
                     *         "mapping": {
                     *           "user.*": {
                     *             "class": "account_change"
                     *           }
                     *         },
                     *         "config": {
                     *           "url": "https://hooks.example.com/annals",
                     *           "headers": {
                     *             "authorization": null
                     *           },
                     *           "body": "jsonl",
                     *           "compress": true
                     *         },
                     *         "on_rejected": "stop",
                     *         "active": true,
                     *         "status": "active",
                     *         "created_at": "2026-01-31T09:30:00.052919Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Sink"];
                    };
                };
            };
        };
    };
    "replay-sink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_sequence_number": 40
                 *     }
                 */
                "application/json": components["schemas"]["SinkReplay"];
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
                     *         "from_sequence_number": 40
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["SinkReplayed"];
                    };
                };
            };
        };
    };
    "skip-sink-record": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sequence_number": 42
                 *     }
                 */
                "application/json": components["schemas"]["SinkSkip"];
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
                     *         "sequence_number": 42
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["SinkSkipped"];
                    };
                };
            };
        };
    };
    "get-sink-status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
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
                     *         "status": "active",
                     *         "cursor": 41,
                     *         "head": 42,
                     *         "lag_events": 1,
                     *         "lag_seconds": 0.8,
                     *         "last_error": null,
                     *         "last_delivered_at": "2026-01-31T09:30:00.052919Z",
                     *         "next_attempt_at": "2026-01-31T09:30:00.052919Z",
                     *         "lost": [],
                     *         "rejected": {
                     *           "sequence_number": 42,
                     *           "id": "evt_0000000000001zttz581y73f7x",
                     *           "status": 400,
                     *           "reason": "document_parsing_exception: failed to parse field [diff]"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["SinkStatus"];
                    };
                };
            };
        };
    };
    "test-sink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `sink_` and an opaque string.
                 * @example sink_4k8s1w5z9c3f7j0n2q6t8v1x5a
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
                     *         "success": true,
                     *         "error": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["SinkTest"];
                    };
                };
            };
        };
    };
    "get-usage": {
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
                     *       "data": {
                     *         "account_id": "acct_0h4n8r2v6y1b5e9j3m7q0t4w8z",
                     *         "key": {
                     *           "id": "key_8m3kqa7v0d4x2c9r5t1w6y8b3e",
                     *           "scopes": [
                     *             "verify"
                     *           ]
                     *         },
                     *         "plan": {
                     *           "name": "free",
                     *           "features": [
                     *             "webhooks",
                     *             "verify"
                     *           ]
                     *         },
                     *         "requests": {
                     *           "used": 3,
                     *           "limit": 100,
                     *           "resets_in": 41
                     *         },
                     *         "account_requests": {
                     *           "used": 12,
                     *           "limit": 6000,
                     *           "resets_in": 41
                     *         },
                     *         "events": {
                     *           "used": 4200,
                     *           "limit": null
                     *         },
                     *         "month_events": {
                     *           "used": 310,
                     *           "limit": 10000,
                     *           "month": "2026-01"
                     *         },
                     *         "api_keys": {
                     *           "used": 2,
                     *           "limit": 5
                     *         },
                     *         "widget_tokens": {
                     *           "used": 40,
                     *           "limit": 10000
                     *         },
                     *         "widget_tokens_of_key": {
                     *           "used": 40,
                     *           "limit": 2500
                     *         },
                     *         "webhooks": {
                     *           "used": 1,
                     *           "limit": 3
                     *         },
                     *         "sinks": {
                     *           "used": 1,
                     *           "limit": 10
                     *         },
                     *         "pending_deliveries": {
                     *           "used": 0,
                     *           "limit": 100000
                     *         },
                     *         "pending_delivery_bytes": {
                     *           "used": 0,
                     *           "limit": 268435456
                     *         },
                     *         "exports": {
                     *           "used": 4,
                     *           "limit": 1000
                     *         },
                     *         "export_bytes": {
                     *           "used": 48000000,
                     *           "limit": 2147483648
                     *         },
                     *         "exports_under_way": {
                     *           "used": 1,
                     *           "limit": 10
                     *         },
                     *         "events_exported_today": {
                     *           "used": 42000,
                     *           "limit": 100000000
                     *         },
                     *         "events_replayed_today": {
                     *           "used": 1000,
                     *           "limit": 100000000
                     *         },
                     *         "retention_days": {
                     *           "deliveries": 30,
                     *           "exports": 30
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Usage"];
                    };
                };
            };
        };
    };
    "verify-chain": {
        parameters: {
            query?: {
                /**
                 * @description First event to verify. Default: the first event that retention has left.
                 * @example 1
                 */
                from_sequence?: number;
                /**
                 * @description Last event to verify. Default: the chain's last event.
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
                     *         "erased": 0,
                     *         "retained_from": 1,
                     *         "head": {
                     *           "sequence_number": 42,
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         },
                     *         "first_invalid": null,
                     *         "covered": {
                     *           "sequence_number": 42,
                     *           "epoch": 8812,
                     *           "time": "2026-01-31T09:30:00.052919Z",
                     *           "witnesses": [
                     *             {
                     *               "name": "witness.example.com",
                     *               "time": "2026-01-31T09:30:00.052919Z"
                     *             }
                     *           ]
                     *         },
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
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 100.
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
                     *           "id": "wh_6w9t2q5n8k1h4f7c0z3x6v9s2m",
                     *           "url": "https://hooks.example.com/annals",
                     *           "events": [
                     *             "event.created"
                     *           ],
                     *           "active": true,
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "filter": {
                     *             "action": [
                     *               "user.deleted"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
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
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
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
                     *         "filter": {
                     *           "action": [
                     *             "user.deleted"
                     *           ]
                     *         },
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
                 * @description `wh_` and an opaque string.
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
                 * @description `wh_` and an opaque string.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
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
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "filter": {
                     *           "action": [
                     *             "user.deleted"
                     *           ]
                     *         }
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
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 50.
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description `wh_` and an opaque string.
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
                     *           "failure": null,
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
                 * @description `wh_del_` and an opaque string.
                 * @example wh_del_2d5g8j1m4q7t0w3z6c9f2k5n8r
                 */
                delivery_id: string;
                /**
                 * @description `wh_` and an opaque string.
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
                 * @description `wh_` and an opaque string.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
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
                 * @description `wh_` and an opaque string.
                 * @example wh_6w9t2q5n8k1h4f7c0z3x6v9s2m
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
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
                     *         "filter": {
                     *           "action": [
                     *             "user.deleted"
                     *           ]
                     *         },
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
                 * @description `wh_` and an opaque string.
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
    "list-widget-tokens": {
        parameters: {
            query?: {
                /**
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /**
                 * @description Default: 50.
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
                     *           "id": "wtok_2c9r5t1w6y8b3e8m3kqa7v0d4x",
                     *           "token_prefix": "annals_wt_4fQm...z9",
                     *           "filter": {
                     *             "action": "invoice.*",
                     *             "occurred_from": "2026-01-01T00:00:00Z"
                     *           },
                     *           "parts": [
                     *             "diff",
                     *             "target.meta"
                     *           ],
                     *           "origins": [
                     *             "https://app.example.com"
                     *           ],
                     *           "viewer": {
                     *             "id": "u_7",
                     *             "name": "Ada Lovelace"
                     *           },
                     *           "expires_at": "2026-01-31T09:30:00.052919Z",
                     *           "created_at": "2026-01-31T09:30:00.052919Z"
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["WidgetTokenPage"];
                };
            };
        };
    };
    "create-widget-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description As it is, or compressed with the Content-Encoding `gzip` (or `x-gzip`) or `zstd`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "action": "invoice.*",
                 *         "occurred_from": "2026-01-01T00:00:00Z"
                 *       },
                 *       "parts": [
                 *         "diff",
                 *         "target.meta"
                 *       ],
                 *       "expires_in": 900,
                 *       "origins": [
                 *         "https://app.example.com"
                 *       ],
                 *       "viewer": {
                 *         "id": "u_7",
                 *         "name": "Ada Lovelace"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewWidgetToken"];
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
                     *         "id": "wtok_2c9r5t1w6y8b3e8m3kqa7v0d4x",
                     *         "token_prefix": "annals_wt_4fQm...z9",
                     *         "filter": {
                     *           "action": "invoice.*",
                     *           "occurred_from": "2026-01-01T00:00:00Z"
                     *         },
                     *         "parts": [
                     *           "diff",
                     *           "target.meta"
                     *         ],
                     *         "origins": [
                     *           "https://app.example.com"
                     *         ],
                     *         "viewer": {
                     *           "id": "u_7",
                     *           "name": "Ada Lovelace"
                     *         },
                     *         "expires_at": "2026-01-31T09:30:00.052919Z",
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "token": "annals_wt_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["CreatedWidgetToken"];
                    };
                };
            };
        };
    };
    "delete-widget-token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `wtok_` and an opaque string.
                 * @example wtok_2c9r5t1w6y8b3e8m3kqa7v0d4x
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
    "list-widget-events": {
        parameters: {
            query?: {
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
                 * @description The next_cursor of the previous page; use it with the same filters.
                 * @example MS40Mi4zYjBjNDQyOThmYzFjMTQ5
                 */
                cursor?: string;
                /** @description Adds the data needed to recompute the hash, next to `data`. */
                include?: "proof";
                /**
                 * @description Default: 50.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                occurred_from?: string;
                /**
                 * @description Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                occurred_to?: string;
                /**
                 * @description Order by sequence number. Default: desc.
                 * @example asc
                 */
                order?: "desc" | "asc";
                /**
                 * @description Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
                 * @example 2026-01-31T09:30:00Z
                 */
                received_from?: string;
                /**
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
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "previous_hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                     *           "occurred_at": "2026-01-31T09:30:00.052919Z",
                     *           "received_at": "2026-01-31T09:30:00.052919Z",
                     *           "created_at": "2026-01-31T09:30:00.052919Z",
                     *           "erased": [
                     *             "actor"
                     *           ],
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
                     *           }
                     *         }
                     *       ],
                     *       "proofs": [
                     *         {
                     *           "v": 1,
                     *           "chain": "acct_3t7p0v9k5c1q8z2m6x4r0w7d9a",
                     *           "salts": {
                     *             "actor": "00112233445566778899aabbccddeeff",
                     *             "context": "00112233445566778899aabbccddeeff",
                     *             "diff": "00112233445566778899aabbccddeeff",
                     *             "metadata": "00112233445566778899aabbccddeeff",
                     *             "target": "00112233445566778899aabbccddeeff"
                     *           },
                     *           "digests": {
                     *             "actor": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *             "context": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *             "diff": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *             "metadata": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                     *             "target": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
                     *           }
                     *         }
                     *       ],
                     *       "has_more": true,
                     *       "next_cursor": "MS40Mi4zYjBjNDQyOThmYzFjMTQ5"
                     *     }
                     */
                    "application/json": components["schemas"]["WidgetEventPage"];
                };
            };
        };
    };
    "get-widget-event": {
        parameters: {
            query?: {
                /** @description Adds the data needed to recompute the hash, next to `data`. */
                include?: "proof";
            };
            header?: never;
            path: {
                /**
                 * @description `evt_` and an opaque string.
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
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "previous_hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                     *         "occurred_at": "2026-01-31T09:30:00.052919Z",
                     *         "received_at": "2026-01-31T09:30:00.052919Z",
                     *         "created_at": "2026-01-31T09:30:00.052919Z",
                     *         "erased": [
                     *           "actor"
                     *         ],
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
                     *         }
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
                        data: components["schemas"]["WidgetEvent"];
                        proof: components["schemas"]["WidgetProof"];
                    };
                };
            };
        };
    };
    "list-widget-filters": {
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
                     *       "data": {
                     *         "actions": [
                     *           "invoice.create",
                     *           "invoice.update"
                     *         ],
                     *         "actor_types": [
                     *           "service",
                     *           "user"
                     *         ],
                     *         "target_types": [
                     *           "invoice"
                     *         ],
                     *         "truncated": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["WidgetFilters"];
                    };
                };
            };
        };
    };
    "get-widget-log": {
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
                     *       "data": {
                     *         "log_origin": "annals.example.com",
                     *         "covered": {
                     *           "sequence_number": 42,
                     *           "epoch": 8812,
                     *           "time": "2026-01-31T09:30:00.052919Z",
                     *           "witness_count": 2
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["WidgetLog"];
                    };
                };
            };
        };
    };
}
