import { formatComment, formatYaml } from '../output/yaml.format.js';

/** The file that needs the CRDs of the Prometheus operator, which not all clusters have. */
const MONITORING = 'monitoring.yaml';

/** Adds the lists of the files by which Kustomize takes the folder as a base, and the monitoring as a component of overlays. */
export function createKustomizeBase(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { [MONITORING]: monitoring, ...base } = files;
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: Object.keys(base).sort(),
  };
  if (monitoring === undefined) return { ...base, 'kustomization.yaml': formatYaml(kustomization) };
  const component = {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    resources: [MONITORING],
  };
  const comment = 'Where the Prometheus operator is, name this folder among the components of your overlay.';
  return {
    ...base,
    'kustomization.yaml': formatYaml(kustomization),
    [`monitoring/${MONITORING}`]: monitoring,
    'monitoring/kustomization.yaml': formatComment(comment) + formatYaml(component),
  };
}
