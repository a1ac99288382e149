import type { KubeObject } from 'nestjs-kopf';
import type { SimulatedState, SimulationStatement } from 'nestjs-kopf-simulation';
import type { RandomSpec } from './random.builder.js';
import { MADE, MET, SEEN, type Mixture } from './mixed.builder.js';
import type { RandomSettings } from './random.settings.js';

type Sized = KubeObject<RandomSpec, { readonly housed?: number }> & { readonly spec: RandomSpec };
type Holder = KubeObject & { readonly data?: { readonly size?: string } };

/** Makes the checks that hold for a mixed operator at rest: each object has its children, with what is in it now, and no children are left. */
export function mixedProperties(
  { marksMaps, makesSecrets, makesRooms, meetsNamespaces }: Mixture,
  { repeatsLateChanges, serves }: RandomSettings,
): readonly SimulationStatement[] {
  const examplesOf = ({ list }: SimulatedState): readonly Sized[] =>
    list<Sized>('KopfExample').filter(({ metadata }) => serves(metadata.namespace!));
  const mapsOf = ({ list }: SimulatedState): readonly Holder[] =>
    list<Holder>('ConfigMap').filter(({ metadata }) => metadata.labels?.[MADE.key] === MADE.value);

  function hasMaps(state: SimulatedState) {
    const expected = examplesOf(state).map(({ metadata, spec }) => `${placeOf(metadata)}-map ${spec.size}`);
    const found = mapsOf(state).map(({ metadata, data }) => `${placeOf(metadata)} ${data?.size}`);
    return compare(found, expected);
  }

  function marksAllMaps(state: SimulatedState) {
    const wrong = mapsOf(state).filter(({ metadata, data }) => metadata.annotations?.[SEEN] !== data?.size);
    return wrong.length === 0 || wrong.map(({ metadata }) => metadata.name).join();
  }

  function hasSecrets(state: SimulatedState) {
    const expected = mapsOf(state).map(({ metadata, data }) => `${placeOf(metadata)}-secret ${btoa(data!.size!)}`);
    const secrets = state.list<Holder>('Secret').filter(({ metadata }) => metadata.name!.endsWith('-secret'));
    return compare(
      secrets.map(({ metadata, data }) => `${placeOf(metadata)} ${data?.size}`),
      expected,
    );
  }

  function housesTenants(state: SimulatedState) {
    const wrong = state.list<Sized>('Tenant').filter(({ spec, status }) => status?.housed !== spec.size);
    return wrong.length === 0 || wrong.map(({ metadata }) => metadata.name).join();
  }

  function hasRooms(state: SimulatedState) {
    const expected = state
      .list<Sized>('Tenant')
      .map(({ metadata, spec }) => `app-of-${metadata.name}/room-${metadata.name} ${spec.size}`);
    const rooms = state.list<Sized>('KopfExample').filter(({ metadata }) => metadata.name!.startsWith('room-'));
    return compare(
      rooms.map(({ metadata, spec }) => `${placeOf(metadata)} ${spec.size}`),
      expected,
    );
  }

  function meetsAllNamespaces({ list }: SimulatedState) {
    const own = list('Namespace').filter(({ metadata }) => metadata.name!.startsWith('app-'));
    const wrong = own.filter(({ metadata }) => metadata.annotations?.[MET] !== 'yes');
    return wrong.length === 0 || wrong.map(({ metadata }) => metadata.name).join();
  }

  return [
    repeatsLateChanges && hasMaps,
    repeatsLateChanges && marksMaps && marksAllMaps,
    repeatsLateChanges && makesSecrets && hasSecrets,
    repeatsLateChanges && housesTenants,
    repeatsLateChanges && makesRooms && hasRooms,
    meetsNamespaces && meetsAllNamespaces,
  ].filter((property) => property !== false);
}

function placeOf({ namespace, name }: KubeObject['metadata']): string {
  return `${namespace}/${name}`;
}

function compare(found: readonly string[], expected: readonly string[]): true | string {
  const [one, other] = [found.toSorted().join(), expected.toSorted().join()];
  return one === other || `${one} instead of ${other}`;
}
