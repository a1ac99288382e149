import type { KubeObject } from '../../objects/kube-object.js';
import type { Violation } from './violation.js';

/** Fields of the server itself, which tell how often and when something was written. */
const OWN_FIELDS = new Set(['resourceVersion', 'uid', 'managedFields', 'generation', 'creationTimestamp', 'selfLink']);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
/** The annotation that other clients of a run change: no part of what operators compare. */
export const FOREIGN_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** Begins the values of other clients, which are no part of final states. */
export const FOREIGN_MARK = 'another client:';
/**
 * The last handled state of an object is compared with the object itself, where handlers are for it; elsewhere it means nothing. Nor does the mark
 * of the storage that is written with it: where there are several storages, an operator can crash between two of them.
 */
const LAST_HANDLED = /^\.metadata\.annotations\..*\/(last-handled-configuration|kopf-managed)$/;
/** Limits how many differing fields a message names. */
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
  /** The value, if it is a text: it can be the identity of an object. */
  readonly text?: string;
}

/** The leaves of objects that were looked at. Most runs leave most objects of their world as they were, such as CRDs, which have many. */
const known = new WeakMap<KubeObject, readonly Leaf[]>();

/**
 * Makes the state at the end of a run comparable: without what the server decides on, with the names of objects for their identities, and
 * with generated names folded.
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

/** Names an object, by what its name was made of if it was generated. */
export function foldedName(object: KubeObject): string {
  const { kind, metadata } = object;
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${baseNameOf(object)}`;
}

/** The name of an object; if it was generated, what it was made of: `disk-*`. */
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
 * Compares the end of a run with the right ones: each object must be as it is in one of them.
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

/** Says in which places two states differ; nothing if they do not. @param masked selects places that may differ */
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

/** The places that are the same in both states, or in neither, though they are others in a third one. */
export function samePlaces(one: FinalState, other: FinalState, third: FinalState): ReadonlySet<string> {
  return new Set([...differingPlaces(other, third)].filter((place) => one.get(place) === other.get(place)));
}

/** The objects that are the same in both states, or in neither. */
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

/** Writes leaves so that those of two objects can be put in order. */
function textOf(leaves: readonly Leaf[], names: ReadonlyMap<string, string>): string {
  return leaves.map((leaf) => `${leaf.path},${valueOf(leaf, names)}`).join('\n');
}

/** The value of a leaf; of an identity, the name of the object, as identities differ from run to run. */
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

/** An object that was changed more often has had more generations: it counts how far the controller has come. */
function generationsBehind({ metadata }: KubeObject, observed: unknown): string {
  return `${Number((metadata as { generation?: number | bigint }).generation ?? 0) - Number(observed)} generations behind`;
}

function normalized(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  return TIME.test(value) ? '<time>' : JSON.stringify(value);
}
