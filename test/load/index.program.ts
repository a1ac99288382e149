import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Injectable, Module } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EmbeddedKube } from 'embedded-kube';
import {
  Index,
  KopfIndices,
  KopfModule,
  KopfOperator,
  KopfWatcher,
  OnEvent,
  type EventContext,
  type IndexContext,
  type KubeObject,
  type KubeTransport,
} from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { ObjectIndex } from '../../libs/kopf/src/indexing/object.index.js';
import { RandomChoices } from '../support/generators/random.choices.js';
import { PodChurn } from './pod.churn.js';
import { RandomWatchFaults } from './watch.faults.js';

/** The measurements of indices over very many pods. */
export interface IndexFigures {
  /** The least number of indexed pods that another handler has seen at any of its calls before anything was changed. */
  readonly seen: { readonly fewest: number; readonly calls: number };
  /** Counts the injected faults by their kinds. */
  readonly faults: Readonly<Record<string, number>>;
  /** Counts the lists of all pods after the first one. */
  readonly lists: number;
  /** The differences between the indices and a full list. */
  readonly differences: readonly string[];
  /** Keys that are left after the operator has stopped. */
  readonly leftKeys: number;
  readonly readySeconds: number;
  readonly bytesPerEntry: Readonly<Record<string, number>>;
  /** Measured by `--times` alone: no test judges them. */
  readonly nanosecondsPerLookup?: Readonly<Record<string, number>>;
  readonly nanosecondsPerChange?: Readonly<Record<string, number>>;
}

type Entry = readonly [key: unknown, value: unknown];

/** The index functions: they give the entry of a pod. */
const ENTRIES: Readonly<Record<string, (pod: KubeObject) => Entry | undefined>> = {
  phaseByPod: ({ metadata, status }) => [[metadata.namespace, metadata.name], (status as { phase?: string }).phase],
  podsByZone: ({ metadata }) => [metadata.labels!.zone, metadata.name],
  webPods: ({ metadata }) => (metadata.labels!.tier === 'web' ? [null, metadata.name] : undefined),
};

const seen = { fewest: Infinity, calls: 0 };

@Injectable()
class PodOperator {
  @Index('pods.v1')
  phaseByPod({ body }: IndexContext) {
    return new Map([ENTRIES.phaseByPod(body)!]);
  }

  @Index('pods.v1')
  podsByZone({ labels, name }: IndexContext) {
    return { [labels.zone]: name };
  }

  @Index('pods.v1', { labels: { tier: 'web' } })
  webPods({ name }: IndexContext) {
    return name;
  }

  @OnEvent('pods.v1')
  look({ indices }: EventContext) {
    seen.calls++;
    seen.fewest = Math.min(seen.fewest, indices.phaseByPod.size);
  }
}

/** The values of one key, in whichever order they are stored. */
function textOf(values: readonly unknown[]): string {
  return JSON.stringify([...values].sort());
}

/** The values that the index must have for each key, as text: they are compared again and again until they are right. */
function expectedOf(pods: readonly KubeObject[], name: string): ReadonlyMap<string, string> {
  const expected = new Map<string, unknown[]>();
  for (const pod of pods) {
    const entry = ENTRIES[name](pod);
    if (!entry) continue;
    const key = JSON.stringify(entry[0]);
    const values = expected.get(key);
    if (values) values.push(entry[1]);
    else expected.set(key, [entry[1]]);
  }
  return new Map([...expected].map(([key, values]) => [key, textOf(values)]));
}

/** Where the indices differ from what is listed: the first difference of each. */
function differencesOf(
  indices: KopfIndices,
  expectations: ReadonlyMap<string, ReadonlyMap<string, string>>,
): readonly string[] {
  return [...expectations].flatMap(([name, expected]) => {
    const actual = new Map([...indices.get(name)].map(([key, store]) => [JSON.stringify(key), store.toArray()]));
    for (const key of new Set([...expected.keys(), ...actual.keys()])) {
      const [have, want] = [textOf(actual.get(key) ?? []), expected.get(key) ?? textOf([])];
      if (have !== want) return [`${name}[${key}] has ${have.slice(0, 300)} instead of ${want.slice(0, 300)}`];
    }
    return [];
  });
}

async function heap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(20);
  }
  return process.memoryUsage().heapUsed;
}

