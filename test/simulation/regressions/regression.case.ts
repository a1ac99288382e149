import { Injectable, Module, type Type } from '@nestjs/common';
import type { KubeObject } from 'nestjs-kopf';
import {
  simulate,
  type SimulationFault,
  type SimulationOptions,
  type SimulationPlan,
  type SimulationReport,
} from 'nestjs-kopf-simulation';
import { DATABASE_CRD, Parts } from './database.js';

/**
 * The reason why tests do not find the bug: a pattern of Sieve (states that are intermediate, stale, or unobserved), a class
 * of Acto (an undesired state, an error without recovery, an outage of the operator), interference of another client, or a weakness that Kopf
 * documents.
 */
export type BugPattern =
  'intermediate' | 'stale' | 'unobserved' | 'undesired' | 'error' | 'outage' | 'interference' | 'kopf';

/** A bug in an operator as small as it can be, beside its fixed variant. */
export interface RegressionCase {
  readonly name: string;
  /** The public descriptions that the operator is written from; absent if none is known of just this bug. */
  readonly seenIn?: string;
  readonly pattern: BugPattern;
  readonly bug: Type;
  readonly fixed: Type;
  /** The check that finds the bug. */
  readonly check: string;
  /** The faults of the smallest plan that finds it. */
  readonly faults: readonly SimulationFault[];
  /** The states of the object in the smallest plan, for a bug that changes find which are drawn from the schema of the CRD. */
  readonly states?: SimulationPlan['states'];
  readonly options: SimulationOptions;
}

/** A user that other systems have, outside of the cluster. */
@Injectable()
export class Outside {
  /** Sets a value, as an API call to another system does. */
  set = async (_key: string, _value: string): Promise<void> => {};
  /** Removes a value. */
  remove = async (_key: string): Promise<void> => {};
  get = (_key: string): string | undefined => undefined;
}

/** Seconds within which operators come to rest: longer than plans set their clocks back, by which retries come later. */
const PATIENCE = 4000;

/**
 * Simulates one variant of a regression case.
 *
 * @param operator the class with the bug, or the fixed one.
 * @param given options of the simulation, which override those of the case.
 */
export function simulateCase(
  { options: { world, ...options } }: RegressionCase,
  operator: Type,
  given: Partial<SimulationOptions>,
): Promise<SimulationReport> {
  @Module({ providers: [operator, Outside, Parts] })
  class CaseModule {}
  return simulate(CaseModule, {
    patience: PATIENCE,
    world: { ...world, objects: [DATABASE_CRD, ...((world?.objects ?? []) as readonly object[])] as never },
    override: (builder, effects) =>
      builder.overrideProvider(Outside).useValue({
        set: (key: string, value: string) => effects.record('set', key, () => void effects.memory.set(key, value)),
        remove: (key: string) => effects.record('remove', key, () => void effects.memory.delete(key)),
        get: (key: string) => effects.memory.get(key),
      }),
    ...options,
    ...given,
  });
}

/** An object whose operator is tested. */
export const claim = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', labels: { app: 'claim' } },
  data: { size: '1' } as Record<string, string>,
};

export const CLAIMS = { labels: { app: 'claim' } };

/** A child of a claim, or something that others bring. */
export function secret(
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', labels },
    stringData: data,
  } as never;
}

/** Reads the values of a secret, as they were given. */
export function valuesOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  const data = Object.entries((object?.data ?? {}) as Record<string, string>);
  return Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}
