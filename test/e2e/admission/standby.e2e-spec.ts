import {
  AdmissionError,
  Index,
  InjectIndex,
  KopfModule,
  KopfOperator,
  OnCreate,
  OnUpdate,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type IndexContext,
  type KubeRequest,
  type KubeResponse,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import type { AdmissionReviewAnswer } from 'nestjs-kopf/webhooks';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { SeededRandom } from 'nestjs-kopf/testing';
import { readManifests } from '../../support/clusters/manifests.js';
import { errorResponse, KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';

type Answer = AdmissionReviewAnswer['response'];

/** Longer than a Lease lasts, with the time between two looks at it. */
const TAKEOVER = 18;

interface ColourSpec {
  readonly colour: string;
}

class Colours {
  @Index(...KEX)
  byColour({ spec, name }: IndexContext<ColourSpec>) {
    return { [spec.colour]: name };
  }

  @Validate(...KEX, { operations: ['CREATE'] })
  unique({ spec, indices }: AdmissionContext<ColourSpec>) {
    const taken = indices.byColour.get(spec.colour)?.toArray() ?? [];
    if (taken.length > 0) throw new AdmissionError(`The colour is taken by ${taken.join(', ')}.`, 409);
  }

  @Validate(...KEX)
  plain({ spec }: AdmissionContext<ColourSpec>) {
    if (spec.colour === 'none') throw new AdmissionError('There is no colour.', 422);
  }
}

/** One replica, and the server by which it is asked. */
interface Replica {
  readonly operator: KopfOperator;
  readonly stub: StubAdmissionServer;
}

let seed = 900;

class Cluster {
  private constructor(readonly harness: OperatorHarness) {}

  static async start(): Promise<Cluster> {
    return new Cluster(await OperatorHarness.start());
  }

  async run(identity: string, handlers: any, { admission, peering, ...options }: OperatorOptions = {}) {
    const stub = new StubAdmissionServer({ url: `https://${identity}` });
    const operator = await this.harness.run(handlers, {
      coordination: 'lease',
      random: new SeededRandom(seed++),
      ...options,
      peering: { identity, ...peering },
      admission: { server: stub, ...admission },
    });
    return { operator, stub };
  }

  /** Asks whether an object may be created; time passes until there is an answer. */
  async ask({ stub }: Replica, colour: string, webhook = 'unique', request: object = {}): Promise<Answer> {
    return (await this.review(stub, colour, webhook, request)).response;
  }

  async review(stub: StubAdmissionServer, colour: string, webhook: string, request: object = {}) {
    let isOver = false;
    const asked = stub.review(makeReview(makeExample({ colour }, { name: 'n' }), request), { webhook });
    asked.finally(() => (isOver = true)).catch(() => undefined);
    for (let second = 0; second < 40 && !isOver; second++) {
      await this.harness.clock.settle();
      if (!isOver) await this.harness.advance(1);
    }
    return asked;
  }

  async definePeering(): Promise<void> {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const manifest of readManifests('peering.yaml')) await this.harness.send('POST', definitions, manifest);
    await this.harness.advance(1);
    const object = { apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata: { name: 'default' } };
    await this.harness.send('POST', '/apis/kopf.dev/v1/clusterkopfpeerings', object);
  }

  async create(name: string, colour: string): Promise<void> {
    await this.harness.create(name, { spec: { colour } });
    await this.harness.advance(1);
  }
}

const taken = expect.objectContaining({ allowed: false, status: expect.objectContaining({ code: 409 }) }) as Answer;
const allowed = expect.objectContaining({ allowed: true }) as Answer;

const unready = (text: string): Answer =>
  expect.objectContaining({
    allowed: false,
    status: {
      message: expect.stringContaining(text) as string,
      code: 503,
      reason: 'ServiceUnavailable',
      details: { retryAfterSeconds: 1 },
    },
  }) as Answer;

/** Holds back the requests for the objects until it is released. */
class Gate {
  release: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => (this.release = resolve));

  readonly intercept = async ({ path }: KubeRequest): Promise<KubeResponse | undefined> => {
    if (path.includes('/kopfexamples')) await this.opened;
    return undefined;
  };
}

