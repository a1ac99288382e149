import type { KubeObject } from 'nestjs-kopf';
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

/** A cache of the leaves of objects. Most runs leave most objects as they were, such as CRDs, which have many leaves. */
const known = new WeakMap<KubeObject, readonly Leaf[]>();

/**
 * Makes the state at the end of a run comparable: leaves out what the server decides on, replaces uids by the names of their objects, and folds
 * generated names.
 */
export function finalStateOf(objects: readonly KubeObject[]): FinalState {
  const names = new Map(objects.map((object) => [object.metadata.uid ?? '', foldedName(object)]));
  const folded = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const name = foldedName(object);
    folded.set(name, [...(folded.get(name) ?? []), object]);
  }
  const state = new Map<string, string>();
  for (const [name, group] of folded) {
    const leaves = group.map(leavesOf);
    if (leaves.length > 1) leaves.sort((one, other) => (textOf(one, names) < textOf(other, names) ? -1 : 1));
    leaves.forEach((each, index) => {
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

/** The name of an object with its kind and namespace. A generated name is folded. */
export function foldedName(object: KubeObject): string {
  const { kind, metadata } = object;
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${baseNameOf(object)}`;
}

/** The name of an object. If it was generated, its prefix: `disk-*`. */
export function baseNameOf({ metadata }: KubeObject): string {
  const { name = '', generateName } = metadata as { readonly name?: string; readonly generateName?: string };
  return generateName && name.startsWith(generateName) ? `${generateName}*` : name;
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

/** Describes the places in which two states differ; an empty text if they do not. @param masked selects places that may differ */
export function describeDifferences(
  reference: FinalState,
  state: FinalState,
  masked: (place: string) => boolean,
): string | undefined {
  const places = [...differingPlaces(reference, state)].filter((place) => !masked(place));
  const missing = places.filter((place) => isObject(place, reference, state));
  const found = missing.length ? missing : places;
  if (found.length === 0) return undefined;
  const texts = found.slice(0, NAMED_LIMIT).map((place) => {
    if (!isObject(place, reference, state)) {
      return `${place} is ${state.get(place) ?? 'absent'} instead of ${reference.get(place) ?? 'absent'}`;
    }
    return `${place} is ${state.has(place) ? 'there, but should not be' : 'missing'}`;
  });
  const rest = found.length > NAMED_LIMIT ? `, and ${found.length - NAMED_LIMIT} more` : '';
  return `${texts.join('; ')}${rest}`;
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

/** The value of a leaf. A uid is replaced by the name of its object, as uids differ from run to run. */
function valueOf({ value, text }: Leaf, names: ReadonlyMap<string, string>): string {
  const name = text === undefined ? undefined : names.get(text);
  return name === undefined ? value : `<uid of ${name}>`;
}

function leavesOf(object: KubeObject): readonly Leaf[] {
  const found = known.get(object);
  if (found) return found;
  const leaves: Leaf[] = [];
  const name = foldedName(object);
  const add = (path: string, value: string, text?: string): void => {
    leaves.push({ place: `${name} ${path}`, path, value, text });
  };
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value) && value.length) value.forEach((item, index) => visit(item, `${path}[${index}]`));
    else if (typeof value === 'object' && value !== null && Object.keys(value).length) {
      for (const [key, item] of Object.entries(value)) visit(item, `${path}.${key}`);
    } else if (path.endsWith('.observedGeneration')) add(path, generationsBehind(object, value));
    else if (!isForeign(value)) add(path, normalized(value), typeof value === 'string' ? value : undefined);
  };
  for (const [key, value] of Object.entries(object)) {
    if (key === 'metadata') {
      for (const [field, item] of Object.entries(value as object)) {
        if (!OWN_FIELDS.has(field) && !(field === 'name' && 'generateName' in object.metadata)) {
          visit(item, `.metadata.${field}`);
        }
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
