{{/* Names and labels. Every object of a service is `<fullname>-<service>`. */}}

{{- define "annals.fullname" -}}
{{- $name := .Values.nameOverride | default "annals" }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $full | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* The name of a service's objects; takes root and name. */}}
{{- define "annals.name" -}}
{{ include "annals.fullname" .root }}-{{ .name }}
{{- end }}

{{/* The member of the values that belongs to a component: webhook-dispatcher is webhookDispatcher. */}}
{{- define "annals.member" -}}
{{ get (dict "webhook-dispatcher" "webhookDispatcher" "test" "tests") .name | default .name }}
{{- end }}

{{/* The labels that never change in a release: selectors use them. */}}
{{- define "annals.selector" -}}
{{ include "annals.releaseSelector" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* The labels of every component. */}}
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

{{/* The name in a certificate. The receiver of `helm test` has another one than the services, so it cannot pass for one. */}}
{{- define "annals.certified" -}}
{{ eq .name "test" | ternary (printf "%s.%s.svc" (include "annals.name" .) .root.Release.Namespace) (printf "%s.annals.internal" .name) }}
{{- end }}

{{/* If there is a digest, the tag is only for people. */}}
{{- define "annals.image" -}}
{{ include "annals.imageOf" (merge (dict "tag" (.Values.image.tag | default .Chart.AppVersion)) .Values.image) }}
{{- end }}

{{/* The reference of an image; takes an image of the values. */}}
{{- define "annals.imageOf" -}}
{{ required "image.repository is required: what deploy/Dockerfile builds" .repository }}:{{ .tag }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}

{{/* "true" if the chart brings PostgreSQL: `postgresql.enabled`, or no service names a database. */}}
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

{{/* "true" if the chart brings NATS: `nats.enabled`, or it brings PostgreSQL and no other NATS is named. */}}
{{- define "annals.ownNats" -}}
{{- $enabled := toString .Values.nats.enabled }}
{{- if and .Values.nats.url.secret (eq $enabled "true") }}
{{- fail "nats.enabled is true, and nats.url names an existing NATS: set only one of them" }}
{{- end }}
{{- if or (eq $enabled "true") (and (eq $enabled "auto") (not .Values.nats.url.secret) (include "annals.ownPostgresql" .)) }}true{{ end }}
{{- end }}

{{/* The claim of export files; empty if they are in S3. */}}
{{- define "annals.exportClaim" -}}
{{- if not .Values.export.s3.url }}
{{- .Values.export.existingClaim | default (include "annals.name" (dict "root" $ "name" "exports")) }}
{{- end }}
{{- end }}

{{/* "true" if only one pod of a service may run, because its claim can be mounted by one node only. Takes root and name. */}}
{{- define "annals.isSingle" -}}
{{- $export := .root.Values.export }}
{{- if and (eq .name "export") (not $export.s3.url) (not $export.existingClaim) (ne $export.claim.accessMode "ReadWriteMany") }}
{{- if or $export.autoscaling.enabled (not (hasKey $export "replicas")) }}
{{- fail "export.autoscaling.enabled and export.replicas: null need export.s3.url, or a claim with the access mode ReadWriteMany" }}
{{- end }}true{{ end }}
{{- end }}
