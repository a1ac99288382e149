import type { KubeObject } from 'nestjs-kopf';
import { ClientFields, isBuiltIn, isDrawn, isHistory, purposeOf } from './derived.objects.js';
import type { Violation } from './violation.js';

/** Fields of the server itself, about when and how often it has written the object. */
const OWN_FIELDS = new Set(['resourceVersion', 'uid', 'managedFields', 'generation', 'creationTimestamp', 'selfLink']);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
/** The annotation that other clients of a run change. Operators do not compare it. */
export const FOREIGN_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** The prefix of values of other clients, which are left out of final states. */
export const FOREIGN_MARK = 'another client:';
/**
 * The last handled state of an object is compared with the object itself if handlers are for it, and is meaningless otherwise. The same goes for the
 * mark of the storage that is written with it: if there are several storages, an operator can crash between two of them.
 */
const LAST_HANDLED = /^\.metadata\.annotations\..*\/(last-handled-configuration|kopf-managed)$/;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
/** The places that controllers of Kubernetes derive from what operators and users want: their objects, and the status of workloads. */
const DERIVED =
  /^(\w+ of [A-Z]|(Pod|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob|Service|PersistentVolumeClaim) \S+( #\d+)? \.status)/;
/** The largest number of differing fields in a message. */
const NAMED_LIMIT = 3;

/** The leaves of all objects at the end of a run, by their places: `ConfigMap default/a .data.size`. */
export type FinalState = ReadonlyMap<string, string>;

/** One leaf of an object. */
interface Leaf {
  readonly place: string;
  /** The place in the object: `.data.size`. */
  readonly path: string;
  /** The value, in a form that can be compared. */
  readonly value: string;
  /** The value, if it is a text. It can be the uid of an object. */
  readonly text?: string;
}

/** A cache of the leaves of objects: most objects stay the same from run to run, such as CRDs, which have many leaves. */
const known = new WeakMap<KubeObject, readonly Leaf[]>();
/** A cache of the names of objects in comparisons. */
const knownNames = new WeakMap<KubeObject, string>();

/**
 * Makes the state at the end of a run comparable: leaves out what the server decides on, replaces uids, names, and addresses that the cluster draws by
 * the names of their objects, and folds generated names. Of the objects of controllers of Kubernetes, only the fields of clients count, whatever their
 * number.
 */
export function finalStateOf(objects: readonly KubeObject[]): FinalState {
  const names = namesIn(objects);
  const folded = new Map<string, (readonly Leaf[])[]>();
  const derived = new Set<string>();
  for (const object of objects) {
    const name = comparableName(object);
    const leaves = leavesOf(object);
    if (DERIVED.test(name)) {
      if (leaves.length === 0 && isHistory(object, name)) continue;
      const text = `${name}\n${textOf(leaves, names)}`;
      if (derived.has(text)) continue;
      derived.add(text);
    }
    const group = folded.get(name);
    if (group) group.push(leaves);
    else folded.set(name, [leaves]);
  }
  const state = new Map<string, string>();
  for (const [name, group] of folded) {
    if (group.length > 1) group.sort((one, other) => (textOf(one, names) < textOf(other, names) ? -1 : 1));
    group.forEach((each, index) => {
      const place = index === 0 ? name : `${name} #${index + 1}`;
      state.set(place, 'there');
      for (const leaf of each) {
        if (LAST_HANDLED.test(leaf.path)) continue;
        state.set(index === 0 ? leaf.place : `${place} ${leaf.path}`, valueOf(leaf, names));
      }
    });
  }
  return state;
}

/** What stands for the texts that the cluster draws: uids, and the names and addresses of objects of its controllers. */
function namesIn(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const object of objects) {
    const name = comparableName(object);
    names.set(object.metadata.uid ?? '', `<uid of ${name}>`);
    if (DERIVED.test(name)) names.set(object.metadata.name ?? '', `<name of ${name}>`);
    if (object.kind === 'Node') names.set(object.metadata.name ?? '', '<name of a node>');
    if (!isBuiltIn(object)) continue;
    const { podIP } = (object.status ?? {}) as { readonly podIP?: unknown };
    const { clusterIP } = (object.spec ?? {}) as { readonly clusterIP?: unknown };
    for (const address of [podIP, clusterIP]) {
      if (typeof address === 'string' && /\d[.:]/.test(address)) names.set(address, `<address of ${name}>`);
    }
  }
  return names;
}

/** The name of an object in comparisons: what it is for, if a controller of Kubernetes has created it, or else its folded name. */
export function comparableName(object: KubeObject): string {
  let name = knownNames.get(object);
  if (name === undefined) knownNames.set(object, (name = purposeOf(object) ?? foldedName(object)));
  return name;
}

/** The name of an object with its kind and namespace. A generated name is folded. */
export function foldedName(object: KubeObject): string {
  const { kind, metadata } = object;
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${baseNameOf(object)}`;
}

/** The name of an object. If it was generated, its prefix: `disk-*`. A uid in it is folded, too. */
export function baseNameOf({ metadata }: KubeObject): string {
  const { name = '', generateName } = metadata as { readonly name?: string; readonly generateName?: string };
  return generateName && name.startsWith(generateName) ? `${generateName}*` : name.replace(UUID, '*');
}

/** Finds the places in which two runs differ. */
export function differingPlaces(one: FinalState, other: FinalState): ReadonlySet<string> {
  const places = new Set<string>();
  for (const place of new Set([...one.keys(), ...other.keys()])) {
    if (one.get(place) !== other.get(place)) places.add(place);
  }
  return places;
}

/**
 * Compares the end of a run with the expected ends. Each object must be as it is in one of them.
 *
 * @param masked selects places that may differ
 */
export function compareFinalStates(
  [reference, ...others]: readonly FinalState[],
  state: FinalState,
  masked: (place: string) => boolean,
): readonly Violation[] {
  const right = new Set(others.flatMap((other) => [...sameObjects(other, state)]));
  const isRight = (place: string): boolean => masked(place) || right.has(objectOf(place));
  const texts = describeDifferences(reference!, state, isRight);
  return texts ? [{ check: 'final-state', message: `the end differs from that without faults: ${texts}` }] : [];
}

/**
 * Describes the places in which two states differ; an empty text if they do not. The objects and fields of operators and users come first. What the
 * cluster derives from them is only counted then.
 *
 * @param masked selects places that may differ
 */
export function describeDifferences(
  reference: FinalState,
  state: FinalState,
  masked: (place: string) => boolean,
): string | undefined {
  const places = [...differingPlaces(reference, state)].filter((place) => !masked(place));
  const derived = places.filter((place) => DERIVED.test(place));
  const own = derived.length > 0 ? places.filter((place) => !DERIVED.test(place)) : places;
  const telling = own.length > 0 ? own : derived;
  const missing = telling.filter((place) => isObject(place, reference, state));
  const found = missing.length ? missing : telling;
  if (found.length === 0) return undefined;
  const texts = found.slice(0, NAMED_LIMIT).map((place) => {
    if (!isObject(place, reference, state)) {
      return `${place} is ${state.get(place) ?? 'absent'} instead of ${reference.get(place) ?? 'absent'}`;
    }
    return `${place} is ${state.has(place) ? 'there, but should not be' : 'missing'}`;
  });
  const rest = found.length > NAMED_LIMIT ? `, and ${found.length - NAMED_LIMIT} more` : '';
  const consequences = own.length > 0 && derived.length > 0 ? ' (and what the cluster derives from that)' : '';
  return `${texts.join('; ')}${rest}${consequences}`;
}

/** The places that are equal in both states, or absent from both, but not in a third state. */
export function samePlaces(one: FinalState, other: FinalState, third: FinalState): ReadonlySet<string> {
  return new Set([...differingPlaces(other, third)].filter((place) => one.get(place) === other.get(place)));
}

/** The objects that are equal in both states, or absent from both. */
function sameObjects(one: FinalState, other: FinalState): ReadonlySet<string> {
  const objects = new Set([...one.keys(), ...other.keys()].map(objectOf));
  for (const place of differingPlaces(one, other)) objects.delete(objectOf(place));
  return objects;
}

/** The object of a place: `ConfigMap default/a .data.size` is one of `ConfigMap default/a`. */
export function objectOf(place: string): string {
  const end = place.indexOf(' .');
  return end < 0 ? place : place.slice(0, end);
}

function isObject(place: string, reference: FinalState, state: FinalState): boolean {
  return (reference.get(place) ?? state.get(place)) === 'there';
}

/** Serializes leaves, so that objects can be sorted. */
function textOf(leaves: readonly Leaf[], names: ReadonlyMap<string, string>): string {
  return leaves.map((leaf) => `${leaf.path},${valueOf(leaf, names)}`).join('\n');
}

/** The value of a leaf. What the cluster draws is replaced by the name of its object, as it differs from run to run. */
function valueOf({ value, text }: Leaf, names: ReadonlyMap<string, string>): string {
  if (text === undefined) return value;
  const name = names.get(text);
  if (name !== undefined) return name;
  return text.length > 36 ? value.replace(UUID, (uid) => names.get(uid) ?? uid) : value;
}

function leavesOf(object: KubeObject): readonly Leaf[] {
  const found = known.get(object);
  if (found) return found;
  const leaves: Leaf[] = [];
  const name = comparableName(object);
  const hasPurpose = DERIVED.test(name);
  const hasDrawn = isBuiltIn(object);
  let fields: ClientFields | undefined;
  const isOfClient = (path: string): boolean => (fields ??= new ClientFields(object)).has(path);
  const add = (path: string, value: string, text?: string): void => {
    if (hasPurpose && !isOfClient(path)) return;
    if (!hasDrawn || !isDrawn(path) || isOfClient(path)) leaves.push({ place: `${name} ${path}`, path, value, text });
    else if (!path.startsWith('.status.'))
      leaves.push({ place: `${name} ${path}`, path, value: '<drawn by the cluster>' });
  };
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value) && value.length) {
      const isKeyed = hasDrawn && path === '.status.conditions';
      value.forEach((item, index) => visit(item, `${path}[${isKeyed ? (item as { type: string }).type : index}]`));
    } else if (typeof value === 'object' && value !== null && Object.keys(value).length) {
      for (const [key, item] of Object.entries(value)) visit(item, `${path}.${key}`);
    } else if (path.endsWith('.observedGeneration')) add(path, generationsBehind(object, value));
    else if (!isForeign(value)) add(path, normalized(value), typeof value === 'string' ? value : undefined);
  };
  for (const [key, value] of Object.entries(object)) {
    if (key === 'metadata') {
      for (const [field, item] of Object.entries(value as object)) {
        if (OWN_FIELDS.has(field)) continue;
        if (field === 'name' && ('generateName' in object.metadata || baseNameOf(object) !== item)) continue;
        visit(item, `.metadata.${field}`);
      }
    } else if (key !== 'kind' && key !== 'apiVersion') visit(value, `.${key}`);
  }
  leaves.sort((one, other) => (one.path < other.path ? -1 : 1));
  known.set(object, leaves);
  return leaves;
}

function isForeign(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(FOREIGN_MARK);
}

/** The generation grows with each change, so only whether the controller has observed the newest one is compared. */
function generationsBehind({ metadata }: KubeObject, observed: unknown): string {
  return `${Number((metadata as { generation?: number | bigint }).generation ?? 0) - Number(observed)} generations behind`;
}

function normalized(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  return TIME.test(value) ? '<time>' : JSON.stringify(value);
}
