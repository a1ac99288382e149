import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KopfOperator, LoginError, OnCreate, OnEvent, type ChangeContext } from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { respondWith } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

function creating(calls: Calls) {
  class Creating {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
  }
  return Creating;
}

describe('No cluster', () => {
  it('should fail the start with a clear error, without any request', async () => {
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', join(tmpdir(), 'nobody-lives-here'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const harness = await OperatorHarness.start();
    const failure = await harness
      .run(creating(new Calls()), { credentials: undefined, required: true })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LoginError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /no cluster to connect to: KUBECONFIG is not set.* ~\/.kube\/config.*service account/,
      ),
    });
    expect(harness.logger.messages('error')).toEqual([expect.stringContaining('no cluster to connect to')]);
  });
});

describe('A wrong token', () => {
  it('should fail the operator with a clear error', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.create('a');
    const failure = await harness
      .run(creating(calls), { token: 'wrong', required: true })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LoginError);
    expect((failure as Error).message).toContain('the API server does not accept any of them');
    expect(harness.get(KopfOperator).state).toBe('failed');
    expect(calls.ids).toEqual([]);
  });

  it('should stop nothing for good if it is accepted again later', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    let isAccepted = true;
    await harness.run(creating(calls), {
      watching: { clientTimeout: 10 },
      intercept: () => (isAccepted ? undefined : errorResponse(401, 'Unauthorized', 'Unauthorized')),
    });
    isAccepted = false;
    await harness.advance(60);
    await harness.create('a');
    await harness.advance(60);
    expect(calls.ids).toEqual([]);
    expect(harness.logger.messages('warn', 'error').join()).toContain('No valid credentials');
    isAccepted = true;
  });
});

describe('Missing permissions', () => {
  it('should be told with the kind and the resource, and heal when they are granted', async () => {
    const calls = new Calls();
    let isPermitted = false;
    const harness = await OperatorHarness.start({
      kube: {
        users: { limited: { name: 'limited', groups: ['system:authenticated'] } },
        authorizer: {
          authorize: ({ user, resource }) => user.name !== 'limited' || resource !== 'kopfexamples' || isPermitted,
        },
      },
    });
    await harness.create('a');
    await harness.run(creating(calls), { token: 'limited' });
    await harness.advance(30);
    expect(calls.ids).toEqual([]);
    expect(harness.logger.messages('warn').join()).toMatch(
      /Not permitted to watch KopfExample \(kopfexamples.kopf.dev\).*"limited" cannot list resource/,
    );
    isPermitted = true;
    await harness.advance(120);
    expect(calls.ids).toEqual(['create']);
    expect(harness.logger.messages('log').join()).toContain('Watching KopfExample (kopfexamples.kopf.dev)');
  });

  it('should throttle the objects that cannot be patched, and heal when they can', async () => {
    const calls = new Calls();
    let isPermitted = false;
    const harness = await OperatorHarness.start({
      kube: {
        users: { limited: { name: 'limited', groups: ['system:authenticated'] } },
        authorizer: { authorize: ({ user, verb }) => user.name !== 'limited' || verb !== 'patch' || isPermitted },
      },
    });
    await harness.run(creating(calls), { token: 'limited', networking: { errorBackoffs: [1] } });
    await harness.create('a');
    await harness.advance(10);
    expect(harness.logger.messages('error')[0]).toMatch(/\[ns\/a\] Throttling.*403 Forbidden.*"limited" cannot patch/);
    isPermitted = true;
    await harness.advance(60);
    expect(await harness.marks('a')).toHaveLength(1);
  });
});

