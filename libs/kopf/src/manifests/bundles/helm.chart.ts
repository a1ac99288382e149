import { formatYaml } from '../output/yaml.format.js';

/** Describes a chart. */
export interface HelmChartOptions {
  readonly name: string;
  /** The version of the chart and of the application. */
  readonly version: string;
  readonly image: string;
  readonly replicas: number;
  readonly resources: object;
}

/** Stand for values in objects, and are replaced in the text of the templates. */
export const HELM_PLACEHOLDERS = {
  namespace: 'helm-release-namespace',
  image: 'helm-values-image',
  replicas: 987_654_321,
  resources: { 'helm-values': 'resources' },
} as const;

/** The files that are installed only under a condition on the values. */
const CONDITIONS: Readonly<Record<string, string>> = {
  'monitoring.yaml': '.Values.monitoring.enabled',
  'disruption.yaml': 'gt (int .Values.replicas) 1',
};

/** Makes a chart of the files of an operator, which were generated with {@link HELM_PLACEHOLDERS}. */
export function createHelmChart(
  files: Readonly<Record<string, string>>,
  { name, version, image, replicas, resources }: HelmChartOptions,
): Readonly<Record<string, string>> {
  const { 'crd.yaml': crds, ...templates } = files;
  const [repository, tag] = splitImage(image);
  const values = {
    image: { repository, tag, pullPolicy: 'IfNotPresent' },
    replicas,
    resources,
    monitoring: { enabled: false },
  };
  const chart = {
    apiVersion: 'v2',
    name,
    description: `The operator ${name}.`,
    type: 'application',
    version,
    appVersion: version,
  };
  return {
    'Chart.yaml': formatYaml(chart),
    'values.yaml': formatYaml(values),
    ...(crds !== undefined && { 'crds/crd.yaml': crds }),
    ...Object.fromEntries(
      Object.entries(templates).map(([path, text]) => [`templates/${path}`, createTemplate(path, text)]),
    ),
  };
}

function createTemplate(path: string, text: string): string {
  const { namespace, image, replicas } = HELM_PLACEHOLDERS;
  const template = text
    // The alerts are templates themselves, of Prometheus.
    .replaceAll('{{', '{{ "{{" }}')
    .replaceAll(namespace, '{{ .Release.Namespace }}')
    .replaceAll(
      new RegExp(`^( *)image: ${image}$`, 'gm'),
      '$1image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"\n$1imagePullPolicy: {{ .Values.image.pullPolicy }}',
    )
    .replaceAll(String(replicas), '{{ .Values.replicas }}')
    .replaceAll(/^( *)resources:\n +helm-values: resources$/gm, (_, indentation: string) => {
      return `${indentation}resources:\n${indentation}  {{- toYaml .Values.resources | nindent ${indentation.length + 2} }}`;
    });
  const condition = CONDITIONS[path];
  return condition === undefined ? template : `{{- if ${condition} }}\n${template}{{- end }}\n`;
}

function splitImage(image: string): readonly [repository: string, tag: string] {
  const colon = image.lastIndexOf(':');
  return colon > image.lastIndexOf('/') ? [image.slice(0, colon), image.slice(colon + 1)] : [image, 'latest'];
}
