{{/* The security context of every container: the "restricted" level of the Pod Security Standards, and a read-only root. */}}
{{- define "annals.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* `pod` of the values, overridden by that of the component, as YAML: maps are merged, all else is replaced. Takes root and name. */}}
{{- define "annals.pod" -}}
{{- $own := (index .root.Values (include "annals.member" .)).pod | default dict }}
{{- mustMergeOverwrite (deepCopy .root.Values.pod) $own | toYaml }}
{{- end }}

{{/* The spec that all pods of the release share, except the user (annals.podSecurity). Takes root and name. */}}
{{- define "annals.scheduling" -}}
{{- $pod := include "annals.pod" . | fromYaml }}
automountServiceAccountToken: false
# Otherwise Kubernetes adds variables for each Service, such as ANNALS_GATEWAY_PORT.
enableServiceLinks: false
{{- with $pod.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.extraSpec }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The user of a pod, which is its group too. Takes its id. */}}
{{- define "annals.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* The volumes of a service; takes root, name, one and pod. Empty if it has none. They contain no key of another service. */}}
{{- define "annals.volumes" -}}
{{- with .pod.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- if not .root.Values.tls.dangerousPlaintext }}
- name: tls
  secret: { secretName: {{ include "annals.tlsSecret" . }}, defaultMode: 0440 }
{{- end }}
{{- if ne .name "gateway" }}
- name: admission
  secret:
    secretName: {{ .root.Values.admission.secret.secret | default (printf "%s-admission" (include "annals.fullname" .root)) }}
    defaultMode: 0440
    items: [{ key: {{ .root.Values.admission.secret.key | quote }}, path: secrets }]
{{- end }}
{{- if and (ne .name "gateway") .root.Values.caBundle.configMap }}
- name: ca
  configMap:
    name: {{ .root.Values.caBundle.configMap }}
    items: [{ key: {{ .root.Values.caBundle.key | quote }}, path: ca.crt }]
{{- end }}
{{- if eq .name "keys" }}
- name: log-key
  secret:
    secretName: {{ .root.Values.evidence.key.secret | default (printf "%s-log-key" (include "annals.fullname" .root)) }}
    defaultMode: 0440
    items: [{ key: {{ .root.Values.evidence.key.key | quote }}, path: keys }]
{{- end }}
{{- if and (has .name (list "ledger" "webhook-dispatcher")) .root.Values.evidence.policy.configMap }}
- name: log-policy
  configMap:
    name: {{ .root.Values.evidence.policy.configMap }}
    items: [{ key: {{ .root.Values.evidence.policy.key | quote }}, path: policy }]
{{- end }}
{{- if and (eq .name "keys") .one.plans }}
- name: plans
  configMap: { name: {{ include "annals.name" . }}-plans }
{{- end }}
{{- if and (eq .name "keys") .one.adminApi.tokens.secret }}
- name: admin-api
  secret:
    secretName: {{ .one.adminApi.tokens.secret }}
    defaultMode: 0440
    items: [{ key: {{ .one.adminApi.tokens.key | quote }}, path: tokens }]
{{- end }}
{{- if and (eq .name "keys") .root.Values.identity.file.secret }}
- name: identity
  secret: { secretName: {{ .root.Values.identity.file.secret }}, defaultMode: 0440 }
{{- end }}
{{- if eq .name "webhook-dispatcher" }}
- name: webhook-keys
  secret:
    secretName: {{ .one.secretKeys.secret | default (printf "%s-keys" (include "annals.name" .)) }}
    defaultMode: 0440
    items: [{ key: {{ ternary .one.secretKeys.key "keys" (ne .one.secretKeys.secret "") | quote }}, path: keys }]
{{- if .one.caBundle.configMap }}
- name: webhook-ca
  configMap:
    name: {{ .one.caBundle.configMap }}
    items: [{ key: {{ .one.caBundle.key | quote }}, path: ca.crt }]
{{- end }}
{{- if .root.Values.sinks }}
- name: sinks
  projected:
    defaultMode: 0440
    sources:
      - configMap: { name: {{ include "annals.name" . }}-sinks }
      {{- range $sink := .root.Values.sinks }}
      {{- range $member, $from := $sink.secrets }}
      - secret:
          name: {{ required (printf "sinks[].secrets.%s.secret is required" $member) $from.secret }}
          items: [{ key: {{ $from.key | default $member | quote }}, path: {{ printf "%s/%s" $sink.name $member | quote }} }]
      {{- end }}
      {{- end }}
{{- end }}
{{- end }}
{{- if and (eq .name "export") (not .one.s3.url) }}
- name: exports
  persistentVolumeClaim: { claimName: {{ include "annals.exportClaim" .root }} }
{{- end }}
{{- end }}

{{/* The volumes of migrate; takes pod too. */}}
{{- define "annals.migrateMounts" -}}
{{- with .pod.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- if and (ne .name "gateway") .root.Values.caBundle.configMap }}
- { name: ca, mountPath: /etc/annals/ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "annals.mounts" -}}
{{ include "annals.migrateMounts" . }}
{{- if not .root.Values.tls.dangerousPlaintext }}
- { name: tls, mountPath: /etc/annals/tls, readOnly: true }
{{- end }}
{{- if ne .name "gateway" }}
- { name: admission, mountPath: /etc/annals/admission, readOnly: true }
{{- end }}
{{- if eq .name "keys" }}
- { name: log-key, mountPath: /etc/annals/log-key, readOnly: true }
{{- end }}
{{- if and (has .name (list "ledger" "webhook-dispatcher")) .root.Values.evidence.policy.configMap }}
- { name: log-policy, mountPath: /etc/annals/log-policy, readOnly: true }
{{- end }}
{{- if and (eq .name "keys") .one.plans }}
- { name: plans, mountPath: /etc/annals/plans, readOnly: true }
{{- end }}
{{- if and (eq .name "keys") .one.adminApi.tokens.secret }}
- { name: admin-api, mountPath: /etc/annals/admin-api, readOnly: true }
{{- end }}
{{- if and (eq .name "keys") .root.Values.identity.file.secret }}
- { name: identity, mountPath: /etc/annals/identity, readOnly: true }
{{- end }}
{{- if eq .name "webhook-dispatcher" }}
- { name: webhook-keys, mountPath: /etc/annals/webhook-keys, readOnly: true }
{{- if .one.caBundle.configMap }}
- { name: webhook-ca, mountPath: /etc/annals/webhook-ca, readOnly: true }
{{- end }}
{{- if .root.Values.sinks }}
- { name: sinks, mountPath: /etc/annals/sinks, readOnly: true }
{{- end }}
{{- end }}
{{- if and (eq .name "export") (not .one.s3.url) }}
- { name: exports, mountPath: /var/lib/annals/exports }
{{- end }}
{{- end }}
