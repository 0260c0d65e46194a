{{/* Names and labels. Every object of a service is `<fullname>-<service>`. */}}

{{- define "annals.fullname" -}}
{{- if contains "annals" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-annals" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Of one service; takes root and name. */}}
{{- define "annals.name" -}}
{{ include "annals.fullname" .root }}-{{ .name }}
{{- end }}

{{/* The member of the values that belongs to a service: webhook-dispatcher is webhookDispatcher. */}}
{{- define "annals.member" -}}
{{ ternary "webhookDispatcher" .name (eq .name "webhook-dispatcher") }}
{{- end }}

{{/* What never changes in the life of a release: selectors are made of it. */}}
{{- define "annals.selector" -}}
app.kubernetes.io/name: annals
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "annals.labels" -}}
{{ include "annals.selector" . }}
app.kubernetes.io/part-of: annals
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The Secret with the certificate of a service; takes root and name. */}}
{{- define "annals.tlsSecret" -}}
{{ index .root.Values.tls.existingSecrets (include "annals.member" .) | default (printf "%s-tls" (include "annals.name" .)) }}
{{- end }}

{{- define "annals.image" -}}
{{ required "image.repository is required: where you pushed what deploy/Dockerfile builds" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
