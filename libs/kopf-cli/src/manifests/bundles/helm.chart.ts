import { formatManifest, formatYaml, type GeneratedObject } from '../output/yaml.format.js';

/** The options of a chart. */
export interface HelmChartOptions {
  readonly name: string;
  /** The version of the chart and of the application. */
  readonly version: string;
  readonly image: string;
  readonly replicas: number;
  readonly resources: object;
  /** The namespaces that are served by default, if they are a value of the chart. */
  readonly namespaces?: readonly string[];
}

/** Stand for values in objects, and are replaced in the text of the templates. */
export const HELM_PLACEHOLDERS = {
  namespace: 'helm-release-namespace',
  image: 'helm-values-image',
  replicas: 987_654_321,
  resources: { 'helm-values': 'resources' },
  /** All namespaces to serve, separated by commas. */
  served: 'helm-values-namespaces',
  /** Each of the namespaces to serve. */
  each: 'helm-each-namespace',
} as const;

/** The variable of the release's namespace where the current value of the template is a namespace to serve. */
const OUTER_NAMESPACE = 'helm-outer-namespace';

/** The files that are installed only under a condition on the values. */
const CONDITIONS: Readonly<Record<string, string>> = {
  'monitoring.yaml': '.Values.monitoring.enabled',
  'disruption.yaml': 'gt (int .Values.replicas) 1',
};

/** Makes a chart of the files of an operator, which were generated with {@link HELM_PLACEHOLDERS}. */
export function createHelmChart(
  files: Readonly<Record<string, string>>,
  { name, version, image, replicas, resources, namespaces }: HelmChartOptions,
): Readonly<Record<string, string>> {
  const { 'crd.yaml': crds, ...templates } = files;
  const [repository, tag] = splitImage(image);
  const values = {
    image: { repository, tag, pullPolicy: 'IfNotPresent' },
    replicas,
    resources,
    monitoring: { enabled: false },
    ...(namespaces && { namespaces }),
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

/**
 * Makes the file of the rules for a chart that has the namespaces to serve as a value: a Role in each of them or, without any, rules for the
 * whole cluster.
 *
 * @param everywhere the account, unless it is shared, and the roles for the whole cluster.
 * @param limited the same for the one namespace {@link HELM_PLACEHOLDERS.each}.
 */
export function createScopedRbac(everywhere: readonly GeneratedObject[], limited: readonly GeneratedObject[]): string {
  const isAccount = ({ object }: GeneratedObject): boolean => object.kind === 'ServiceAccount';
  const isServed = ({ object }: GeneratedObject): boolean => object.metadata.namespace === HELM_PLACEHOLDERS.each;
  const roles = formatFurther(limited.filter(isServed).map(renameRole));
  return [
    formatManifest(everywhere.filter(isAccount)),
    '# helm: if .Values.namespaces\n',
    formatFurther(limited.filter((each) => !isServed(each) && !isAccount(each))),
    '# helm: range .Values.namespaces\n',
    roles.replaceAll(HELM_PLACEHOLDERS.namespace, OUTER_NAMESPACE),
    '# helm: end\n',
    '# helm: else\n',
    formatFurther(everywhere.filter((each) => !isAccount(each))),
    '# helm: end\n',
  ].join('');
}

function formatFurther(objects: readonly GeneratedObject[]): string {
  return objects.map((each) => `---\n${formatManifest([each])}`).join('');
}

/** The namespace of the release can be among those that are served, and has a separate role. */
function renameRole({ object, ...rest }: GeneratedObject): GeneratedObject {
  const { metadata, roleRef } = object as typeof object & { readonly roleRef?: { readonly name: string } };
  const name = `${metadata.name}-objects`;
  const renamed = { ...object, metadata: { ...metadata, name }, ...(roleRef && { roleRef: { ...roleRef, name } }) };
  return { ...rest, object: renamed };
}

function createTemplate(path: string, text: string): string {
  const { namespace, image, replicas, served, each } = HELM_PLACEHOLDERS;
  const template = text
    // The alerts are templates themselves, of Prometheus.
    .replaceAll('{{', '{{ "{{" }}')
    .replaceAll(/^# helm: (.*)$/gm, '{{- $1 }}')
    .replaceAll(namespace, '{{ .Release.Namespace }}')
    .replaceAll(OUTER_NAMESPACE, '{{ $$.Release.Namespace }}')
    .replaceAll(each, '{{ . }}')
    .replaceAll(served, '{{ join "," .Values.namespaces | quote }}')
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
