import {
  AdmissionError,
  KopfAdmission,
  KopfOperator,
  KopfRegistry,
  Mutate,
  OnCreate,
  OnStartup,
  PRESENT,
  Validate,
  type ActivityContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';

const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const MUTATING = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const managed = 'auto.kopf.dev';

class Handlers {
  @Validate(...KEX, { operations: ['CREATE', 'UPDATE'], labels: { a: 'b', c: PRESENT } })
  checkSize() {}

  @Validate(...KEX, { persistent: true, sideEffects: true, ignoreFailures: true, subresource: 'status' })
  persistentOne() {}

  @Mutate(...KEX, { field: 'spec.size', matchConditions: [{ name: 'x', expression: 'true' }] })
  complete() {}
}

describe('managed webhook configurations', () => {
  async function webhooksOf(harness: OperatorHarness, path = VALIDATING): Promise<any[]> {
    return ((await harness.send('GET', `${path}/${managed}`)).webhooks ?? []) as any[];
  }

  async function start(options: object = {}, handlers: any = Handlers) {
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer({ url: 'https://host/base', caBundle: 'YQ==' });
    await harness.run(handlers, { admission: { managed, server }, ...options });
    await harness.advance(0.1);
    return { harness, server };
  }

  it('should follow the handlers that are added and removed while the operator runs', async () => {
    class Nothing {
      @OnCreate(...KEX)
      create() {}
    }
    class Late {
      @Validate(...KEX)
      check() {
        throw new AdmissionError('It is too late.');
      }
    }
    const { harness } = await start({}, Nothing);
    const handlers = harness.get(KopfRegistry);
    const namesOf = async () => (await webhooksOf(harness)).map(({ name }) => name);
    const registration = handlers.add(new Late());
    await harness.advance(2);
    expect(await namesOf()).toEqual(['check.auto.kopf.dev']);
    const review = makeReview({ apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' } });
    const answer = await harness.get(KopfAdmission).review(review, { webhook: 'check', headers: {} });
    expect(answer.response).toMatchObject({ allowed: false, status: { message: 'It is too late.' } });
    const other = handlers.add(Validate(...KEX, { id: 'other' }), () => undefined);
    await harness.advance(2);
    expect(await namesOf()).toEqual(['check.auto.kopf.dev', 'other.auto.kopf.dev']);
    registration.remove();
    other.remove();
    await harness.advance(2);
    expect(await namesOf()).toEqual([]);
  });

  it('should be written as by Kopf', async () => {
    const { harness } = await start();
    const writes = harness.writes.filter(({ path }) => path.startsWith(VALIDATING));
    expect(writes.map(({ method, path, body }) => [method, path, body])).toMatchObject([
      ['POST', VALIDATING, { metadata: { name: managed } }],
      ['PATCH', `${VALIDATING}/${managed}`, { webhooks: [{}, {}] }],
    ]);
    expect(writes[0].body).toEqual({ metadata: { name: managed } });
    expect((writes[1].body as any).webhooks).toEqual([
      {
        name: 'checksize.auto.kopf.dev',
        sideEffects: 'None',
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        rules: [
          {
            apiGroups: ['kopf.dev'],
            apiVersions: ['v1'],
            resources: ['kopfexamples'],
            operations: ['CREATE', 'UPDATE'],
            scope: '*',
          },
        ],
        objectSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'c', operator: 'Exists' },
          ],
        },
        clientConfig: { url: 'https://host/base/checkSize', caBundle: 'YQ==' },
        timeoutSeconds: 30,
        admissionReviewVersions: ['v1', 'v1beta1'],
      },
      expect.objectContaining({
        name: 'persistentone.auto.kopf.dev',
        sideEffects: 'NoneOnDryRun',
        failurePolicy: 'Ignore',
        rules: [expect.objectContaining({ resources: ['kopfexamples/status'], operations: ['*'] })],
        objectSelector: null,
      }),
    ]);
    expect(await webhooksOf(harness, MUTATING)).toMatchObject([
      {
        name: 'complete.spec.size.auto.kopf.dev',
        clientConfig: { url: 'https://host/base/complete/spec.size' },
        matchConditions: [{ name: 'x', expression: 'true' }],
      },
    ]);
  });

  it('should be updated when the server moves', async () => {
    const { harness, server } = await start();
    server.announce({ service: { namespace: 'ns', name: 'operator' } });
    await harness.advance(0.1);
    expect((await webhooksOf(harness))[0].clientConfig).toMatchObject({
      service: { namespace: 'ns', name: 'operator', path: '/checksize' },
    });
    await expect(server.review(makeReview(makeExample({})), { webhook: 'checksize' })).resolves.toMatchObject({
      response: { allowed: true },
    });
  });

  it('should be updated when resources appear', async () => {
    const harness = await OperatorHarness.start({ definition: false });
    const server = new StubAdmissionServer({ url: 'https://host' });
    await harness.run(Handlers, { admission: { managed, server } });
    await harness.advance(0.1);
    expect((await webhooksOf(harness))[0].rules ?? []).toEqual([]);
    await expect(server.review(makeReview(makeExample({})))).rejects.toMatchObject({ status: 404 });
    await harness.define();
    await harness.advance(60);
    expect((await webhooksOf(harness))[0].rules).toHaveLength(1);
    await expect(server.review(makeReview(makeExample({})))).resolves.toMatchObject({ response: { allowed: true } });
  });

  it('should keep the persistent webhooks only, on exit, before the server stops', async () => {
    const { harness, server } = await start();
    const { context } = server;
    const stopping = harness.stop();
    await stopping;
    expect((await webhooksOf(harness)).map(({ name }) => name)).toEqual(['persistentone.auto.kopf.dev']);
    expect(await webhooksOf(harness, MUTATING)).toEqual([]);
    expect(context.signal.aborted).toBe(true);
    expect(server.log).toEqual(['started', 'stopped']);
    await expect(server.review(makeReview(makeExample({})))).rejects.toMatchObject({ status: 503 });
  });

  it('should be overwritten at the next start after a crash', async () => {
    const { harness } = await start();
    harness.kill();
    expect(await webhooksOf(harness)).toHaveLength(2);
    class Others {
      @Validate(...KEX)
      other() {}
    }
    const server = new StubAdmissionServer({ url: 'https://elsewhere' });
    await harness.run(Others, { admission: { managed, server } });
    await harness.advance(0.1);
    expect((await webhooksOf(harness)).map(({ name }) => name)).toEqual(['other.auto.kopf.dev']);
    expect(await webhooksOf(harness, MUTATING)).toEqual([]);
  });

  it('should come back at once when somebody removes or changes the webhooks, or the whole configuration', async () => {
    const { harness } = await start();
    const written = await webhooksOf(harness);
    const [first, ...rest] = written;
    for (const webhooks of [[], rest, [{ ...first, failurePolicy: 'Ignore' }, ...rest]]) {
      await harness.send('PATCH', `${VALIDATING}/${managed}`, { webhooks });
      await harness.advance(61);
      await harness.send('PATCH', `${VALIDATING}/${managed}`, { webhooks });
      await harness.advance(0.2);
      expect(await webhooksOf(harness)).toEqual(written);
    }
    await harness.send('DELETE', `${VALIDATING}/${managed}`);
    await harness.advance(0.2);
    expect(await webhooksOf(harness)).toEqual(written);
    expect(harness.logger.messages('log')).toContainEqual(
      `The ValidatingWebhookConfiguration ${managed} was changed by another client, and is written again.`,
    );
  });

  it('should come back at once when another replica stops, and be written no more than that', async () => {
    const { harness } = await start();
    const other = await harness.run(Handlers, {
      admission: { managed, server: new StubAdmissionServer({ url: 'https://host/base', caBundle: 'YQ==' }) },
    });
    await harness.advance(300);
    const revision = async () => (await harness.send('GET', `${VALIDATING}/${managed}`)).metadata.resourceVersion;
    const before = await revision();
    await harness.advance(300);
    expect(await revision()).toBe(before);
    await harness.stop(other);
    await harness.advance(0.2);
    expect(await webhooksOf(harness)).toHaveLength(2);
    const writes = harness.writes.length;
    await harness.advance(50);
    expect(harness.writes.length - writes).toBeLessThanOrEqual(2);
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  it('should not be fought for: operators that want it otherwise take turns, and are told so', async () => {
    class Ones {
      @Validate(...KEX)
      one() {}
    }
    class Others {
      @Validate(...KEX)
      other() {}
    }
    const { harness } = await start({}, Ones);
    const server = new StubAdmissionServer({ url: 'https://elsewhere' });
    await harness.run(Others, { admission: { managed, server } });
    await harness.advance(60);
    const writes = harness.writes.length;
    await harness.advance(600);
    expect(harness.writes.length - writes).toBeLessThan(2 * (600 / 10 + 600 / 60) + 5);
    const warnings = harness.logger.messages('warn').filter((line) => line.includes('again and again'));
    expect(warnings).toHaveLength(2);
  });

  it('should be written every now and then, with one line in the log, without the permission to watch it', async () => {
    const isWatched = ({ method, path }: { method: string; path: string }) =>
      method === 'GET' && path.includes('webhookconfigurations');
    const { harness } = await start({
      intercept: (request: { method: string; path: string }) =>
        isWatched(request) ? errorResponse(403, 'Forbidden', 'No.') : undefined,
    });
    await harness.send('PATCH', `${VALIDATING}/${managed}`, { webhooks: [] });
    await harness.advance(50);
    expect(await webhooksOf(harness)).toEqual([]);
    await harness.advance(11);
    expect(await webhooksOf(harness)).toHaveLength(2);
    await harness.advance(600);
    const lines = harness.logger.messages('log').filter((line) => line.includes(`not permitted`));
    expect(lines).toEqual([
      expect.stringMatching(/list and watch the ValidatingWebhookConfiguration.*repaired every 60 seconds/),
      expect.stringMatching(/list and watch the MutatingWebhookConfiguration/),
    ]);
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  it('should keep the webhooks of others if wanted', async () => {
    const harness = await OperatorHarness.start();
    const foreign = {
      name: 'foreign.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://foreign' },
    };
    const stale = { ...foreign, name: 'stale.auto.kopf.dev' };
    await harness.send('POST', VALIDATING, { metadata: { name: managed }, webhooks: [foreign, stale] });
    const server = new StubAdmissionServer({ url: 'https://host' });
    await harness.run(Handlers, { admission: { managed, server, keepForeign: true } });
    await harness.advance(0.1);
    const names = async () => (await webhooksOf(harness)).map(({ name }) => name);
    expect(await names()).toEqual(['foreign.example.com', 'checksize.auto.kopf.dev', 'persistentone.auto.kopf.dev']);
    const others = [{ ...foreign, name: 'late.example.com' }, foreign];
    const { webhooks } = await harness.send('GET', `${VALIDATING}/${managed}`);
    const { length } = harness.writes;
    const own = (webhooks as any[]).filter(({ name }) => name.endsWith(managed));
    await harness.send('PATCH', `${VALIDATING}/${managed}`, { webhooks: [...others, ...own] });
    await harness.advance(20);
    expect(harness.writes).toHaveLength(length);
    await harness.send('PATCH', `${VALIDATING}/${managed}`, { webhooks: [foreign, own[1]] });
    await harness.advance(0.2);
    expect(await names()).toEqual(['foreign.example.com', 'checksize.auto.kopf.dev', 'persistentone.auto.kopf.dev']);
    await harness.stop();
    expect(await names()).toEqual(['foreign.example.com', 'persistentone.auto.kopf.dev']);
  });

  it('should be tried again while the API server fails', async () => {
    let broken = true;
    const { harness } = await start({
      networking: { errorBackoffs: [] },
      intercept: ({ path, method }: { path: string; method: string }) =>
        broken && method === 'PATCH' && path.startsWith(VALIDATING)
          ? errorResponse(500, 'InternalError', 'Broken.')
          : undefined,
    });
    await harness.advance(10);
    expect(await webhooksOf(harness)).toEqual([]);
    broken = false;
    await harness.advance(60);
    expect(await webhooksOf(harness)).toHaveLength(2);
  });

  it('should make the operator fail if it is not permitted to write them', async () => {
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer({ url: 'https://host' });
    const operator = await harness.run(Handlers, {
      admission: { managed, server },
      required: true,
      unready: true,
      intercept: ({ path, method }) =>
        method === 'POST' && path === VALIDATING ? errorResponse(403, 'Forbidden', 'No.') : undefined,
    });
    await harness.advance(1);
    expect(operator.state).toBe('failed');
    expect(harness.logger.messages('error')).toContainEqual(
      expect.stringMatching(/not permitted to manage the ValidatingWebhookConfiguration auto.kopf.dev/),
    );
  });

  it('should be left alone if they are not managed', async () => {
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer({ url: 'https://host' });
    await harness.run(Handlers, { admission: { server } });
    await harness.advance(100);
    expect(harness.writes.filter(({ path }) => path.includes('webhookconfigurations'))).toEqual([]);
  });
});

describe('admission', () => {
  it('should not start without anything that brings reviews', async () => {
    const harness = await OperatorHarness.start();
    await expect(harness.run(Handlers)).rejects.toThrow(
      /admission.server is missing, so no server receives reviews for Handlers.checkSize/,
    );
  });

  it('should have the server and the name that a startup handler sets', async () => {
    const server = new StubAdmissionServer({ url: 'https://host' });
    class Configuring extends Handlers {
      @OnStartup()
      configure({ settings }: ActivityContext) {
        settings.admission.server = server;
        settings.admission.managed = managed;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Configuring);
    await harness.advance(0.1);
    expect(await harness.send('GET', `${VALIDATING}/${managed}`)).toMatchObject({ webhooks: [{}, {}] });
  });

  it('should not start with ids that make bad names', async () => {
    class Bad {
      @Validate('pods', { id: 'Ünïcode' })
      first() {}
      @Validate('pods', { id: 'checkSize' })
      second() {}
      @Validate('pods', { id: 'checksize' })
      third() {}
    }
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer();
    await expect(harness.run(Bad, { admission: { server, managed } })).rejects.toMatchObject({
      errors: [
        expect.stringContaining("Bad.first: the id 'Ünïcode' makes 'ünïcode.auto.kopf.dev'"),
        expect.stringContaining("Bad.second and Bad.third: the ids 'checkSize' and 'checksize'"),
      ],
    });
    await harness.run(Bad, { admission: { server } });
  });

  it('should not watch what is only admitted', async () => {
    class Pods {
      @Validate('pods')
      check() {
        throw new AdmissionError('No.');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Pods, { admission: { server: new StubAdmissionServer() } });
    await harness.advance(1);
    expect(harness.get(KopfAdmission).isServing).toBe(true);
    expect(harness.get(KopfRegistry).describe()).toMatchObject([{ kind: 'validate', id: 'check', selector: 'pods' }]);
    expect(harness.logger.messages('log')).toContain('The operator is ready: it watches 0 objects.');
  });

  it("should give handlers the object's memo, and the indices", async () => {
    class Memos {
      seen: unknown[] = [];
      @OnCreate(...KEX)
      create({ memo }: any) {
        memo.secret = 42;
      }
      @Validate(...KEX)
      check({ memo, operation }: any) {
        this.seen.push([operation, memo.secret]);
        memo.secret = 'changed';
      }
    }
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer();
    await harness.run(Memos, { admission: { server } });
    await harness.create('a');
    await harness.advance(1);
    const body = await harness.object('a');
    await server.review(makeReview(makeExample({})));
    await server.review(makeReview(body, { operation: 'UPDATE', oldObject: body }));
    await server.review(makeReview(null, { operation: 'DELETE', oldObject: body }));
    expect(harness.get(Memos).seen).toEqual([
      ['CREATE', undefined],
      ['UPDATE', 42],
      ['DELETE', 'changed'],
    ]);
  });

  it('should refuse what hangs, before the API server gives up', async () => {
    class Slow {
      aborted = 0;
      @Validate(...KEX)
      check({ signal }: any) {
        signal.addEventListener('abort', () => (this.aborted += 1));
        return new Promise(() => undefined);
      }
    }
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer();
    await harness.run(Slow, { admission: { server } });
    const answers = [
      server.review(makeReview(makeExample({}))),
      server.review(makeReview(makeExample({})), { timeout: 10 }),
    ];
    await harness.advance(9.1);
    await expect(answers[1]).resolves.toMatchObject({
      response: { allowed: false, status: { code: 504, message: 'The handlers have not answered within 9 seconds.' } },
    });
    expect(harness.get(KopfAdmission).reviewing).toBe(1);
    await harness.advance(20);
    await expect(answers[0]).resolves.toMatchObject({ response: { allowed: false, status: { code: 504 } } });
    expect(harness.get(Slow).aborted).toBe(2);
  });

  it('should fail with its server', async () => {
    const harness = await OperatorHarness.start();
    const failing = { next: () => Promise.reject(new Error('The port is in use.')) };
    const server = { serve: () => ({ [Symbol.asyncIterator]: () => failing }) };
    await expect(harness.run(Handlers, { admission: { server }, required: true })).rejects.toThrow(
      'The port is in use.',
    );
    expect(harness.get(KopfOperator).state).toBe('failed');
  });
});
