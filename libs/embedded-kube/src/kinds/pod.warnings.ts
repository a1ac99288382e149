import { mapping } from '../common/json.values.js';
import { quoteGo } from '../common/go-quote.js';
import { warnOfAddress } from './address.warnings.js';
import { warnOfFractions } from './fraction.warnings.js';
import { OLD_LABELS, warnOfTerm } from './node-label.warnings.js';
import { itemsOf, structOf, textOf, textsOf, type Values } from './validation/field.report.js';
import { warnOfVolumes } from './volume.warnings.js';

const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};
const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const UNSELECTED = 'a null labelSelector results in matching no pod';
const BYTES = ['memory', 'ephemeral-storage'];

/** A container with the path that leads to it. */
interface PlacedContainer {
  readonly path: string;
  readonly container: Values;
}

/**
 * Returns the warnings about a pod or a template, in the real server's order.
 *
 * @param prefix the path of a template with a dot at its end; empty for a pod
 */
export function warnOfPod(pod: Values, prefix: string): readonly string[] {
  const spec = mapping(pod['spec']);
  const annotations = mapping(mapping(pod['metadata'])['annotations']);
  const path = `${prefix}spec`;
  const containers = containersOf(spec, path);
  return [
    ...warnOfNodes(spec, path),
    ...Object.entries(OLD_ANNOTATIONS)
      .filter(([key]) => key in annotations)
      .map(([key, message]) => `${prefix}metadata.annotations[${key}]: ${message}`),
    ...warnOfVolumes(itemsOf(spec['volumes']), `${path}.volumes`),
    ...repeated(itemsOf(spec['hostAliases']), 'ip', `${path}.hostAliases`),
    ...repeated(itemsOf(spec['imagePullSecrets']), 'name', `${path}.imagePullSecrets`),
    ...itemsOf(spec['imagePullSecrets']).flatMap(({ name }, index) =>
      textOf(name) === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...warnOfFractions(spec['overhead'], `${path}.overhead`, BYTES),
    ...warnOfProfiles(spec, annotations, prefix),
    ...containers.flatMap((each) => warnOfContainer(each, spec, annotations, prefix)),
    ...warnOfPorts(containers),
    ...warnOfPortNames(containers),
    ...(Number(spec['terminationGracePeriodSeconds']) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((field) =>
      warnOfAffinity(mapping(mapping(spec['affinity'])[field]), `${path}.affinity.${field}`),
    ),
    ...textsOf(mapping(spec['dnsConfig'])['nameservers']).flatMap((address, index) =>
      warnOfAddress(`${path}.dnsConfig.nameservers[${index}]`, address),
    ),
    ...itemsOf(spec['hostAliases']).flatMap(({ ip }, index) =>
      warnOfAddress(`${path}.hostAliases[${index}].ip`, textOf(ip)),
    ),
  ];
}

function containersOf(spec: Values, path: string): readonly PlacedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    itemsOf(spec[field]).map((container, index) => ({ container, path: `${path}.${field}[${index}]` })),
  );
}

/** Warns of labels of nodes that have newer names, and of constraints that select nothing. */
function warnOfNodes(spec: Values, path: string): readonly string[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution } =
    mapping(mapping(spec['affinity'])['nodeAffinity']);
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(mapping(spec['nodeSelector'])).flatMap((key) =>
      OLD_LABELS[key] ? [`${path}.nodeSelector[${key}]: ${OLD_LABELS[key]}`] : [],
    ),
    ...itemsOf(mapping(required)['nodeSelectorTerms']).flatMap((term, index) =>
      warnOfTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`, false),
    ),
    ...itemsOf(preferredDuringSchedulingIgnoredDuringExecution).flatMap(({ preference }, index) =>
      warnOfTerm(
        mapping(preference),
        `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        true,
      ),
    ),
    ...itemsOf(spec['topologySpreadConstraints']).flatMap(({ topologyKey, labelSelector }, index) => {
      const place = `${path}.topologySpreadConstraints[${index}]`;
      const key = textOf(topologyKey);
      return [
        ...(OLD_LABELS[key] ? [`${place}.topologyKey: ${key} is ${OLD_LABELS[key]}`] : []),
        ...(structOf(labelSelector) ? [] : [`${place}.labelSelector: ${UNSELECTED}`]),
      ];
    }),
  ];
}

function warnOfAffinity(affinity: Values, path: string): readonly string[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return [
    ...itemsOf(affinity[required]).flatMap(({ labelSelector }, index) =>
      structOf(labelSelector) ? [] : [`${path}.${required}[${index}].labelSelector: ${UNSELECTED}`],
    ),
    ...itemsOf(affinity[preferred]).flatMap(({ podAffinityTerm }, index) =>
      structOf(mapping(podAffinityTerm)['labelSelector'])
        ? []
        : [`${path}.${preferred}[${index}].podAffinityTerm.labelSelector: ${UNSELECTED}`],
    ),
  ];
}

function warnOfProfiles(spec: Values, annotations: Values, prefix: string): readonly string[] {
  const key = 'seccomp.security.alpha.kubernetes.io/pod';
  if (structOf(mapping(spec['securityContext'])['seccompProfile']) || !(key in annotations)) return [];
  return [`${prefix}metadata.annotations[${key}]: ${SECCOMP}`];
}

