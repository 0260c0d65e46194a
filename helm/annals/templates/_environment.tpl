{{/* The environment of each service. Every name is a setting of the service's config.ts; a test compares the two. */}}

{{/* One variable from a Secret; takes env, from, and the value's path for the message. */}}
{{- define "annals.secretVariable" -}}
- name: {{ .env }}
  valueFrom:
    secretKeyRef:
      name: {{ required (printf "%s.secret is required: the name of a Secret that you made" .path) .from.secret }}
      key: {{ .from.key }}
{{- end }}

{{/* Whether keys serves the admin API, to programs or to people; empty if not. */}}
{{- define "annals.adminApi" -}}
{{- if or .Values.keys.adminApi.tokens.secret .Values.keys.adminApi.operatorUrl }}on{{ end }}
{{- end }}

{{/* With `dns:///` and a headless Service a caller reaches every replica, in round robin. */}}
{{- define "annals.addressVariable" -}}
- name: ANNALS_{{ .name | upper | replace "-" "_" }}_ADDRESS
  value: dns:///{{ include "annals.name" . }}:9090
{{- end }}

{{/* The variables of every service, and the additional settings and variables of the values; takes pod too. */}}
{{- define "annals.processEnvironment" -}}
- name: ANNALS_LOG_LEVEL
  value: {{ .root.Values.logLevel | quote }}
{{- with .root.Values.otlpEndpoint }}
- name: ANNALS_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with .root.Values.otlpHeaders }}
{{- if .secret }}
{{ include "annals.secretVariable" (dict "env" "OTEL_EXPORTER_OTLP_HEADERS" "from" . "path" "otlpHeaders") }}
{{- end }}
{{- end }}
{{- range $env, $value := .root.Values.otel }}
- name: {{ $env }}
  value: {{ $value | quote }}
{{- end }}
{{- range $env, $value := .one.settings }}
- name: {{ $env }}
  value: {{ $value | quote }}
{{- end }}
{{- with .pod.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "annals.tlsEnvironment" -}}
{{- if .root.Values.tls.dangerousPlaintext }}
- name: ANNALS_DANGEROUS_PLAINTEXT
  value: "true"
{{- else }}
- name: ANNALS_TLS_CA_FILE
  value: /etc/annals/tls/ca.crt
- name: ANNALS_TLS_CERT_FILE
  value: /etc/annals/tls/tls.crt
- name: ANNALS_TLS_KEY_FILE
  value: /etc/annals/tls/tls.key
{{- end }}
{{- end }}

{{/* The URL of the database; takes root, name, one, env, and url: `databaseUrl` or `migrateUrl`. */}}
{{- define "annals.databaseVariable" -}}
{{- $from := index .one .url }}
{{- if include "annals.ownPostgresql" .root }}
{{- $from = dict "secret" (include "annals.name" (dict "root" .root "name" "postgresql")) "key" (ternary "owner" .name (eq .url "migrateUrl")) }}
{{- end }}
{{- include "annals.secretVariable" (dict "env" .env "from" $from "path" (printf "%s.%s" (include "annals.member" .) .url)) }}
{{- end }}

{{/* Of the names of the services' roles; takes root. The same for every service and for `annals migrate`. */}}
{{- define "annals.rolePrefix" -}}
{{- with .root.Values.databaseRolePrefix }}
- name: ANNALS_DATABASE_ROLE_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Each service has its own user, under the key of its name, unless the values name one key for all. */}}
{{- define "annals.natsEnvironment" -}}
{{- if include "annals.ownNats" .root }}
{{ include "annals.secretVariable" (dict "env" "ANNALS_NATS_URL" "from" (dict "secret" (include "annals.name" (dict "root" .root "name" "nats")) "key" .name) "path" "nats.url") }}
{{- else if .root.Values.nats.url.secret }}
{{ include "annals.secretVariable" (dict "env" "ANNALS_NATS_URL" "from" (dict "secret" .root.Values.nats.url.secret "key" (.root.Values.nats.url.key | default .name)) "path" "nats.url") }}
{{- if .root.Values.caBundle.configMap }}
- name: ANNALS_NATS_CA_FILE
  value: /etc/annals/ca/ca.crt
{{- end }}
{{- end }}
{{- end }}

{{- define "annals.gatewayEnvironment" -}}
- name: ANNALS_SHUTDOWN_DELAY_S
  value: {{ .pod.preStopSeconds | int | quote }}
