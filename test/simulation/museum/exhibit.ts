import { Injectable, Module, type Type } from '@nestjs/common';
import { KopfModule, type KubeObject } from 'nestjs-kopf';
import { simulate, type SimulationOptions, type SimulationReport } from 'nestjs-kopf/simulation';

/** A bug that is known from a published controller, in an operator as small as it can be, beside its mended twin. */
export interface Exhibit {
  readonly name: string;
  /** The pattern of Sieve that finds it. */
  readonly pattern: 'intermediate' | 'stale' | 'unobserved';
  readonly bug: Type;
  readonly mended: Type;
  /** The check that finds the bug. */
  readonly check: string;
  /** The kinds of the faults in the smallest plan. */
  readonly faults: readonly string[];
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

/** Runs the plans of an exhibit with one of its twins. */
export function visit({ options, bug }: Exhibit, operator: Type): Promise<SimulationReport> {
  @Module({ imports: [KopfModule.forRoot()], providers: [operator, Outside] })
  class ExhibitModule {}
  return simulate(ExhibitModule, {
    patience: 600,
    limit: 30,
    stopAfter: operator === bug ? 1 : undefined,
    override: (builder, effects) =>
      builder.overrideProvider(Outside).useValue({
        set: (key: string, value: string) => effects.record('set', key, () => void effects.memory.set(key, value)),
        remove: (key: string) => effects.record('remove', key, () => void effects.memory.delete(key)),
        get: (key: string) => effects.memory.get(key),
      }),
    ...options,
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
