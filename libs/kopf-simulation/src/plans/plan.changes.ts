import { deepEqual, SeededRandom, stringifyJson } from 'kube-common';
import type { SchemaNode } from 'nestjs-kopf/crd';
import type { TestManifestObject } from 'nestjs-kopf/testing';
import type { SimulatedChanges } from '../simulation.options.js';
import type { SimulationPlan } from '../simulation.plan.js';
import { FieldChanges } from './field.changes.js';

/** The most changes of one plan. */
const CHAIN_LIMIT = 4;
const DEFAULT_RUNS = 100;

/**
 * Plans in which the user changes an object, as Acto (SOSP 2023) does. One half makes a change, which may be invalid for the operator, and takes it
 * back. The other half makes several changes. Both must end as if the object had been created in its last state.
 *
 * @param schema the schema of the object's version.
 */
export function* changePlans(options: SimulatedChanges, schema: SchemaNode, seed: number): Generator<SimulationPlan> {
  const { object, runs = DEFAULT_RUNS, values, fields } = options;
  const seen = new Set<string>();
  for (let index = 0; index < runs; index++) {
    const random = new SeededRandom(seed * 1009 + index);
    const changes = new FieldChanges(random, schema, values, fields);
    const states = [object];
    const length = index % 2 === 0 ? 1 : 2 + Math.floor(random.next() * (CHAIN_LIMIT - 1));
    while (states.length <= length) states.push(changes.draw(states.at(-1)!) ?? object);
    if (index % 2 === 0) states.push(object);
    const key = stringifyJson(states);
    if (seen.has(key) || states.every((state) => deepEqual(state, object))) continue;
    seen.add(key);
    yield { seed, faults: [], states };
  }
}

/** The schema of an object's version in its CRD; `undefined` if there is none. */
export function schemaOf(
  definitions: readonly object[],
  { apiVersion, kind }: TestManifestObject,
): SchemaNode | undefined {
  const [group, version] = apiVersion.split('/');
  for (const { spec } of definitions as readonly { readonly spec: DefinitionSpec }[]) {
    if (spec.group !== group || spec.names.kind !== kind) continue;
    return spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  }
  return undefined;
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema: SchemaNode } }[];
}
