import {
  AdmissionError,
  KopfAdmission,
  Mutate,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Validate,
  type AdmissionContext,
  type KopfModuleOptions,
  type KubeObject,
} from 'nestjs-kopf';
import type { ValidateOptions } from 'nestjs-kopf/decorators';
import type { AdmissionRequest } from 'nestjs-kopf/webhooks';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, patchOf, StubAdmissionServer } from '../../support/webhooks/reviews.js';

const server = () => new StubAdmissionServer({ url: 'https://host' });

const CONCEALED = 'The admission handler has failed with an internal error; the log of the operator says which.';

async function run(
  handlers: any,
  { admission }: KopfModuleOptions = {},
): Promise<{ harness: OperatorHarness; stub: StubAdmissionServer }> {
  const harness = await OperatorHarness.start();
  const stub = server();
  await harness.run(handlers, { admission: { server: stub, ...admission } });
  return { harness, stub };
}

const object = makeExample({ field: 'v1', size: 1 }, { uid: 'u', labels: { a: 'b' }, annotations: { n: 'm' } });
const older = makeExample({ field: 'v0', size: 1 }, { uid: 'u', labels: { a: 'b' } });
const creation = { operation: 'CREATE', object, oldObject: null } as const;
const update = { operation: 'UPDATE', object, oldObject: older } as const;
const deletion = { operation: 'DELETE', object: null, oldObject: object } as const;

