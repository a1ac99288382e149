import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { join, posix } from 'node:path';
import { Inject } from '@nestjs/common';
import {
  AdmissionError,
  Convert,
  Daemon,
  KubeClient,
  LeadershipLostError,
  Mutate,
  OnCleanup,
  OnCreate,
  OnLog,
  SystemClock,
  TemporaryError,
  Timer,
  Validate,
  type ChangeContext,
  type ConversionContextOf,
  type DaemonContext,
  type LogContext,
  type AdmissionContext,
  type TimerContext,
} from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { eventually } from '../support/time/eventually.js';
import { KEX, OperatorHarness } from '../support/operators/operator.harness.js';
import { Widget, widget, WidgetConversions, WidgetV1Alpha1 } from '../support/objects/widgets.js';
import { WayRecorder } from './support/way.recorder.js';

const ROOT = join(import.meta.dirname, '../..');

/** The layers of the libraries, by the folders of their sources. */
const LAYERS: Record<string, { readonly layers: readonly (string | string[])[]; readonly leaves: readonly string[] }> =
  JSON.parse(readFileSync(join(ROOT, 'test/tools/layers.json'), 'utf8'));

/** The page of a library about its architecture. */
class ArchitecturePage {
  readonly text: string;
  readonly files: readonly string[];
  /** Functions with the files that they are said to be in: `file` | `function`, `function`, and in lists `file`: `function`. */
  readonly functions: readonly (readonly [file: string, name: string])[];
  /** The main files of the folders, by their names. */
  readonly mainFiles: ReadonlyMap<string, string>;

  constructor(readonly source: string) {
    this.text = readFileSync(join(ROOT, source, '../ARCHITECTURE.md'), 'utf8');
    this.files = [...new Set(listFiles(this.text))];
    this.functions = [...this.text.matchAll(/`([\w./-]+\.ts)`(?: +\| +|:\s+)((?:`\w+`(?:, )?)+)/g)].flatMap(
      ([, file, names]) => [...names.matchAll(/\w+/g)].map(([name]) => [file, name] as const),
    );
    const rows = this.text.matchAll(/^\| (?:`([\w.-]+)`|the root) +\| [^|]* \| `([\w./-]+)` +\|/gm);
    this.mainFiles = new Map([...rows].map(([, folder = '.', file]) => [folder, file]));
  }

