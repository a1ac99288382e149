import { formatYaml } from '../output/yaml.format.js';

/** Adds the list of the files by which Kustomize takes the folder as a base. */
export function createKustomizeBase(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: Object.keys(files).sort(),
  };
  return { ...files, 'kustomization.yaml': formatYaml(kustomization) };
}