describe('admission handlers', () => {
  it.each<[string, ValidateOptions, Partial<AdmissionRequest>, boolean]>([
    ['any operation', {}, deletion, true],
    ['its operation', { operation: 'CREATE' }, creation, true],
    ['another operation', { operation: 'CREATE' }, update, false],
    ['one of its operations', { operations: ['CREATE', 'UPDATE'] }, update, true],
    ['none of its operations', { operations: ['CREATE', 'UPDATE'] }, deletion, false],
    ['a subresource that it is not for', {}, { ...update, subResource: 'status' }, false],
    ['its subresource', { subresource: 'status' }, { ...update, subResource: 'status' }, true],
    ['the object itself, if it is for a subresource', { subresource: 'status' }, update, false],
    ['any subresource', { subresource: '*' }, { ...update, subResource: 'scale' }, true],
    ['the object itself, if it is for everything', { subresource: '*' }, update, true],
    ['its label', { labels: { a: 'b' } }, creation, true],
    ['another label', { labels: { a: 'c' } }, creation, false],
    ['its annotation', { annotations: { n: (value) => value === 'm' } }, creation, true],
    ['its field', { field: 'spec.field' }, creation, true],
    ['a field that is not there', { field: 'spec.unknown' }, creation, false],
    ['its value', { field: 'spec.field', value: 'v1' }, deletion, true],
    ['another value', { field: 'spec.field', value: 'v0' }, update, false],
    ['its older value', { field: 'spec.field', old: 'v0' }, update, true],
    ['another older value', { field: 'spec.field', old: 'v1' }, update, false],
    ['its change', { field: 'spec.field', old: 'v0', new: 'v1' }, update, true],
    [
      'its callback',
      { when: ({ operation, old }) => operation === 'UPDATE' && old?.spec.field === 'v0' },
      update,
      true,
    ],
    ['another callback', { when: ({ dryrun }) => dryrun }, update, false],
  ])('should be asked by filters: %s', async (_what, options, request, expected) => {
    class Handlers {
      @Validate(...KEX, { id: 'check', ...options })
      check() {
        throw new AdmissionError('It was asked.');
      }
    }
    const { stub } = await run(Handlers);
    const { response } = await stub.review(makeReview(null, request));
    expect(response.allowed).toBe(!expected);
  });

  it('should know all about the request', async () => {
    let seen: any;
    class Handlers {
      @Validate(...KEX, { param: 'p', subresource: '*' })
      check({
        body,
        spec,
        meta,
        status,
        name,
        namespace,
        uid,
        labels,
        annotations,
        resource,
        param,
        retry,
        dryrun,
        operation,
        subresource,
        userinfo,
        headers,
        sslpeer,
        old,
        new: fresh,
        diff,
        runtime,
      }: AdmissionContext) {
        seen = { body, spec, meta, status, name, namespace, uid, labels, annotations, param, retry, dryrun, operation };
        Object.assign(seen, {
          subresource,
          userinfo,
          headers,
          sslpeer,
          old,
          new: fresh,
          diff,
          kind: resource.kind,
          runtime,
        });
      }
    }
    const { stub } = await run(Handlers);
    const userInfo = { username: 'me', groups: ['g'] };
    const request = { ...update, dryRun: true, subResource: 'status', userInfo };
    const sslpeer = { subject: { CN: 'api' } } as never;
    await stub.review(makeReview(null, request), { webhook: 'check', headers: { x: 'y' }, sslpeer });
    expect(seen).toEqual({
      body: object,
      spec: object.spec,
      meta: object.metadata,
      status: {},
      name: 'a',
      namespace: 'ns',
      uid: 'u',
      labels: { a: 'b' },
      annotations: { n: 'm' },
      param: 'p',
      retry: 0,
      runtime: 0,
      dryrun: true,
      operation: 'UPDATE',
      subresource: 'status',
      userinfo: userInfo,
      headers: { x: 'y' },
      sslpeer,
      old: older,
      new: object,
      diff: [
        ['add', ['metadata', 'annotations'], null, { n: 'm' }],
        ['change', ['spec', 'field'], 'v0', 'v1'],
      ],
      kind: 'KopfExample',
    });
  });

  it('should be asked about connections, whose objects have no metadata', async () => {
    let seen: any;
    class Handlers {
      @Validate('pods', { subresource: 'exec', operation: 'CONNECT' })
      check({ name, namespace, body }: AdmissionContext) {
        seen = { name, namespace, command: body.command };
      }
    }
    const { stub } = await run(Handlers);
    const exec = { kind: 'PodExecOptions', apiVersion: 'v1', command: ['sh'] } as unknown as KubeObject;
    const resource = { group: '', version: 'v1', resource: 'pods' };
    const request = { operation: 'CONNECT', subResource: 'exec', resource, name: 'web' } as const;
    expect((await stub.review(makeReview(exec, request))).response.allowed).toBe(true);
    expect(seen).toEqual({ name: 'web', namespace: 'ns', command: ['sh'] });
  });

  it('should change what is not being deleted, unless they are for deletions alone', async () => {
    class Handlers {
      @Mutate(...KEX)
      first({ patch }: AdmissionContext) {
        patch.spec.first = true;
      }
      @Mutate(...KEX, { operations: ['CREATE', 'DELETE'] })
      second({ patch }: AdmissionContext) {
        patch.spec.second = true;
      }
      @Mutate(...KEX, { operation: 'DELETE' })
      third({ warnings }: AdmissionContext) {
        warnings.push('third');
      }
    }
    const { stub } = await run(Handlers);
    const created = await stub.review(makeReview(null, creation));
    expect(patchOf(created)).toEqual([
      { op: 'add', path: '/spec/first', value: true },
      { op: 'add', path: '/spec/second', value: true },
    ]);
    const { response } = await stub.review(makeReview(null, deletion));
    expect(response).toEqual({ uid: expect.any(String), allowed: true, warnings: ['third'] });
  });

  it('should leave alone what they have changed already', async () => {
    class Handlers {
      @Mutate(...KEX)
      complete({ spec, patch }: AdmissionContext) {
        if (spec.size === undefined) patch.spec.size = 1;
      }
    }
    const { stub } = await run(Handlers);
    const first = await stub.review(makeReview(makeExample({})));
    expect(patchOf(first)).toEqual([{ op: 'add', path: '/spec/size', value: 1 }]);
    expect(patchOf(await stub.review(makeReview(makeExample({ size: 1 }))))).toBeUndefined();
  });

  it('should not patch in validations, which is returned, but complained of', async () => {
    class Handlers {
      @Validate(...KEX)
      check({ patch }: AdmissionContext) {
        patch.spec.size = 2;
      }
    }
    const { harness, stub } = await run(Handlers);
    expect(patchOf(await stub.review(makeReview(null, creation)))).toEqual([
      { op: 'replace', path: '/spec/size', value: 2 },
    ]);
    expect(harness.logger.messages('warn')).toContainEqual(
      expect.stringContaining('Handlers.check must not patch the object'),
    );
  });

  it('should have one error told, that which was meant for the user', async () => {
    class Handlers {
      @Validate(...KEX)
      other() {
        throw new TypeError('other');
      }
      @Validate(...KEX)
      temporary() {
        throw new TemporaryError('temporary');
      }
      @Validate(...KEX)
      permanent() {
        throw new PermanentError('permanent');
      }
      @Validate(...KEX)
      async admission() {
        throw new AdmissionError('admission', 403);
      }
      @Mutate(...KEX)
      mutation({ patch }: AdmissionContext) {
        patch.spec.size = 2;
      }
    }
    const { stub } = await run(Handlers);
    const { response } = await stub.review(makeReview(null, creation));
    expect(response).toEqual({
      uid: expect.any(String),
      allowed: false,
      status: { message: 'admission', code: 403 },
    });
    for (const webhook of ['temporary', 'permanent']) {
      const answer = await stub.review(makeReview(null, creation), { webhook });
      expect(answer.response.status).toEqual({ message: webhook, code: 500 });
    }
    const answer = await stub.review(makeReview(null, creation), { webhook: 'other' });
    expect(answer.response.status).toEqual({ message: CONCEALED, code: 500 });
  });

  describe('with errors that are not meant for users', () => {
    class Handlers {
      @Validate(...KEX)
      error() {
        throw new Error('postgres://operator:hunter2@db: connection refused');
      }
      @Validate(...KEX, {
        when: ({ labels }) => {
          if (labels.filter) throw new Error('hunter2 in a filter');
          return true;
        },
      })
      filter() {}
      @Mutate(...KEX)
      patch({ patch }: AdmissionContext) {
        patch.transform(() => {
          throw new Error('hunter2 in a patch');
        });
      }
    }
    const labelled = { ...creation, object: makeExample({ field: 'v1' }, { labels: { filter: 'true' } }) };
    const ALL = [
      ['error', creation, /hunter2@db: connection refused/],
      ['filter', labelled, /hunter2 in a filter/],
      ['patch', creation, /hunter2 in a patch/],
    ] as const;

    it('should tell them to the log only', async () => {
      const { harness, stub } = await run(Handlers);
      for (const [webhook, object, details] of ALL) {
        const { response } = await stub.review(makeReview(null, object), { webhook });
        expect(response).toEqual({
          uid: expect.any(String),
          allowed: false,
          status: { message: CONCEALED, code: 500 },
        });
        expect(harness.logger.messages('error').at(-1)).toMatch(details);
      }
    });

    it('should tell them to users if an option says so', async () => {
      const { stub } = await run(Handlers, { admission: { exposeErrors: true } });
      for (const [webhook, object, details] of ALL) {
        const { response } = await stub.review(makeReview(null, object), { webhook });
        expect(response.status).toEqual({ message: expect.stringMatching(details), code: 500 });
      }
    });
  });

  it('should refuse requests whose filters fail', async () => {
    class Handlers {
      @Validate(...KEX, { when: ({ spec }) => spec.nothing.there })
      check() {}
    }
    const { harness, stub } = await run(Handlers);
    const { response } = await stub.review(makeReview(null, creation));
    expect(response.status).toMatchObject({ code: 500, message: CONCEALED });
    expect(harness.logger.messages('error')).toContainEqual(
      expect.stringContaining('[ns/a] A filter of Handlers.check'),
    );
  });

  it('should refuse requests whose patches fail', async () => {
    class Handlers {
      @Mutate(...KEX)
      complete({ patch }: AdmissionContext) {
        patch.transform((body) => body.spec.nothing.there());
      }
    }
    const { stub } = await run(Handlers);
    const { response } = await stub.review(makeReview(null, creation));
    expect(response).toMatchObject({ allowed: false, status: { code: 500 } });
  });

  it('should be asked about specs that satisfy their rules, but not where the spec does not matter', async () => {
    const { IsPositive } = await import('class-validator');
    class Spec {
      @IsPositive() size: number;
    }
    class Handlers {
      @Validate(...KEX, { dto: Spec, subresource: '*' })
      check() {}
    }
    const { stub } = await run(Handlers);
    const bad = makeExample({ size: 0 });
    const dying = makeExample({ size: 0 }, { deletionTimestamp: '2020-01-01T00:00:00Z', finalizers: [] });
    const allowed = async (request: Partial<AdmissionRequest>) =>
      (await stub.review(makeReview(bad, { oldObject: bad, ...request }))).response.allowed;
    expect(await allowed({ operation: 'CREATE' })).toBe(false);
    expect(await allowed({ operation: 'UPDATE' })).toBe(false);
    expect(await allowed({ operation: 'UPDATE', object })).toBe(true);
    expect(await allowed({ operation: 'UPDATE', subResource: 'status' })).toBe(true);
    expect(await allowed({ operation: 'UPDATE', object: dying })).toBe(true);
    expect(await allowed({ operation: 'DELETE', object: null })).toBe(true);
  });

  it('should be called once for each review, however many decorators match', async () => {
    let calls = 0;
    class Handlers {
      @Validate(...KEX, { operation: 'CREATE' })
      @Validate(...KEX, { operations: ['CREATE', 'UPDATE'] })
      check() {
        calls += 1;
      }
      @OnUpdate(...KEX)
      update() {}
    }
    const { stub } = await run(Handlers);
    await stub.review(makeReview(null, creation));
    expect(calls).toBe(1);
  });

  it('should answer 1,000 reviews at the same time, and keep nothing of them', async () => {
    class Handlers {
      @Validate(...KEX)
      async check({ spec }: AdmissionContext) {
        await Promise.resolve();
        if (spec.number % 2) throw new AdmissionError(`${spec.number} is odd.`);
      }
    }
    const { harness, stub } = await run(Handlers);
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, number) =>
        stub.review(makeReview(makeExample({ number }), { uid: `u${number}` })),
      ),
    );
    answers.forEach(({ response }, number) => {
      expect(response.uid).toBe(`u${number}`);
      expect(response.status?.message).toBe(number % 2 ? `${number} is odd.` : undefined);
    });
    expect(harness.get(KopfAdmission).reviewing).toBe(0);
  });

  it('should finish what they have begun when the operator stops', async () => {
    let finish: () => void = () => undefined;
    class Handlers {
      @Validate(...KEX)
      check() {
        return new Promise<void>((resolve) => (finish = resolve));
      }
    }
    const { harness, stub } = await run(Handlers);
    const answer = stub.review(makeReview(null, creation));
    const stopped = harness.stop();
    finish();
    await expect(answer).resolves.toMatchObject({ response: { allowed: true } });
    await stopped;
  });
});

