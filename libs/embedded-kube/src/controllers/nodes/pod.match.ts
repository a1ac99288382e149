import type { KubeObject } from '../../resources/kube-object.js';
import { matchesLabels } from '../network/service.backends.js';

/** A choice of pods: a name, `namespace/name`, or what they have in common. */
export type PodMatch =
  | string
  | {
      readonly name?: string;
      readonly namespace?: string;
      readonly labels?: Readonly<Record<string, string>>;
    };

/** Checks whether a pod is one of those that are meant. */
export function matchesPod(match: PodMatch, { metadata }: KubeObject): boolean {
  if (typeof match === 'string') return match === metadata.name || match === `${metadata.namespace}/${metadata.name}`;
  const { name = metadata.name, namespace = metadata.namespace, labels = {} } = match;
  return name === metadata.name && namespace === metadata.namespace && matchesLabels(labels, metadata.labels);
}