  /** The part of the page below a heading. */
  section(heading: string): string {
    const [, part] = this.text.split(`\n${heading}\n`);
    return part.split(/\n##+ /)[0];
  }

  pathOf(file: string): string {
    if (file === 'src/') return join(ROOT, this.source);
    return /^(test|libs|k8s)\//.test(file) ? join(ROOT, file) : join(ROOT, this.source, file);
  }

  read(file: string): string {
    return readFileSync(this.pathOf(file), 'utf8');
  }

  declares(file: string, name: string): boolean {
    const modifiers = '(export |async |function |private |protected |override |static |abstract )*';
    return new RegExp(`^ *${modifiers}${name}(<.*>)?\\(`, 'm').test(this.read(file));
  }

  /** The comment that a main file begins with. */
  openingOf(file: string): string {
    return /^(?:#!.*\n)?((?:\/\/ .*\n)+)/.exec(this.read(file))?.[1].replaceAll(/^\/\/ /gm, '') ?? '';
  }
}

/** The files and folders that a text names. */
function listFiles(text: string): readonly string[] {
  return [...text.matchAll(/`([\w-][\w./-]*(?:\.(?:ts|json|mjs|md)|\/))`/g)].map(([, file]) => file);
}

/** The libraries with layers, but for the private package of what the others share, which is flat, and has no page. */
const DESCRIBED = Object.entries(LAYERS).filter(([source, { layers }]) => layers && source !== 'libs/kube-common/src');

describe.each(DESCRIBED)('the architecture of %s', (source, { layers, leaves }) => {
  const page = new ArchitecturePage(source);
  const listed = [...layers.flat(), ...leaves];

  it('should be told with files that exist', () => {
    expect(page.files.length).toBeGreaterThan(60);
    expect(page.files.filter((file) => !existsSync(page.pathOf(file)))).toEqual([]);
  });

  it('should be told with functions that these files have', () => {
    expect(page.functions.length).toBeGreaterThan(25);
    expect(page.functions.filter(([file, name]) => !page.declares(file, name))).toEqual([]);
  });

  it('should be told of each folder', () => {
    const existing = listed.filter((layer) => existsSync(join(ROOT, source, layer)));
    expect([...page.mainFiles.keys()].sort()).toEqual(existing.sort());
  });

  it.each([...page.mainFiles])(
    'should be told by the main file of %s: why it is there, what it may import',
    (layer, file) => {
      const opening = page.openingOf(file);
      expect(opening).toMatch(
        new RegExp(`^${layer === '.' ? 'root' : layer.replace(/\.ts$/, '')}: [^]*^May import: `, 'm'),
      );
      const [, imports] = opening.split('May import: ');
      const ranks = layers.map((rank) => [rank].flat());
      const own = ranks.findIndex((rank) => rank.includes(layer));
      const later = own < 0 ? [] : ranks.slice(own).flat();
      const [allowed] = imports.split(/\b(?:but|neither|not|nothing)\b/);
      const named = [...allowed.matchAll(/\b[a-z]+\b/g)].map(([name]) => name);
      expect(named.filter((name) => later.includes(name) && name !== layer)).toEqual([]);
    },
  );
});

describe.each(['libs/kopf-simulation/src', 'libs/kopf-console/src', 'libs/kopf-cli/src'])(
  'the architecture of the tools in %s',
  (source) => {
    const page = new ArchitecturePage(source);

    it('should be told with files that exist, and with each folder', () => {
      expect(page.files.filter((file) => !existsSync(page.pathOf(file)))).toEqual([]);
      const entries = readdirSync(join(ROOT, source), { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
      expect(folders.filter((folder) => !page.files.includes(folder))).toEqual([]);
    });
  },
);

describe('the architecture of embedded-kube', () => {
  const source = 'libs/embedded-kube/src';
  const floors = [...new ArchitecturePage(source).mainFiles.keys()];
  const floorOf = (file: string): number => floors.indexOf(file.includes('/') ? file.split('/')[0] : '.');

  it('should be told in the order in which the folders import each other', () => {
    const files = readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' });
    const upward = files
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => /^\w+\/.*(?<!\.spec|\.spec-support)\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(ROOT, source, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)]
          .map(([, path]) => posix.join(posix.dirname(file), path))
          .filter((target) => floorOf(target) > floorOf(file))
          .map((target) => `${file} imports ${target}`),
      );
    expect(floors.length).toBeGreaterThan(10);
    expect(upward).toEqual([]);
  });
});

describe('the architecture of nestjs-kopf', () => {
  const page = new ArchitecturePage('libs/kopf/src');
  const way = [...page.section('## The way of an event').matchAll(/^\| \d+ +\| `([\w./-]+)` +\|/gm)].map(
    ([, file]) => file,
  );
  const folderOf = (file: string): string => file.split('/')[0];
  let recorder: WayRecorder;

  beforeEach(() => void (recorder = new WayRecorder()));

  afterEach(() => {
    recorder.end();
    vi.restoreAllMocks();
  });

  /** The files of the stack trace at a station, the innermost first. */
  const filesAt = (station: string): readonly string[] => recorder.stations.get(station)!.map(({ file }) => file);

  it('should have a way of an event through few files, and through each folder once', () => {
    const entered = way.map(folderOf).filter((folder, index, all) => folder !== all[index - 1]);
    // The API server is at both ends.
    expect(entered.shift()).toBe('client');
    expect(entered.pop()).toBe('client');
    expect(new Set(entered).size).toBe(entered.length);
    expect(new Set(way.map(folderOf)).size).toBeLessThanOrEqual(7);
    expect(way.length).toBeLessThanOrEqual(26);
  });

  it("should name all files that a timer's tick goes through, in their order", async () => {
    const steps = page.section("### How a timer's tick reaches the method");
    const tick = [...steps.matchAll(/^\d+\. `(?!libs)([\w./-]+)`/gm)].map(([, file]) => file);
    class Operator {
      private calls = 0;

      @Timer(...KEX, { interval: 1 })
      tick({ patch }: TimerContext) {
        // The first call is made as soon as the object appears, and not by a tick.
        if (++this.calls === 2) recorder.begin();
        recorder.pass('method');
        patch.status.calls = this.calls;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { intercept: ({ method }) => void (method === 'PATCH' && recorder.pass('patch')) });
    await harness.create('a');
    await harness.advance(3);
    recorder.end();
    const outwards = filesAt('method').filter((file) => !file.startsWith('testing/'));
    const onTheWay = outwards.toReversed().filter((file, index, all) => file !== all[index - 1]);
    const called = tick.filter((file) => onTheWay.includes(file));
    expect(onTheWay[0]).toBe('background/background.run.ts');
    expect(onTheWay.filter((file) => !tick.includes(file))).toEqual([]);
    expect([...new Set(onTheWay)]).toEqual([...new Set(called)]);
    const own = filesAt('patch').filter((file) => file.startsWith('background/'));
    expect(own).not.toEqual([]);
    expect(own.filter((file) => !tick.includes(file))).toEqual([]);
  });

  it('should name all files that an event goes through', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ patch }: ChangeContext) {
        recorder.pass('method');
        patch.status.seen = true;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { intercept: ({ method }) => void (method === 'PATCH' && recorder.pass('patch')) });
    const recall = 'handling/inventory.ts: recall';
    await recorder.watch(recall);
    await harness.create('a');
    await harness.advance(1);
    recorder.end();
    expect([...recorder.stations.keys()].sort()).toEqual([recall, 'method', 'patch'].sort());
    // The function that recalls the memory is called on the way, and is no step of it.
    const files = [...filesAt('method'), ...filesAt('patch'), ...filesAt(recall).slice(1)];
    expect([...new Set(files)].filter((file) => !way.includes(file))).toEqual([]);
  });
});