function warnOfContainer(
  { container, path }: PlacedContainer,
  spec: Values,
  annotations: Values,
  prefix: string,
): readonly string[] {
  const context = mapping(container['securityContext']);
  const { limits, requests } = mapping(container['resources']);
  const seccomp = `container.seccomp.security.alpha.kubernetes.io/${textOf(container['name'])}`;
  const armor = `container.apparmor.security.beta.kubernetes.io/${textOf(container['name'])}`;
  const hasArmor = structOf(context['appArmorProfile']) !== undefined;
  const ofPod = structOf(mapping(spec['securityContext'])['appArmorProfile']);
  const isOther = armor in annotations && !(ofPod && isProfile(ofPod, textOf(annotations[armor])));
  const at = `${prefix}metadata.annotations`;
  return [
    ...(!structOf(context['seccompProfile']) && seccomp in annotations ? [`${at}[${seccomp}]: ${SECCOMP}`] : []),
    // The annotations of pods are taken over into their fields.
    ...(prefix !== '' && !hasArmor && isOther
      ? [`${at}[${armor}]: deprecated since v1.30; use the "appArmorProfile" field instead`]
      : []),
    ...BYTES.flatMap((name) => [
      ...warnOfFractions(limits, `${path}.resources.limits`, [name]),
      ...warnOfFractions(requests, `${path}.resources.requests`, [name]),
    ]),
    ...warnOfVariables(itemsOf(container['env']), `${path}.env`),
  ];
}

/** Whether a profile is the one that an annotation names. */
function isProfile({ type, localhostProfile }: Values, annotation: string): boolean {
  if (annotation === 'unconfined') return type === 'Unconfined';
  if (annotation === 'runtime/default') return type === 'RuntimeDefault';
  return type === 'Localhost' && annotation === `localhost/${textOf(localhostProfile)}`;
}

/** Warns of variables that are set twice; the second value may refer to the first one. */
function warnOfVariables(variables: readonly Values[], path: string): readonly string[] {
  const seen = new Set<string>();
  return variables.flatMap(({ name, value, valueFrom }, index) => {
    const text = textOf(name);
    const reference = `$(${text})`;
    const extendsFormer = !structOf(valueFrom) && textOf(value) !== reference && textOf(value).includes(reference);
    if (!seen.has(text)) seen.add(text);
    else if (!extendsFormer) {
      return [
        `${path}[${index}]: hides previous definition of ${quoteGo(text)}, which may be dropped when using apply`,
      ];
    }
    return [];
  });
}

function warnOfPorts(containers: readonly PlacedContainer[]): readonly string[] {
  const known = new Map<string, { readonly place: string; readonly port: Values }[]>();
  return containers.flatMap(({ container, path }) =>
    itemsOf(container['ports']).flatMap((port, index) => {
      const place = `${path}.ports[${index}]`;
      const key = `${Number(port['containerPort'] ?? 0)}/${textOf(port['protocol'])}`;
      const others = known.get(key) ?? [];
      known.set(key, [...others, { place, port }]);
      const isUnbound = textOf(port['hostIP']) !== '' && !port['hostPort'];
      return [
        ...(isUnbound ? [`${place}: hostIP set without hostPort: ${goPort(port)}`] : []),
        ...others.flatMap((other) => {
          const relation = relationOf(port, other.port);
          return relation === undefined ? [] : [`${place}: ${relation} port definition with ${other.place}`];
        }),
      ];
    }),
  );
}

function relationOf(port: Values, other: Values): string | undefined {
  const [host, otherHost] = [Number(port['hostPort'] ?? 0), Number(other['hostPort'] ?? 0)];
  const [address, otherAddress] = [textOf(port['hostIP']), textOf(other['hostIP'])];
  if (address === otherAddress && host === otherHost) return 'duplicate';
  if (host === 0 || otherHost === 0) return 'overlapping';
  return host === otherHost && (address === '') !== (otherAddress === '') ? 'dangerously ambiguous' : undefined;
}

/** Writes a port as Go prints a structure. */
function goPort({ name, hostPort, containerPort, protocol, hostIP }: Values): string {
  const numbers = `HostPort:${Number(hostPort ?? 0)} ContainerPort:${Number(containerPort ?? 0)}`;
  return `{Name:${textOf(name)} ${numbers} Protocol:${textOf(protocol)} HostIP:${textOf(hostIP)}}`;
}

function warnOfPortNames(containers: readonly PlacedContainer[]): readonly string[] {
  const places = new Map<string, string>();
  return containers.flatMap(({ container, path }) =>
    itemsOf(container['ports']).flatMap(({ name }, index) => {
      const text = textOf(name);
      const place = `${path}.ports[${index}]`;
      const other = places.get(text);
      if (text && !other) places.set(text, place);
      if (!other) return [];
      const hint = `services and probes that select ports by name will use ${other}`;
      return [`${place}: duplicate port name ${quoteGo(text)} with ${other}, ${hint}`];
    }),
  );
}

function repeated(items: readonly Values[], field: string, path: string): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const text = textOf(item[field]);
    if (seen.has(text)) return [`${path}[${index}].${field}: duplicate ${field} ${quoteGo(text)}`];
    seen.add(text);
    return [];
  });
}
