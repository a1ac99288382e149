{{- define "shop.labels" -}}
app.kubernetes.io/name: {{ .Values.selector }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