describe('A missing definition', () => {
  it('should be waited for, with a warning, and the objects be handled once it is created', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start({ definition: false });
    await harness.run(creating(calls));
    await harness.advance(600);
    const isAbout = (message: string): boolean => message.includes('is not served: the cluster has no such resource');
    expect(harness.logger.messages('warn').filter(isAbout)).toHaveLength(1);
    await harness.define();
    await harness.advance(5);
    await harness.create('a');
    await harness.advance(5);
    expect(calls.ids).toEqual(['create']);
  });

  it('should be told when it goes at run time, and its objects be handled when it comes again', async () => {
    const calls = new Calls();
    const harness = await OperatorHarness.start();
    await harness.run(creating(calls));
    await harness.create('a');
    await harness.advance(5);
    expect(calls.take()).toEqual(['create']);
    await harness.undefine();
    await harness.advance(60);
    expect(harness.logger.messages('warn').join()).toContain('is not served: the cluster has no such resource');
    expect(harness.get(KopfOperator).objects).toBe(0);
    await harness.define();
    await harness.advance(5);
    await harness.create('a');
    await harness.create('b');
    await harness.advance(5);
    expect(calls.all.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('should be noticed even if the API server cannot be asked at first', async () => {
    const calls = new Calls();
    let isAway = false;
    const harness = await OperatorHarness.start({ definition: false });
    await harness.run(creating(calls), {
      networking: { errorBackoffs: [] },
      intercept: ({ path }) =>
        isAway && path.startsWith('/api') && !path.includes('watch')
          ? errorResponse(503, 'ServiceUnavailable', 'away')
          : undefined,
    });
    isAway = true;
    await harness.define();
    await harness.advance(60);
    isAway = false;
    await harness.advance(60);
    await harness.create('a');
    await harness.advance(5);
    expect(harness.get(KopfOperator).state).toBe('running');
    expect(calls.ids).toEqual(['create']);
  });

  it('should not hold up handlers of other resources', async () => {
    const calls = new Calls();
    class Unknown {
      @OnEvent('nonsense.example.com')
      spy() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run([creating(calls), Unknown]);
    await harness.create('a');
    await harness.advance(5);
    expect(calls.ids).toEqual(['create']);
    expect(harness.logger.messages('warn')).toEqual([
      expect.stringMatching(/nonsense.example.com is not served: the cluster has no such resource/),
    ]);
  });
});

describe('Ambiguous resources', () => {
  it('should not be served, with a warning that names them', async () => {
    const seen: string[] = [];
    class Operator {
      @OnEvent('kopfexamples')
      spy() {
        seen.push('spy');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'kopfexamples.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'KopfExample', plural: 'kopfexamples', singular: 'kopfexample' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await harness.advance(1);
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(5);
    expect(seen).toEqual([]);
    expect(harness.logger.messages('warn').join()).toMatch(/is not served: it can be any of .*; add the group/);
  });
});

describe('Strange objects', () => {
  it.each([
    ['without a spec', {}],
    ['with a spec of null', { spec: null }],
    ['with nothing but a status', { status: { x: 1 } }],
  ])('should be handled: %s', async (_, object) => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create({ spec, status, labels, annotations }: ChangeContext) {
        seen.push([spec.field, status.y, labels.l, annotations.n]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', object as never);
    await harness.advance(600);
    expect(seen).toEqual([[undefined, undefined, undefined, undefined]]);
    expect(harness.logger.messages('warn', 'error')).toEqual([]);
  });

  it('should fail only the handler that does not expect them, which is called again when they are corrected', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX, { backoff: 10 })
      create({ spec, name }: ChangeContext) {
        const sizes = spec.items.map(({ size }: { size: string }) => size.toUpperCase());
        seen.push([name, sizes]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('good', { spec: { items: [{ size: 'x' }] } });
    await harness.create('bad', { spec: { items: 'none' } });
    await harness.create('worse', { spec: { items: [null] } });
    await harness.advance(5);
    expect(seen).toEqual([['good', ['X']]]);
    await harness.patch('bad', { spec: { items: [] } });
    await harness.advance(30);
    expect(seen).toEqual([
      ['good', ['X']],
      ['bad', []],
    ]);
    expect(harness.logger.messages('error').every((message) => message.includes("Handler 'create' failed"))).toBe(true);
  });
});

describe('An API server that is away', () => {
  it('should be waited for after the start, however long it takes', async () => {
    const calls = new Calls();
    let isAway = false;
    const harness = await OperatorHarness.start();
    await harness.run(creating(calls), {
      intercept: () => {
        if (isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return undefined;
      },
    });
    isAway = true;
    await harness.create('a');
    await harness.advance(90);
    isAway = false;
    await harness.advance(120);
    expect(await harness.marks('a')).toHaveLength(1);
    expect(harness.get(KopfOperator).state).toBe('running');
  });

  it('should be asked again about objects whose patch it has not answered', async () => {
    const calls = new Calls();
    let failures = 0;
    const harness = await OperatorHarness.start();
    await harness.run(creating(calls), {
      intercept: ({ method }) =>
        method === 'PATCH' && failures++ < 3 ? respondWith(502, { message: 'bad gateway' }) : undefined,
    });
    await harness.create('a');
    await harness.advance(60);
    expect(calls.ids).toEqual(['create']);
    expect(await harness.marks('a')).toHaveLength(1);
  });
});