describe('errors in declarations of admission handlers', () => {
  it.each<[string, object, string]>([
    [
      'an unknown operation',
      { operation: 'REMOVE' },
      "option 'operation' must be one of CREATE, UPDATE, DELETE, CONNECT",
    ],
    ['no operations', { operations: [] }, "option 'operations' must be a non-empty list"],
    ['both', { operation: 'CREATE', operations: ['UPDATE'] }, "option 'operation' excludes the option 'operations'"],
    ['retries', { retries: 1 }, "option 'retries' does not exist"],
    ['a bad condition', { matchConditions: [{ name: 'a' }] }, "option 'matchConditions' must be a list of objects"],
    ['a DTO that is no class', { dto: {} }, "option 'dto' must be a class"],
    ['no subresource', { subresource: '' }, "option 'subresource' must be a non-empty string"],
  ])('should be found: %s', async (_what, options, violation) => {
    class Handlers {
      @Validate(...KEX, options)
      check() {}
    }
    const harness = await OperatorHarness.start();
    await expect(harness.run(Handlers, { admission: { server: server() } })).rejects.toThrow(
      `Handlers.check (@Validate): ${violation}`,
    );
  });

  it('should be found: rules of nested classes that would not be checked', async () => {
    const { IsNotEmpty, ValidateNested } = await import('class-validator');
    class Disk {
      @IsNotEmpty() name: string;
    }
    class Spec {
      @ValidateNested({ each: true }) disks: Disk[];
    }
    class Handlers {
      @Validate(...KEX, { dto: Spec })
      check() {}
    }
    const harness = await OperatorHarness.start();
    await expect(harness.run(Handlers, { admission: { server: server() } })).rejects.toThrow(
      'Handlers.check: the class of the nested Spec.disks is not known, so its rules would not be checked',
    );
  });

  it('should be found: one id for two kinds of handlers', async () => {
    class Handlers {
      @Validate(...KEX)
      @Mutate(...KEX)
      check() {}
    }
    const harness = await OperatorHarness.start();
    await expect(harness.run(Handlers, { admission: { server: server() } })).rejects.toThrow(
      "Handlers.check is both a validating and a mutating handler 'check' of kopfexamples.v1.kopf.dev",
    );
  });
});