/** Measures an index with the entries of all pods: bytes for each entry, and on demand nanoseconds for each lookup and each change. */
async function measureIndex(
  name: string,
  pods: readonly KubeObject[],
  choices: RandomChoices,
  withTimes: boolean,
): Promise<Readonly<Record<string, number>>> {
  const entries = pods.flatMap((pod): [string, Entry][] => {
    const entry = ENTRIES[name](pod);
    return entry ? [[pod.metadata.uid!, entry]] : [];
  });
  const before = await heap();
  const index = new ObjectIndex();
  for (const [uid, entry] of entries) index.replace(uid, [entry]);
  const bytes = Math.round(((await heap()) - before) / entries.length);
  if (!withTimes) return { bytes };

  const drawn = Array.from({ length: 200_000 }, () => choices.pick(entries));
  const time = (act: (uid: string, entry: Entry) => void): number => {
    let best = Infinity;
    for (let round = 0; round < 3; round++) {
      const began = performance.now();
      for (const [uid, entry] of drawn) act(uid, entry);
      best = Math.min(best, performance.now() - began);
    }
    return Math.round((best * 1e6) / drawn.length);
  };
  let hits = 0;
  const lookup = time((_uid, [key]) => void (hits += index.get(key) ? 1 : 0));
  const change = time((uid, entry) => index.replace(uid, [entry]));
  if (hits !== 3 * drawn.length) throw new Error(`Only ${hits} of the keys of ${name} were found.`);
  return { bytes, lookup, change };
}

async function measure(pods: number, changes: number, seed: number, withTimes: boolean): Promise<IndexFigures> {
  const choices = new RandomChoices(new SeededRandom(seed));
  const kube = await EmbeddedKube.start({ port: false });
  const churn = new PodChurn(kube.transport(), choices);
  await churn.fill(pods);

  let lists = 0;
  const cluster = kube.transport();
  const transport: KubeTransport = {
    request: (request) => {
      if (/^\/api\/v1\/pods\?(?!.*(continue|watch)=)/.test(request.path)) lists++;
      return cluster.request(request);
    },
    close: () => cluster.close(),
  };

  @Module({
    imports: [
      KopfModule.forRoot({
        credentials: { server: 'http://embedded', transport },
        networking: { errorBackoffs: [0.05, 0.1, 0.2] },
        watching: { inactivityTimeout: 0.5, reconnectBackoff: 0.02 },
      }),
    ],
    providers: [PodOperator],
  })
  class App {}

  const began = performance.now();
  const app = await NestFactory.createApplicationContext(App, { logger: ['fatal'] });
  await app.get(KopfOperator).ready();
  const readySeconds = (performance.now() - began) / 1000;
  const indices = app.get(KopfIndices);

  while (seen.calls < pods) await pause(20);
  const seenAtStart = { ...seen };

  const listsBefore = lists;
  const status = () => app.get(KopfWatcher).states.find(({ resource }) => resource.plural === 'pods')!;
  const watchFaults = new RandomWatchFaults(kube.faults, choices, 'pods');
  let recovery: { readonly due: number; readonly version?: string } | undefined;
  for (let change = 0; change < changes; change++) {
    await churn.change();
    if (!recovery && choices.withProbability(0.006)) {
      watchFaults.inject();
      recovery = { due: change + choices.between(1, 150), version: status().resourceVersion };
    } else if (recovery && change >= recovery.due) {
      // Some changes are made while nobody watches, and some while all is well again.
      const { state, resourceVersion } = status();
      if (state === 'watching' && resourceVersion !== recovery.version) recovery = undefined;
      else await pause(20);
    } else if (change % 20 === 0) await pause(1);
  }
  watchFaults.stop();
  // A watch may be waiting to be connected again.
  while (watchFaults.expire() === 0) await pause(20);
  const listed = await churn.list();
  const expectations = new Map(Object.keys(ENTRIES).map((name) => [name, expectedOf(listed, name)]));
  let differences = differencesOf(indices, expectations);
  for (let round = 0; differences.length > 0 && round < 300; round++) {
    await pause(200);
    differences = differencesOf(indices, expectations);
  }

  await app.close();
  await kube.stop();
  const leftKeys = indices.names.reduce((sum, name) => sum + indices.get(name).size, 0);
  const costs = new Map<string, Awaited<ReturnType<typeof measureIndex>>>();
  for (const name of Object.keys(ENTRIES)) costs.set(name, await measureIndex(name, listed, choices, withTimes));
  const costOf = (part: string) => Object.fromEntries([...costs].map(([name, cost]) => [name, cost[part]]));
  return {
    seen: seenAtStart,
    faults: watchFaults.counts,
    lists: lists - listsBefore,
    differences,
    leftKeys,
    readySeconds,
    bytesPerEntry: costOf('bytes'),
    ...(withTimes && { nanosecondsPerLookup: costOf('lookup'), nanosecondsPerChange: costOf('change') }),
  };
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'boolean', default: false } },
});
const [pods = 50_000, changes = 10_000, seed = 1] = positionals.map(Number);
process.stdout.write(`${JSON.stringify(await measure(pods, changes, seed, values.times))}\n`);