- name: ANNALS_RATE_LIMIT_PER_MINUTE
  value: {{ .root.Values.rateLimitPerMinute | int64 | quote }}
{{- range $called := list "keys" "ledger" "export" "webhook-dispatcher" }}
{{ include "annals.addressVariable" (dict "root" $.root "name" $called) }}
{{- end }}
{{- include "annals.publicUrl" .root }}
{{- end }}

{{/* Where browsers reach the gateway; takes root. */}}
{{- define "annals.publicUrl" -}}
{{- with .Values.identity.publicUrl }}
- name: ANNALS_PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "annals.keysEnvironment" -}}
- name: ANNALS_RATE_LIMIT_PER_MINUTE
  value: {{ .root.Values.rateLimitPerMinute | int64 | quote }}
{{ include "annals.addressVariable" (dict "root" .root "name" "ledger") }}
{{ include "annals.addressVariable" (dict "root" .root "name" "export") }}
{{ include "annals.addressVariable" (dict "root" .root "name" "webhook-dispatcher") }}
- name: ANNALS_LOG_KEY_FILE
  value: /etc/annals/log-key/keys
{{- include "annals.publicUrl" .root }}
{{- with .root.Values.identity.file }}
{{- if .secret }}
{{- if not $.root.Values.identity.publicUrl }}
{{- fail "identity.publicUrl is required with identity.file: the origin at which browsers reach the gateway" }}
{{- end }}
- name: ANNALS_IDENTITY_FILE
  value: {{ printf "/etc/annals/identity/%s" .key | quote }}
{{- end }}
{{- end }}
{{- if .one.plans }}
- name: ANNALS_PLANS_FILE
  value: /etc/annals/plans/plans.json
{{- end }}
{{- if .one.adminApi.tokens.secret }}
- name: ANNALS_ADMIN_API_TOKEN_FILE
  value: /etc/annals/admin-api/tokens
{{- end }}
{{- with .one.adminApi.operatorUrl }}
{{- if not $.root.Values.identity.file.secret }}
{{- fail "identity.file.secret is required with keys.adminApi.operatorUrl: it names the operators" }}
{{- end }}
- name: ANNALS_OPERATOR_URL
  value: {{ . | quote }}
{{- end }}
{{- if include "annals.adminApi" .root }}
- name: ANNALS_ADMIN_API_ADDRESS
  value: 0.0.0.0:9092
{{- end }}
{{- end }}

{{- define "annals.ledgerEnvironment" -}}
{{ include "annals.natsEnvironment" . }}
{{ include "annals.addressVariable" (dict "root" .root "name" "keys") }}
- name: ANNALS_LOG_EPOCH_S
  value: {{ .root.Values.evidence.epochSeconds | int | quote }}
{{- with .root.Values.evidence.origin }}
- name: ANNALS_LOG_ORIGIN
  value: {{ . | quote }}
{{- end }}
{{- if .root.Values.evidence.policy.configMap }}
- name: ANNALS_LOG_POLICY_FILE
  value: /etc/annals/log-policy/policy
{{- end }}
{{- end }}

{{- define "annals.exportEnvironment" -}}
{{ include "annals.natsEnvironment" . }}
{{ include "annals.addressVariable" (dict "root" .root "name" "ledger") }}
- name: ANNALS_EXPORT_STORAGE
  value: {{ .one.s3.url | default "/var/lib/annals/exports" | quote }}
{{- if .one.s3.url }}
{{- with .one.s3.credentialsSecret }}
{{ include "annals.secretVariable" (dict "env" "AWS_ACCESS_KEY_ID" "from" (dict "secret" . "key" "access-key-id") "path" "export.s3.credentials") }}
{{ include "annals.secretVariable" (dict "env" "AWS_SECRET_ACCESS_KEY" "from" (dict "secret" . "key" "secret-access-key") "path" "export.s3.credentials") }}
{{- end }}
{{- end }}
{{- end }}

