import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { Authenticator } from '../../libs/embedded-kube/src/access/authenticator.js';
import { FieldManager } from '../../libs/embedded-kube/src/apply/field.manager.js';
import { FieldReport } from '../../libs/embedded-kube/src/kinds/validation/field.report.js';
import { WatchStream } from '../../libs/embedded-kube/src/machinery/watch.stream.js';
import { ResourceRegistry } from '../../libs/embedded-kube/src/resources/resource.registry.js';
import { EventHistory } from '../../libs/embedded-kube/src/storage/event.history.js';
import { FileJournal } from '../../libs/embedded-kube/src/storage/file.journal.js';
import { StoredObject } from '../../libs/embedded-kube/src/storage/stored.object.js';
import { TypedDecoder } from '../../libs/embedded-kube/src/typed/typed.decoder.js';

const SOURCE = 'libs/embedded-kube/src';
const PAGE = readFileSync(join(import.meta.dirname, '../..', SOURCE, '../ARCHITECTURE.md'), 'utf8');
const OBJECTS = '/api/v1/namespaces/default/configmaps';
const QUIET = { debug: () => {}, log: () => {}, warn: () => {}, error: () => {} };

/** Where stack traces are collected. */
const PLACES = [
  'user',
  'authorizer',
  'resource',
  'decoded',
  'owners',
  'admit',
  'valid',
  'validate',
  'journal',
  'history',
  'text',
  'watch',
  'next line',
  'sent',
  'answered',
];

/** The calls of functions in this process, by the files of the server's sources. */
class CallCounter {
  private readonly session = new Session();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** @returns the functions that were called, as `file function` */
  async stop(): Promise<ReadonlySet<string>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    await this.session.post('Profiler.stopPreciseCoverage');
    this.session.disconnect();
    const called = result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => ranges[0].count > 0)
        .map(({ functionName }) => `${url.split(`${SOURCE}/`)[1]} ${functionName}`),
    );
    return new Set(called);
  }
}

/** Stack traces, each as the files of the server that it leads through, from the socket inwards. */
class StackCollector {
  readonly stacks: { readonly place: string; readonly files: readonly string[] }[] = [];

  collect(place: string): void {
    const frames = new Error().stack!.replaceAll('\\', '/').matchAll(/libs\/embedded-kube\/src\/([\w./-]+\.ts)/g);
    const files = [...frames].map(([, file]) => file).reverse();
    this.stacks.push({ place, files: [...new Set(files)] });
  }

  /** Collects the stack at each call of a method. */
  observe<T extends object>(place: string, owner: T, method: keyof T & string): void {
    const collect = (): void => this.collect(place);
    const original = owner[method] as (...args: unknown[]) => unknown;
    vi.spyOn(owner as Record<string, () => unknown>, method).mockImplementation(function (this: T, ...args) {
      collect();
      return original.apply(this, args);
    });
  }
}

describe('the way of a patch', () => {
  const [, section] = PAGE.split('\n### How a patch reaches a watch\n');
  const way = [...section.split(/\n##+ /)[0].matchAll(/^\| \d+ +\| `([\w./-]+)` +\| (.+?) +\|/gm)].map(
    // A cell of prose is about a function without a name.
    ([, file, cell]) => ({
      file,
      functions: cell.startsWith('`') ? [...cell.matchAll(/\w+/g)].map(([name]) => name) : [],
    }),
  );
  const files = way.map(({ file }) => file);
  const stacks = new StackCollector();
  let called: ReadonlySet<string>;
  let kube: EmbeddedKube;
  let folder: string;

  function send(method: string, path: string, body = '', type = 'application/json'): ClientRequest {
    const headers = { authorization: `Bearer ${kube.token}`, 'content-type': type };
    return request(`${kube.url}${path}`, { method, headers, ca: kube.caCertificate, agent: false }).end(body);
  }

  async function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }

  async function answerTo(outgoing: ClientRequest): Promise<{ readonly metadata: Record<string, string> }> {
    return JSON.parse((await (await responseTo(outgoing)).setEncoding('utf8').toArray()).join(''));
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'embedded-kube-way-'));
    const state = { isPatching: false };
    const collect = (place: string): void => void (state.isPatching && stacks.collect(place));
    kube = await EmbeddedKube.start({
      data: folder,
      logger: QUIET,
      builtinControllers: false,
      authorizer: { authorize: () => (collect('authorizer'), true) },
      admission: [{ name: 'collector', admit: () => collect('admit'), validate: () => collect('validate') }],
    });
    const metadata = { name: 'a', resourceVersion: undefined };
    const created = await answerTo(send('POST', OBJECTS, JSON.stringify({ metadata, data: { color: 'red' } })));
    const since = created.metadata['resourceVersion'];
    const watching = send('GET', `${OBJECTS}?watch=1&resourceVersion=${since}`);
    const watch = await responseTo(watching);
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 100;
    const counter = new CallCounter();
    try {
      stacks.observe('journal', FileJournal.prototype, 'append');
      stacks.observe('watch', WatchStream.prototype, 'push');
      stacks.observe('next line', WatchStream.prototype, 'next');
      stacks.observe('user', Authenticator.prototype, 'authenticate');
      stacks.observe('resource', ResourceRegistry.prototype, 'find');
      stacks.observe('decoded', TypedDecoder.prototype, 'decode');
      stacks.observe('owners', FieldManager.prototype, 'update');
      stacks.observe('valid', FieldReport.prototype, 'named');
      stacks.observe('history', EventHistory.prototype, 'push');
      stacks.observe('sent', ServerResponse.prototype, 'write');
      stacks.observe('answered', ServerResponse.prototype, 'end');
      const json = Object.getOwnPropertyDescriptor(StoredObject.prototype, 'json')!;
      vi.spyOn(StoredObject.prototype, 'json', 'get').mockImplementation(function (this: StoredObject) {
        stacks.collect('text');
        return json.get!.call(this) as string;
      });
      await counter.start();
      state.isPatching = true;
      const line = once(watch, 'data');
      const patch = JSON.stringify({ data: { color: 'blue' } });
      const patched = await answerTo(send('PATCH', `${OBJECTS}/a`, patch, 'application/merge-patch+json'));
      const [chunk] = (await line) as [Buffer];
      state.isPatching = false;
      called = await counter.stop();
      const event = JSON.parse(chunk.toString());
      expect(event).toMatchObject({ type: 'MODIFIED', object: { data: { color: 'blue' } } });
      expect(event.object.metadata.resourceVersion).toBe(patched.metadata['resourceVersion']);
    } finally {
      Error.stackTraceLimit = limit;
      vi.restoreAllMocks();
      watching.destroy();
    }
  });

  afterAll(async () => {
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('should name all files that a patch goes through', () => {
    const places = new Set(stacks.stacks.map(({ place }) => place));
    expect([...places].sort()).toEqual([...PLACES].sort());
    expect([...new Set(stacks.stacks.flatMap((stack) => stack.files))].filter((file) => !files.includes(file))).toEqual(
      [],
    );
  });

  it.each(PLACES)('should name the files in the order in which they call each other: %s', (place) => {
    const found = stacks.stacks.filter((stack) => stack.place === place).map((stack) => stack.files);
    expect(found).toEqual(
      found.map((stack) => files.filter((file, row) => stack.includes(file) && files.indexOf(file) === row)),
    );
  });

  it('should name no function that a patch does not call', () => {
    expect(way.length).toBeGreaterThan(15);
    const steps = way.flatMap(({ file, functions }) => functions.map((name) => `${file} ${name}`));
    expect(steps.filter((step) => !called.has(step))).toEqual([]);
  });
});
