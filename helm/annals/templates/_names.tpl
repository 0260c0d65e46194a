{{/* Names and labels. Every object of a service is `<fullname>-<service>`. */}}

{{- define "annals.fullname" -}}
{{- $name := .Values.nameOverride | default "annals" }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $full | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Of one service; takes root and name. */}}
{{- define "annals.name" -}}
{{ include "annals.fullname" .root }}-{{ .name }}
{{- end }}

{{/* The member of the values that belongs to a component: webhook-dispatcher is webhookDispatcher. */}}
{{- define "annals.member" -}}
{{ get (dict "webhook-dispatcher" "webhookDispatcher" "test" "tests") .name | default .name }}
{{- end }}

{{/* What never changes in the life of a release: selectors are made of it. */}}
{{- define "annals.selector" -}}
{{ include "annals.releaseSelector" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* Of every component. */}}
{{- define "annals.releaseSelector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default "annals" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "annals.labels" -}}
{{ include "annals.selector" . }}
app.kubernetes.io/part-of: annals
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The Secret with the certificate of a service; takes root and name. */}}
{{- define "annals.tlsSecret" -}}
{{ get (.root.Values.tls.existingSecrets | default dict) (include "annals.member" .) | default (printf "%s-tls" (include "annals.name" .)) }}
{{- end }}

{{/* The name in a certificate: of a service, or of the receiver of `helm test`, which can so not be taken for a service. */}}
{{- define "annals.certified" -}}
{{ eq .name "test" | ternary (printf "%s.%s.svc" (include "annals.name" .) .root.Release.Namespace) (printf "%s.annals.internal" .name) }}
{{- end }}

{{/* With a digest the tag is for people only. */}}
{{- define "annals.image" -}}
{{ include "annals.imageOf" (merge (dict "tag" (.Values.image.tag | default .Chart.AppVersion)) .Values.image) }}
{{- end }}

{{/* Takes an image of the values. */}}
{{- define "annals.imageOf" -}}
{{ required "image.repository is required: what deploy/Dockerfile builds" .repository }}:{{ .tag }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}

{{/* "true" where the chart brings PostgreSQL: `postgresql.enabled`, or no service names a database. */}}
{{- define "annals.ownPostgresql" -}}
{{- $named := list }}
{{- range $member := list "keys" "ledger" "export" "webhookDispatcher" }}
{{- $one := index $.Values $member }}
{{- range $url := list "databaseUrl" "migrateUrl" }}
{{- if (index $one $url).secret }}{{ $named = append $named (printf "%s.%s" $member $url) }}{{ end }}
{{- end }}
{{- end }}
{{- $enabled := toString .Values.postgresql.enabled }}
{{- if and $named (eq $enabled "true") }}
{{- fail (printf "postgresql.enabled is true, and %s names an existing database: set only one of them" (first $named)) }}
{{- end }}
{{- if or (eq $enabled "true") (and (eq $enabled "auto") (not $named)) }}true{{ end }}
{{- end }}

{{/* "true" where the chart brings NATS: `nats.enabled`, or it brings PostgreSQL and no other NATS is named. */}}
{{- define "annals.ownNats" -}}
{{- $enabled := toString .Values.nats.enabled }}
{{- if and .Values.nats.url.secret (eq $enabled "true") }}
{{- fail "nats.enabled is true, and nats.url names an existing NATS: set only one of them" }}
{{- end }}
{{- if or (eq $enabled "true") (and (eq $enabled "auto") (not .Values.nats.url.secret) (include "annals.ownPostgresql" .)) }}true{{ end }}
{{- end }}

{{/* The claim of export files; empty where they are in S3. */}}
{{- define "annals.exportClaim" -}}
{{- if not .Values.export.s3.bucket }}
{{- .Values.export.existingClaim | default (include "annals.name" (dict "root" $ "name" "exports")) }}
{{- end }}
{{- end }}

{{/* "true" where only one pod of a service may run: files on a claim that one node can mount. Takes root and name. */}}
{{- define "annals.isSingle" -}}
{{- $export := .root.Values.export }}
{{- if and (eq .name "export") (not $export.s3.bucket) (not $export.existingClaim) (ne $export.claim.accessMode "ReadWriteMany") }}
{{- if or $export.autoscaling.enabled (not (hasKey $export "replicas")) }}
{{- fail "export.autoscaling.enabled and export.replicas: null need export.s3.bucket, or a claim with the access mode ReadWriteMany" }}
{{- end }}true{{ end }}
{{- end }}