describe('Reviews on replicas that do not handle objects', () => {
  let cluster: Cluster;
  let harness: OperatorHarness;

  beforeEach(async () => {
    cluster = await Cluster.start();
    ({ harness } = cluster);
  });

  describe.each(['lease', 'peering'] as const)('with a %s', (coordination) => {
    async function runTwo(admission = {}): Promise<readonly Replica[]> {
      if (coordination === 'peering') await cluster.definePeering();
      const one = await cluster.run('one', Colours, { coordination, peering: { priority: 2 }, admission });
      const two = await cluster.run('two', Colours, { coordination, peering: { priority: 1 }, admission });
      await harness.advance(1);
      expect([one.operator.state, two.operator.state]).toEqual(['running', 'paused']);
      return [one, two];
    }

    it('should be answered by indices that are kept filled on standby, as on the leader', async () => {
      await cluster.create('old', 'blue');
      const replicas = await runTwo();
      await cluster.create('first', 'red');
      for (const replica of replicas) {
        expect(await cluster.ask(replica, 'blue')).toEqual(taken);
        expect(await cluster.ask(replica, 'red')).toEqual(taken);
        expect(await cluster.ask(replica, 'green')).toEqual(allowed);
      }
      await harness.patch('first', { spec: { colour: 'green' } });
      await harness.delete('old');
      await harness.advance(1);
      for (const replica of replicas) {
        expect(await cluster.ask(replica, 'blue')).toEqual(allowed);
        expect(await cluster.ask(replica, 'red')).toEqual(allowed);
        expect(await cluster.ask(replica, 'green')).toEqual(taken);
      }
    });

    it('should be rejected with the time to wait, as far as they read indices, if the option says so', async () => {
      const [one, two] = await runTwo({ standbyIndices: 'reject' });
      await cluster.create('first', 'red');
      expect(await cluster.ask(one, 'red')).toEqual(taken);
      const begun = harness.clock.now();
      expect(await cluster.ask(two, 'red')).toEqual(
        unready("The index 'byColour' cannot be relied on: kopfexamples.kopf.dev are not watched while"),
      );
      expect(harness.clock.now()).toBe(begun);
      expect(await cluster.ask(two, 'red', 'plain')).toEqual(allowed);
      expect(await cluster.ask(two, 'none', 'plain')).toMatchObject({ status: { code: 422 } });
    });

    it.each(['watch', 'reject'] as const)(
      'should be rejected by whoever takes over if the leader would, with %s',
      async (standbyIndices) => {
        const [one, two] = await runTwo({ standbyIndices });
        await cluster.create('first', 'red');
        await cluster.create('second', 'blue');
        await harness.stop(one.operator);
        await harness.delete('second');
        for (let second = 0; second < TAKEOVER && two.operator.state !== 'running'; second++) {
          expect(await cluster.ask(two, 'red')).toMatchObject({ allowed: false });
          await harness.advance(1);
        }
        expect(two.operator.state).toBe('running');
        expect(await cluster.ask(two, 'red')).toEqual(taken);
        expect(await cluster.ask(two, 'blue')).toEqual(allowed);
        const three = await cluster.run('three', Colours, { coordination, admission: { standbyIndices } });
        expect(await cluster.ask(three, 'red')).toMatchObject({ allowed: false });
      },
    );
  });

  it('should be answered by fresh indices while the operator is paused by hand, and afterwards', async () => {
    const one = await cluster.run('one', Colours);
    await cluster.create('first', 'red');
    one.operator.pause('It is frozen.');
    await harness.advance(1);
    await cluster.create('second', 'blue');
    expect(await cluster.ask(one, 'blue')).toEqual(taken);
    await harness.delete('first');
    await harness.advance(1);
    expect(await cluster.ask(one, 'red')).toEqual(allowed);
    one.operator.resume();
    expect(await cluster.ask(one, 'blue')).toEqual(taken);
    await harness.advance(1);
    expect(await cluster.ask(one, 'blue')).toEqual(taken);
    expect(await cluster.ask(one, 'red')).toEqual(allowed);
  });

  it('should not be answered by what was indexed before a pause, if nothing is watched meanwhile', async () => {
    const one = await cluster.run('one', Colours, { admission: { standbyIndices: 'reject' } });
    await cluster.create('first', 'red');
    one.operator.pause();
    await harness.advance(1);
    await cluster.create('second', 'blue');
    for (const colour of ['red', 'blue', 'green']) {
      expect(await cluster.ask(one, colour)).toEqual(unready('while this replica of the operator pauses'));
    }
    one.operator.resume();
    await harness.clock.settle();
    expect(await cluster.ask(one, 'blue')).toEqual(taken);
  });

  it('should call handlers for nothing but indices on standby, and for what has happened meanwhile when it leads', async () => {
    const calls: string[] = [];
    class Handled extends Colours {
      @OnCreate(...KEX)
      create({ name }: ChangeContext) {
        calls.push(name);
      }
    }
    const one = await cluster.run('one', Colours);
    const two = await cluster.run('two', Handled);
    await cluster.create('first', 'red');
    expect(calls).toEqual([]);
    expect(two.operator.objects).toBe(0);
    await harness.stop(one.operator);
    await harness.advance(TAKEOVER);
    expect(calls).toEqual(['first']);
  });

  it('should take note of deletions that come while a replica that has led pauses', async () => {
    const one = await cluster.run('one', Colours);
    await cluster.create('first', 'red');
    await cluster.create('second', 'blue');
    expect(one.operator.objects).toBe(2);
    one.operator.pause();
    await harness.advance(1);
    await harness.delete('first');
    await harness.advance(1);
    one.operator.resume();
    await harness.advance(1);
    expect(one.operator.objects).toBe(1);
  });

  describe('before the first list', () => {
    it('should wait for it, and then be answered', async () => {
      await cluster.create('first', 'red');
      const { intercept, release } = new Gate();
      const one = await cluster.run('one', Colours, { intercept, unready: true });
      await harness.advance(1);
      expect(await cluster.ask(one, 'red', 'plain')).toEqual(allowed);
      harness.clock.setTimer(release, 2000);
      expect(await cluster.ask(one, 'red')).toEqual(taken);
    });

    it('should be rejected if it takes too long, but those that need no index are not', async () => {
      const { intercept } = new Gate();
      const one = await cluster.run('one', Colours, { intercept, unready: true, admission: { indexTimeout: 3 } });
      await harness.advance(1);
      const begun = harness.clock.now();
      expect(await cluster.ask(one, 'red')).toEqual(unready('kopfexamples.kopf.dev are still being listed'));
      expect(harness.clock.now() - begun).toBe(3000);
      expect(await cluster.ask(one, 'red', 'plain')).toEqual(allowed);
      expect(harness.clock.now() - begun).toBe(3000);
    });
  });

  it.each([
    ['seconds', 5, taken],
    ['long', 60, unready('the watch of kopfexamples.kopf.dev has been interrupted for')],
  ])('should rely on indices whose watch is lost for %s or not', async (_what, seconds, expected) => {
    let isCut = false;
    const intercept = ({ path }: KubeRequest): KubeResponse | undefined =>
      isCut && path.includes('/kopfexamples') ? errorResponse(500, 'InternalError', 'It is broken.') : undefined;
    const one = await cluster.run('one', Colours, { intercept, watching: { serverTimeout: 2, clientTimeout: 2 } });
    await cluster.create('first', 'red');
    isCut = true;
    await harness.advance(2 + seconds);
    expect(await cluster.ask(one, 'red')).toEqual(expected);
    isCut = false;
    await harness.advance(40);
    expect(await cluster.ask(one, 'red')).toEqual(taken);
  });

  it('should be rejected if the operator is not permitted to watch what is indexed', async () => {
    const intercept = ({ path }: KubeRequest): KubeResponse | undefined =>
      path.includes('/kopfexamples') ? errorResponse(403, 'Forbidden', 'No.') : undefined;
    const one = await cluster.run('one', Colours, { intercept });
    expect(await cluster.ask(one, 'red')).toEqual(unready('the operator is not permitted to watch'));
    expect(await cluster.ask(one, 'red', 'plain')).toEqual(allowed);
  });

  it('should take an index of a resource that is not there for one without objects', async () => {
    class Missing {
      @Index('others.example.com')
      others({ name }: IndexContext) {
        return name;
      }

      @Validate(...KEX)
      check({ indices }: AdmissionContext) {
        if (indices.others.size > 0) throw new AdmissionError('There are others.');
      }
    }
    const one = await cluster.run('one', Missing);
    expect(await cluster.ask(one, 'red', 'check')).toEqual(allowed);
  });

  it.each(['a context', 'an injected index', 'a filter', 'a caught error', 'a transformation', 'the iterator'])(
    'should notice an index that is read by %s',
    async (what) => {
      class Reader extends Colours {
        constructor(@InjectIndex('byColour') private readonly injected: ReadonlyIndex<string, string>) {
          super();
        }

        @Validate(...KEX, {
          when: ({ indices }) => what !== 'a filter' || indices.byColour.has('red'),
        })
        check({ indices, patch }: AdmissionContext) {
          let size = 0;
          if (what === 'an injected index') size = this.injected.size;
          else if (what === 'the iterator') size = [...indices.byColour].length;
          else if (what === 'a transformation') patch.transform(() => void indices.byColour.has('red'));
          else if (what === 'a caught error') {
            try {
              size = indices.byColour.size;
            } catch {
              return;
            }
          } else size = indices.byColour.size;
          if (size > 0) throw new AdmissionError('There are some.', 409);
        }
      }
      const admission = { standbyIndices: 'reject' as const };
      const imports = [KopfModule.forFeature({ indices: ['byColour'] })];
      await cluster.run('one', Colours);
      const two = await cluster.run('two', Reader, { admission, imports });
      await cluster.create('first', 'red');
      expect(await cluster.ask(two, 'red', 'check')).toEqual(unready("The index 'byColour'"));
    },
  );

  it('should let requests pass that a handler says may pass without it', async () => {
    class Lenient extends Colours {
      @Validate(...KEX, { ignoreFailures: true })
      check({ indices }: AdmissionContext) {
        if (indices.byColour.has('red')) throw new AdmissionError('There are some.', 409);
      }
    }
    await cluster.run('one', Colours);
    const two = await cluster.run('two', Lenient, { admission: { standbyIndices: 'reject' } });
    await expect(cluster.review(two.stub, 'red', 'check')).rejects.toMatchObject({ status: 503, retryAfter: 1 });
  });

  it('should be what the readiness of a replica tells of', async () => {
    const imports = [KopfHealthModule.forRoot()];
    const admissionOf = async (): Promise<object> => (await harness.get(KopfHealthIndicator).isReady()).kopf.admission;
    const one = await cluster.run('one', Colours);
    const two = await cluster.run('two', Colours, { imports });
    expect(await admissionOf()).toEqual({ status: 'up', reviewing: 0 });
    await harness.stop(two.operator);
    await cluster.run('two', Colours, { imports, admission: { standbyIndices: 'reject' } });
    expect(await admissionOf()).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining(
        'Reviews that read indices are rejected: kopfexamples.kopf.dev are not',
      ) as string,
    });
    await harness.stop(one.operator);
    await harness.advance(TAKEOVER);
    expect(await admissionOf()).toEqual({ status: 'up', reviewing: 0 });
  });

  describe('that read memos', () => {
    class Locks {
      @OnCreate(...KEX)
      @OnUpdate(...KEX)
      lock({ memo }: ChangeContext<any, any, any>) {
        memo.isLocked = true;
      }

      @Validate(...KEX)
      check({ memo }: AdmissionContext<any, any, any>) {
        if (memo.isLocked) throw new AdmissionError('It is locked.', 409);
      }

      @Validate(...KEX)
      spread(context: AdmissionContext) {
        const { memo, ...others } = context;
        expect(typeof memo).toBe('object');
        expect({ ...others }).toBeDefined();
      }
    }

    async function ask(replica: Replica, webhook = 'check'): Promise<Answer> {
      const object = await harness.object('first');
      return cluster.ask(replica, 'red', webhook, { operation: 'UPDATE', object, oldObject: object });
    }

    it('should be rejected by replicas that have none, unless they are about new objects', async () => {
      const one = await cluster.run('one', Locks);
      const two = await cluster.run('two', Locks);
      await cluster.create('first', 'red');
      expect(await ask(one)).toEqual(taken);
      expect(await ask(two)).toEqual(
        unready('The memo of the object cannot be read: this replica of the operator pauses'),
      );
      expect(await ask(two, 'spread')).toEqual(allowed);
      expect(await cluster.ask(two, 'red', 'check')).toEqual(allowed);
      one.operator.pause();
      await harness.advance(1);
      expect(await ask(one)).toEqual(
        unready('The memo of the object cannot be read: this replica of the operator pauses'),
      );
    });

    it('should wait for the first list of a replica that takes over', async () => {
      const { intercept, release } = new Gate();
      const one = await cluster.run('one', Locks);
      const two = await cluster.run('two', Locks, { intercept });
      await cluster.create('first', 'red');
      await harness.stop(one.operator);
      await harness.advance(TAKEOVER);
      expect(two.operator.state).toBe('running');
      expect(await ask(two)).toEqual(unready('this replica of the operator has not listed the objects yet'));
      await harness.patch('first', { spec: { colour: 'blue' } });
      release();
      await harness.advance(5);
      expect(await ask(two)).toEqual(taken);
    });

    it('should get an empty one if the option says so, and none of an earlier time', async () => {
      const one = await cluster.run('one', Locks, { admission: { standbyMemos: 'empty' } });
      await cluster.create('first', 'red');
      expect(await ask(one)).toEqual(taken);
      one.operator.pause();
      await harness.advance(1);
      expect(await ask(one)).toEqual(allowed);
    });
  });
});
