import { Test, type TestingModule } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfModule, KopfOperator, type KubeTransport } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import { customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { RecordingTransport, type RecordedWrite } from '../support/transport/recording.transport.js';
import type { Scenario, User } from './scenarios.js';

/** A call of a handler, a write request, or what the user did. */
export type Entry = Record<string, any>;

/** The recorded behaviour of Kopf in one scenario. */
export interface Trace {
  readonly name: string;
  readonly statusSubresource: boolean;
  readonly log: readonly Entry[];
}

const OBJECTS = '/apis/kopf.dev/v1/namespaces/ns/kopfexamples';
const TIMESTAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;

/** States in annotations are compared by their content: the order of an object's members is the API server's. */
function parseState(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  return { state: JSON.parse(value) as unknown, ending: value.slice(value.lastIndexOf('}') + 1) };
}

/** Replaces what differs between any two runs: timestamps, resource versions, uids. */
export function normalize(entry: Entry): Entry {
  const text = JSON.stringify(entry)
    .replace(TIMESTAMP, '<TS>')
    .replace(/("path":"\/metadata\/resourceVersion","value":)"\d+"/g, '$1"<RV>"')
    .replace(/"uid":"[^"]*"/g, '"uid":"<UID>"');
  return JSON.parse(text, parseState) as Entry;
}

/**
 * Takes out of a merge patch by which its object is known for sure, which Kopf does not send: the uid and, for the status,
 * the version.
 *
 * @throws Error if the uid is not there.
 */
function withoutIdentity(write: RecordedWrite): Entry {
  if (write.method !== 'PATCH' || write.contentType !== 'application/merge-patch+json') return { ...write };
  const { metadata, ...body } = write.body as { metadata?: Record<string, unknown> };
  const { uid, resourceVersion, ...others } = metadata ?? {};
  const isPrecise = write.path.endsWith('/status') === (resourceVersion !== undefined);
  if (typeof uid !== 'string' || !isPrecise) throw new Error(`Any object of the name would be patched: ${write.path}`);
  return { ...write, body: Object.keys(others).length > 0 ? { ...body, metadata: others } : body };
}

/** Of a cycle that ends in two patches, Kopf sends that of the status last, and loses it if it is stopped in between. */
export function withStatusFirst(log: readonly Entry[]): readonly Entry[] {
  const sorted = [...log];
  for (let index = 1; index < sorted.length; index++) {
    const [before, after] = [sorted[index - 1], sorted[index]];
    const isPair = before.path !== undefined && after.path === `${before.path}/status`;
    if (isPair && before.contentType === after.contentType) sorted.splice(index - 1, 2, after, before);
  }
  return sorted;
}

async function send(
  transport: KubeTransport,
  method: string,
  path: string,
  body?: object,
  contentType = 'application/json',
): Promise<void> {
  const headers = { 'content-type': contentType };
  const response = await transport.request({ method, path, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (response.status >= 300 && response.status !== 404) throw new Error(`${method} ${path}: ${text}`);
}

/**
 * Plays a scenario with our operator on virtual time.
 *
 * @returns the calls of handlers, the write requests, and what the user did, in their order.
 */
export async function play(scenario: Scenario, statusSubresource: boolean): Promise<readonly Entry[]> {
  const log: Entry[] = [];
  const clock = new VirtualClock();
  const kube = await EmbeddedKube.start({ clock, random: new SeededRandom(1), port: false });
  const cluster = kube.transport();
  await send(cluster, 'POST', DEFINITIONS, customResource({ statusSubresource }));
  await send(cluster, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } });
  await clock.advance(1000);

  const operator = scenario.operator((call, { reason, retry }, extra) => {
    log.push({ call, reason: reason ?? null, retry: retry ?? 0, ...extra });
  });
  const note = (event: string, details?: object): void => void log.push(normalize({ event, ...details }));
  let module: TestingModule | undefined;

  const user: User = {
    create: (extra = {}) => {
      note('user: create', { object: extra });
      const metadata = { name: 'a', ...(extra.metadata as object) };
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', spec: { field: 'v1' }, ...extra, metadata };
      return send(cluster, 'POST', OBJECTS, body);
    },
    update: (patch) => {
      note('user: patch', { patch });
      return send(cluster, 'PATCH', `${OBJECTS}/a`, patch, 'application/merge-patch+json');
    },
    delete: () => {
      note('user: delete');
      return send(cluster, 'DELETE', `${OBJECTS}/a`);
    },
    wait: (seconds) => clock.advance(seconds * 1000),
    start: async () => {
      note('operator: start');
      const transport = new RecordingTransport(kube.transport(), (write) =>
        log.push(normalize(withoutIdentity(write))),
      );
      const credentials = { server: 'http://embedded', transport };
      module = await Test.createTestingModule({
        imports: [KopfModule.forRoot({ ...scenario.options, clock, random: new SeededRandom(2), credentials })],
        providers: [operator],
      })
        .setLogger(false as never)
        .compile();
      await module.init();
      await clock.advance(1000);
      await module.get(KopfOperator).ready();
    },
    stop: async () => {
      note('operator: stopping');
      const closing = module?.close();
      await clock.advance(5000);
      await closing;
      note('operator: stopped');
    },
  };
  await scenario.play(user);
  const stopping = kube.stop();
  await clock.advance(5000);
  await stopping;
  return log;
}
