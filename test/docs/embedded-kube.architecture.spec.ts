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
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods';
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

  private async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Counts the calls of an action. @returns the functions that were called, as `file function` */
  static async during(action: () => Promise<unknown>): Promise<ReadonlySet<string>> {
    const counter = new CallCounter();
    await counter.start();
    await action();
    return counter.stop();
  }

  private async stop(): Promise<ReadonlySet<string>> {
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

interface Step {
  readonly file: string;
  readonly functions: readonly string[];
}

/** Finds the part of the page below a heading. */
function sectionOf(heading: string): string {
  const [, section] = PAGE.split(`\n${heading}\n`);
  return section.split(/\n##+ /)[0];
}

/** Reads the table of a way. A cell of prose is about a function without a name. */
function rowsOf(heading: string): readonly Step[] {
  const rows = sectionOf(heading).matchAll(/^\| \d+ +\| `([\w./-]+)` +\| (.+?) +\|/gm);
  return [...rows].map(([, file, cell]) => ({ file, functions: cell.startsWith('`') ? wordsOf(cell) : [] }));
}

/** Reads the list of a way: `file`: `function`. */
function itemsOf(heading: string): readonly Step[] {
  const items = sectionOf(heading).matchAll(/`([\w./-]+\.ts)`:\s+((?:`\w+`(?:, )?)+)/g);
  return [...items].map(([, file, names]) => ({ file, functions: wordsOf(names) }));
}

function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/\w+/g)].map(([word]) => word);
}

/** Lists the functions of a way that were not called. */
function listUncalled(steps: readonly Step[], called: ReadonlySet<string>): readonly string[] {
  return steps.flatMap(({ file, functions }) =>
    functions.map((name) => `${file} ${name}`).filter((step) => !called.has(step)),
  );
}

describe('the ways through embedded-kube', () => {
  const way = rowsOf('### How a patch reaches a watch');
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
    const response = await responseTo(outgoing);
    const text = (await response.setEncoding('utf8').toArray()).join('');
    expect([200, 201], text).toContain(response.statusCode);
    return JSON.parse(text);
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
    const object = { metadata: { name: 'a' }, data: { color: 'red' } };
    const created = await answerTo(send('POST', OBJECTS, JSON.stringify(object)));
    const since = created.metadata['resourceVersion'];
    const watching = send('GET', `${OBJECTS}?watch=1&resourceVersion=${since}`);
    const watch = await responseTo(watching);
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 100;
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
      const line = once(watch, 'data');
      const patch = JSON.stringify({ data: { color: 'blue' } });
      let patched: Awaited<ReturnType<typeof answerTo>> | undefined;
      state.isPatching = true;
      called = await CallCounter.during(async () => {
        patched = await answerTo(send('PATCH', `${OBJECTS}/a`, patch, 'application/merge-patch+json'));
        await line;
      });
      state.isPatching = false;
      const [chunk] = (await line) as [Buffer];
      const event = JSON.parse(chunk.toString());
      expect(event).toMatchObject({ type: 'MODIFIED', object: { data: { color: 'blue' } } });
      expect(event.object.metadata.resourceVersion).toBe(patched?.metadata['resourceVersion']);
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
    expect(way.length).toBeGreaterThan(30);
    expect(listUncalled(way, called)).toEqual([]);
  });

  it('should name no function that a creation does not call', async () => {
    const steps = rowsOf('## The way of a request');
    const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'a:1' }] } };
    await answerTo(send('POST', ACCOUNTS, JSON.stringify({ metadata: { name: 'default' } })));
    const calls = await CallCounter.during(async () => {
      const watching = send('GET', `${PODS}?watch=1`);
      const line = once(await responseTo(watching), 'data');
      await answerTo(send('POST', PODS, JSON.stringify(pod)));
      await line;
      watching.destroy();
    });
    expect(steps.length).toBeGreaterThan(15);
    expect(listUncalled(steps, calls)).toEqual([]);
  });

  it('should name no function that server-side apply does not call', async () => {
    const steps = itemsOf('### How `kubectl apply --server-side` reaches storage');
    const apply = (configuration: object, manager: string) =>
      answerTo(
        send(
          'PATCH',
          `${OBJECTS}/b?fieldManager=${manager}`,
          JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, ...configuration }),
          'application/apply-patch+yaml',
        ),
      );
    const calls = await CallCounter.during(async () => {
      await apply({ data: { color: 'red' } }, 'kubectl');
      await apply({ data: { size: 'small' } }, 'kubectl');
    });
    expect(steps.length).toBeGreaterThan(8);
    expect(listUncalled(steps, calls)).toEqual([]);
  });
});
