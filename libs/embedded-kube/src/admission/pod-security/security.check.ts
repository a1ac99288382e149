import { mapping } from '../../common/json.values.js';
import { containersOf } from '../../kinds/pod.resources.js';

type Fields = Readonly<Record<string, unknown>>;

/** The violations of a standard in a pod: in short, and with the parts of the pod that have them. */
export interface SecurityViolation {
  readonly reason: string;
  readonly detail: string;
}

/** A pod, or the pods that a workload makes, as the checks of the standards see them. */
export class CheckedPod {
  readonly containers: readonly CheckedContainer[];
  readonly context: Fields;
  readonly volumes: readonly Fields[];
  /** Whether the pod runs on Windows, where the rules for Linux do not count. */
  readonly isWindows: boolean;
  /** Whether the root user of the containers is not that of the node. */
  readonly hasOwnUsers: boolean;

  constructor(
    readonly annotations: Readonly<Record<string, string>>,
    readonly spec: Fields,
  ) {
    const ephemeral = spec['ephemeralContainers'];
    const all = [
      ...containersOf(spec, 'initContainers'),
      ...containersOf(spec, 'containers'),
      ...(Array.isArray(ephemeral) ? ephemeral.map(mapping) : []),
    ];
    this.containers = all.map((each) => new CheckedContainer(each));
    this.context = mapping(spec['securityContext']);
    this.volumes = Array.isArray(spec['volumes']) ? spec['volumes'].map(mapping) : [];
    this.isWindows = mapping(spec['os'])['name'] === 'windows';
    this.hasOwnUsers = spec['hostUsers'] === false;
  }

  /** Returns the names of the containers for which a condition holds. */
  named(condition: (container: CheckedContainer) => boolean): string[] {
    return this.containers.filter(condition).map(({ name }) => name);
  }
}

/** A container of a pod with its security context. */
export class CheckedContainer {
  readonly name: string;
  readonly context: Fields;

  constructor(readonly fields: Fields) {
    this.name = String(fields['name'] ?? '');
    this.context = mapping(fields['securityContext']);
  }
}

/** A check of a standard. */
export type SecurityCheck = (pod: CheckedPod) => SecurityViolation | undefined;

/** Writes names in quotes: `"a", "b"`. */
export function quotedNames(names: readonly string[]): string {
  return names.length === 0 ? '' : `"${names.join('", "')}"`;
}

export function plural(word: string, names: readonly unknown[]): string {
  return names.length === 1 ? word : `${word}s`;
}

/** Writes the names of containers: `containers "a", "b"`. */
export function containerNames(names: readonly string[]): string {
  return `${plural('container', names)} ${quotedNames(names)}`;
}

/** Lists the pod, if it sets something, and the containers that do. */
export function setters(pod: boolean, containers: readonly string[]): string {
  const parts = [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [containerNames(containers)] : [])];
  return parts.join(' and ');
}

/** Sorts values, each once. */
export function distinct(values: Iterable<string>): string[] {
  return [...new Set(values)].toSorted();
}

/** Makes a violation of the names of the containers that are wrong; none if there are none. */
export function containerViolation(
  reason: string,
  names: readonly string[],
  rule: string,
): SecurityViolation | undefined {
  return names.length === 0 ? undefined : { reason, detail: `${containerNames(names)} ${rule}` };
}