/** One row of a way: a file, and the functions of it that the way goes through. */
interface WayRow {
  readonly file: string;
  readonly functions: readonly string[];
}

describe('the ways of nestjs-kopf', () => {
  const page = new ArchitecturePage('libs/kopf/src');
  let way: WayRecorder;

  beforeEach(() => void (way = new WayRecorder()));

  afterEach(() => {
    way.end();
    vi.restoreAllMocks();
  });

  function rowsOf(heading: string): readonly WayRow[] {
    return [...page.section(heading).matchAll(/^\| \d+ +\| `([\w./-]+)` +\| ([^|]+)\|/gm)].map(([, file, names]) => ({
      file,
      functions: [...names.matchAll(/\w+/g)].map(([name]) => name),
    }));
  }

  /** Each function of the rows was called: a row that the way does not go through fails. */
  function expectCalled(rows: readonly WayRow[]): void {
    const named = rows.flatMap(({ file, functions }) => functions.map((name) => [file, name] as const));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(([file, name]) => !way.hasCalled(file, name))).toEqual([]);
  }

  /**
   * The function of each station, and the files of its stack trace, are among the rows, in their order: a row that is missing fails.
   *
   * @param from the outermost file of the stack traces of some stations, where the rest is another way.
   */
  function expectStations(rows: readonly WayRow[], stations: readonly string[], from: Record<string, string> = {}) {
    expect([...way.stations.keys()]).toEqual(stations);
    for (const [station, frames] of way.stations) {
      const files = frames.map(({ file }) => file);
      const part = from[station] ? files.slice(0, files.lastIndexOf(from[station]) + 1) : files;
      expect(part, station).not.toEqual([]);
      const [file, name] = station.split(': ');
      if (name) expect(rows).toContainEqual({ file, functions: expect.arrayContaining([name]) });
      expect(
        part.filter((file) => !rows.some((row) => row.file === file)),
        station,
      ).toEqual([]);
      let last = -1;
      for (const file of new Set(part.toReversed())) {
        last = rows.findIndex((row, index) => index > last && row.file === file);
        expect(last, `${file} in its order at the station '${station}'`).toBeGreaterThanOrEqual(0);
      }
    }
  }

  /**
   * The rows have all files of a folder that do anything on the way, and all of its functions that are on the stack traces at the stations: a
   * row that is missing fails.
   */
  function expectWhole(rows: readonly WayRow[], folder: string): void {
    const files = way.filesIn(folder);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !rows.some((row) => row.file === file))).toEqual([]);
    const missing = [...way.stations.values()]
      .flat()
      .filter(({ file, name }) => file.startsWith(`${folder}/`) && name !== undefined && page.declares(file, name))
      .filter(({ file, name }) => !rows.some((row) => row.file === file && row.functions.includes(name!)));
    expect(missing).toEqual([]);
  }

  /** Reviews come over real connections, whose certificates are valid in real time. */
  function serve() {
    return {
      clock: new SystemClock(),
      admission: { server: new WebhookServer({ addr: '127.0.0.1' }), managed: 'ways.kopf.dev' },
    };
  }

  it('should name all files that a review goes through', async () => {
    class Operator {
      @Mutate(...KEX)
      complete({ patch }: AdmissionContext) {
        way.pass('mutate');
        patch.spec.size = 1;
      }

      @Validate(...KEX)
      check() {
        way.pass('validate');
        throw new AdmissionError('It is too large.');
      }
    }
    const harness = await OperatorHarness.start();
    const [request, rejection] = [
      'admission/servers/review.endpoint.ts: handle',
      'execution/error-interpretation.ts: interpretError',
    ];
    for (const station of [request, rejection]) await way.watch(station);
    await harness.run(Operator, serve());
    for (const kind of ['mutating', 'validating']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/ways.kopf.dev`;
      await eventually(`the ${kind} webhook is written`, async () => {
        const found = await harness.send('GET', path).catch(() => undefined);
        return ((found?.webhooks ?? []) as object[]).length > 0;
      });
    }
    watchAnswers();
    way.begin();
    await expect(harness.create('a')).rejects.toThrow('It is too large.');
    way.end();
    const rows = rowsOf('### The way of a review');
    expectStations(rows, [request, 'mutate', 'answer', 'validate', rejection]);
    expectWhole(rows, 'admission');
    expectCalled(rows);
  });

  /** Makes a station of the first answer that a server sends. */
  function watchAnswers(): void {
    const { writeHead } = ServerResponse.prototype;
    vi.spyOn(ServerResponse.prototype, 'writeHead').mockImplementation(function (this: ServerResponse, ...args: any) {
      way.pass('answer');
      return writeHead.apply(this, args);
    });
  }

  it('should name all files that a conversion goes through', async () => {
    class Conversions extends WidgetConversions {
      @Convert(Widget, { from: WidgetV1Alpha1, to: Widget })
      override fromAlpha(context: ConversionContextOf<typeof WidgetV1Alpha1>) {
        way.pass('method');
        return super.fromAlpha(context);
      }
    }
    const harness = await OperatorHarness.start();
    const before = [
      'admission/servers/review.endpoint.ts: handle',
      'conversion/conversion.reviews.ts: checkConversionReview',
    ];
    const after = [
      'contexts/conversion-handler.context.ts: complete',
      'conversion/conversion.reviews.ts: createConversionAnswer',
    ];
    for (const station of [...before, ...after]) await way.watch(station);
    await harness.run(Conversions, { crds: 'apply', ...serve() });
    watchAnswers();
    way.begin();
    const path = '/apis/example.com/v1alpha1/namespaces/ns/widgets';
    await harness.send('POST', path, widget('a', { size: '5Gi' }, 'v1alpha1'));
    way.end();
    const rows = rowsOf('### The way of a conversion');
    expectStations(rows, [...before, 'method', ...after, 'answer']);
    for (const folder of ['admission', 'conversion']) expectWhole(rows, folder);
    expectCalled(rows);
  });

  it('should name all files that a line of a log goes through', async () => {
    const messages: string[] = [];
    class Operator {
      @OnLog('pods', { multiline: { start: /^\S/ } })
      read({ message, patch }: LogContext) {
        way.pass('method');
        messages.push(message);
        patch.metadata.annotations.seen = 'yes';
      }
    }
    const harness = await OperatorHarness.start({ definition: false, kube: { pods: true } });
    await harness.run(Operator);
    const start = 'logs/pod.tailer.ts: update';
    const before = [start, 'client/api/api.client.ts: stream', 'logs/replay.window.ts: take'];
    const after = 'background/background.patching.ts: send';
    for (const station of [...before, after]) await way.watch(station);
    way.begin();
    await harness.send('POST', '/api/v1/namespaces/ns/pods', {
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'main', image: 'none' }] },
    });
    await harness.advance(1);
    harness.kube.pods.print('web', 'one\n more\ntwo\n');
    await harness.advance(1);
    way.end();
    expect(messages[0]).toBe('one\n more');
    const rows = rowsOf('### The way of a log line');
    expectStations(rows, [...before, 'method', after], { [start]: 'handling/background.handling.ts' });
    for (const folder of ['logs', 'background']) expectWhole(rows, folder);
    expectCalled(rows);
  });

  it('should name all files by which a session ends when the application stops', async () => {
    class Operator {
      @OnCreate(...KEX)
      async create({ patch }: ChangeContext) {
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 1000));
        patch.status.done = true;
      }

      @Daemon(...KEX)
      async monitor({ stopped }: DaemonContext) {
        await stopped.wait();
      }

      @OnCleanup()
      cleanUp() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { coordination: 'lease' });
    await harness.create('a');
    await harness.advance(0.5);
    const patch = 'handling/patch.sending.ts: send';
    const stations = [
      'background/daemon.stopper.ts: set',
      'admission/admission.engine.ts: release',
      'conversion/conversion.engine.ts: release',
      'watching/object.queues.ts: drained',
      patch,
      'activities/activity.runner.ts: run',
      'admission/admission.engine.ts: stop',
      'conversion/conversion.engine.ts: close',
      'events/posting.queue.ts: flush',
      'coordination/leader-election/lease.ts: write',
      'operator/session.engine.ts: clear',
      'client/vault/vault.ts: close',
    ];
    for (const station of stations) await way.watch(station);
    way.begin();
    await harness.stop();
    way.end();
    expect((await harness.object('a')).status).toMatchObject({ done: true });
    const rows = rowsOf('#### When the application stops');
    expectStations(rows, stations, { [patch]: 'handling/patch.application.ts' });
    expectWhole(rows, 'operator');
    expectCalled(rows);
  });

  it('should name all files by which the work ends when the leadership is lost', async () => {
    const stops = [
      'watching/object.queues.ts: pause',
      'background/daemon.stopper.ts: set',
      'operator/operator.lifecycle.ts: notePause',
    ];
    const fence = 'common/request.fence.ts: fenceOf';
    const end = 'handling/patch.application.ts: apply';
    let refused: unknown;
    class Operator {
      constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

      @OnCreate(...KEX)
      async create({ patch, signal }: ChangeContext) {
        signal.addEventListener('abort', () => way.pass('signal'));
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 4000));
        patch.status.done = true;
        // It was asked before for other signals.
        way.stations.delete(fence);
        refused = await this.client.list('pods', { signal }).catch((error: unknown) => error);
      }

      @Daemon(...KEX)
      async monitor({ stopped }: DaemonContext) {
        await stopped.wait();
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { coordination: 'lease' });
    await harness.create('a');
    await harness.advance(0.5);
    for (const station of [...stops, fence, end]) await way.watch(station);
    way.begin();
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/kopf-operator';
    await harness.send('PATCH', lease, { spec: { holderIdentity: 'another' } });
    await harness.advance(5);
    way.end();
    expect((await harness.object('a')).status).toBeUndefined();
    expect(refused).toBeInstanceOf(LeadershipLostError);
    const rows = rowsOf('#### When the leadership is lost');
    expectStations(rows, ['signal', ...stops, fence, end], {
      [fence]: 'client/api/api.client.ts',
      [end]: 'handling/patch.application.ts',
    });
    for (const folder of ['coordination', 'operator']) expectWhole(rows, folder);
    expectCalled(rows);
  });

  describe('the five questions', () => {
    const answers = new Map(
      [...page.section('### Five questions').matchAll(/^\| (\w+)\? +\| (.*) \|$/gm)].map(([, question, answer]) => [
        question,
        [...answer.matchAll(/`([\w./-]+\.ts)`(?:: ((?:`\w+`(?:, )?)+))?/g)].map(([, file, names = '']) => ({
          file,
          functions: [...names.matchAll(/\w+/g)].map(([name]) => name),
        })),
      ]),
    );

    it('should be these', () => {
      expect([...answers.keys()]).toEqual(['found', 'run', 'retried', 'stopped', 'tested']);
      expect(answers.get('tested')).toHaveLength(1);
    });

    /** The files of the stack trace at a station are named, from the given one on: an answer without one of them fails. */
    function expectNamed(question: string, station: string, from: string): void {
      const files = way.stations.get(station)!.map(({ file }) => file);
      const part = files.slice(0, files.lastIndexOf(from) + 1);
      expect(part).toContain(from);
      expect(part.filter((file) => !answers.get(question)!.some((named) => named.file === file))).toEqual([]);
    }

    it('should be answered with where a handler is found', async () => {
      class Operator {
        @OnCreate(...KEX)
        create() {}
      }
      const harness = await OperatorHarness.start();
      const stations = [
        'discovery/handler-metadata.accessor.ts: handlersOf',
        'registry/handler.registry.ts: addChanging',
      ];
      for (const station of stations) await way.watch(station);
      way.begin();
      await harness.run(Operator);
      way.end();
      expectCalled(answers.get('found')!);
      for (const station of stations) expectNamed('found', station, 'operator/lifecycle.hooks.ts');
    });

    it('should be answered with where a handler is run, and where it is retried', async () => {
      class Operator {
        @OnCreate(...KEX)
        create({ retry }: ChangeContext) {
          way.pass('method');
          if (retry === 0) throw new TemporaryError('It is too early.', { delay: 1 });
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator);
      const stations = {
        'execution/error-interpretation.ts: interpretError': 'execution/error-interpretation.ts',
        'execution/handler.progress.ts: advance': 'execution/progress.state.ts',
        'execution/progress.state.ts: store': 'handling/change.handling.ts',
        'handling/patch.sending.ts: touch': 'handling/patch.application.ts',
      };
      for (const station of Object.keys(stations)) await way.watch(station);
      way.begin();
      await harness.create('a');
      await harness.advance(5);
      way.end();
      for (const question of ['run', 'retried']) expectCalled(answers.get(question)!);
      expectNamed('run', 'method', 'handling/change.executor.ts');
      for (const [station, from] of Object.entries(stations)) expectNamed('retried', station, from);
    });

    it('should be answered with where a handler is stopped', async () => {
      class Operator {
        @OnCreate(...KEX, { timeout: 60 })
        async create() {
          await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 1000));
        }

        @Daemon(...KEX)
        async monitor({ signal }: DaemonContext) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator);
      await way.watch('background/daemon.stopper.ts: cancel');
      way.begin();
      await harness.create('a');
      await harness.advance(0.5);
      await harness.stop();
      way.end();
      expectCalled(answers.get('stopped')!);
      expectNamed('stopped', 'background/daemon.stopper.ts: cancel', 'background/background.engine.ts');
    });
  });
});