{{- define "annals.webhook-dispatcherEnvironment" -}}
{{ include "annals.natsEnvironment" . }}
{{- range $called := list "ledger" "export" }}
{{ include "annals.addressVariable" (dict "root" $.root "name" $called) }}
{{- end }}
- name: ANNALS_WEBHOOK_SECRET_KEY_FILE
  value: /etc/annals/webhook-keys/keys
{{- if .root.Values.sinks }}
- name: ANNALS_SINKS_FILE
  value: /etc/annals/sinks/sinks.json
{{- end }}
{{- if .root.Values.evidence.policy.configMap }}
- name: ANNALS_LOG_POLICY_FILE
  value: /etc/annals/log-policy/policy
{{- end }}
{{- with .root.Values.evidence.timestampUrl }}
- name: ANNALS_LOG_TSA_URL
  value: {{ . | quote }}
{{- end }}
{{- $bucket := .root.Values.evidence.bucket }}
{{- if $bucket.url }}
- name: ANNALS_LOG_S3_URL
  value: {{ $bucket.url | quote }}
{{- with $bucket.credentialsSecret }}
{{ include "annals.secretVariable" (dict "env" "ANNALS_LOG_S3_ACCESS_KEY_ID" "from" (dict "secret" . "key" "access-key-id") "path" "evidence.bucket.credentials") }}
{{ include "annals.secretVariable" (dict "env" "ANNALS_LOG_S3_SECRET_ACCESS_KEY" "from" (dict "secret" . "key" "secret-access-key") "path" "evidence.bucket.credentials") }}
{{- end }}
{{- end }}
{{- if .one.caBundle.configMap }}
- name: ANNALS_WEBHOOK_CA_FILE
  value: /etc/annals/webhook-ca/ca.crt
{{- else if .root.Values.tests.webhook }}
# The receiver of `helm test` has a certificate from this authority.
- name: ANNALS_WEBHOOK_CA_FILE
  value: /etc/annals/tls/ca.crt
{{- end }}
{{- if and .root.Values.tests.webhook (not (hasKey .one.settings "ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES")) }}
- name: ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES
  value: "true"
{{- end }}
{{- end }}

{{/* The environment of `serve`; takes root, name, one (the service's values) and pod (annals.pod). */}}
{{- define "annals.environment" -}}
{{ include "annals.processEnvironment" . }}
{{ include "annals.tlsEnvironment" . }}
{{- if ne .name "gateway" }}
- name: ANNALS_ADMISSION_SECRET_FILE
  value: /etc/annals/admission/secrets
{{ include "annals.databaseVariable" (merge (dict "env" "ANNALS_DATABASE_URL" "url" "databaseUrl") .) }}
{{- include "annals.rolePrefix" . }}
{{- end }}
{{ include (printf "annals.%sEnvironment" .name) . }}
{{- end }}

{{/* The environment of `annals migrate`; takes root and pod. Variables of one service are prefixed with its name. */}}
{{- define "annals.migrateEnvironment" -}}
{{ include "annals.processEnvironment" (dict "root" .root "one" dict "pod" .pod) }}
{{- include "annals.rolePrefix" . }}
{{- range $name := list "keys" "ledger" "export" "webhook-dispatcher" }}
{{- $one := index $.root.Values (include "annals.member" (dict "name" $name)) }}
{{- range include "annals.ownMigrateEnvironment" (dict "root" $.root "name" $name "one" $one) | fromYamlArray }}
- {{ merge (dict "name" (printf "%s_%s" ($name | upper | replace "-" "_") .name)) . | toYaml | nindent 2 | trim }}
{{- end }}
{{- end }}
{{- end }}

{{/* The settings of one service, which its `migrate` checks too, with the login that owns its schema. */}}
{{- define "annals.ownMigrateEnvironment" -}}
{{- range $env, $value := .one.settings }}
- name: {{ $env }}
  value: {{ $value | quote }}
{{- end }}
{{ include "annals.databaseVariable" (merge (dict "env" "ANNALS_DATABASE_URL" "url" "migrateUrl") .) }}
{{ include "annals.databaseVariable" (merge (dict "env" "ANNALS_SERVE_DATABASE_URL" "url" "databaseUrl") .) }}
{{- if eq .name "keys" }}
{{- if .one.bootstrapKey.secret }}
{{ include "annals.secretVariable" (dict "env" "ANNALS_BOOTSTRAP_KEY" "from" .one.bootstrapKey "path" "keys.bootstrapKey") }}
{{- else if include "annals.ownPostgresql" .root }}
{{ include "annals.secretVariable" (dict "env" "ANNALS_BOOTSTRAP_KEY" "from" (dict "secret" (include "annals.name" (dict "root" .root "name" "bootstrap-key")) "key" "key") "path" "keys.bootstrapKey") }}
{{- end }}
{{- end }}
{{- end }}
