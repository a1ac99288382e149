import {
  AdmissionError,
  Mutate,
  OnCreate,
  OnDelete,
  OnUpdate,
  TemporaryError,
  Validate,
  type AdmissionContext,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
import type { ValidateOptions } from 'nestjs-kopf/decorators';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
} from 'nestjs-kopf/storages';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { KopfTest, respondWith } from 'nestjs-kopf/testing';
import {
  KEX,
  OperatorHarness,
  type HarnessOptions,
  type OperatorOptions,
} from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';
const STATE = 'kopf.zalando.org/last-handled-configuration';

/** A rule that came later than the objects. */
class Rule {
  static isStrict = false;
  static asked: string[] = [];

  static check(what: string, { spec, operation }: AdmissionContext): void {
    Rule.asked.push(`${what} ${operation}`);
    if (Rule.isStrict && spec.field === 'bad') throw new AdmissionError('The field is bad.', 422);
  }
}

describe("Updates of the operator's own", () => {
  beforeEach(() => {
    Rule.isStrict = false;
    Rule.asked = [];
  });

  describe.each([
    ['with the status subresource', { statusSubresource: true }],
    ['without it', { statusSubresource: false }],
  ])('of objects %s', (_what, options: HarnessOptions) => {
    const storages: [string, OperatorOptions][] = [
      ['annotations', {}],
      [
        'annotations of two prefixes',
        {
          persistence: {
            progressStorage: new AnnotationsProgressStorage({ prefix: 'progress.example.com' }),
            diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix: 'essence.example.com' }),
          },
        },
      ],
      [
        'the status',
        { persistence: { progressStorage: new StatusProgressStorage(), diffbaseStorage: new StatusDiffBaseStorage() } },
      ],
    ];

    it.each(storages)(
      'should let objects be handled and deleted that a rule rejects, with state in %s',
      async (_where, more) => {
        const calls: string[] = [];
        class Handlers {
          @OnCreate(...KEX, { backoff: 1 })
          create({ name, retry }: ChangeContext) {
            calls.push(`create ${name} ${retry}`);
            if (retry === 0) throw new TemporaryError('Not yet.', { delay: 5 });
            return { done: true };
          }

          @OnCreate(...KEX)
          describe({ patch }: ChangeContext) {
            patch.status.phase = 'Ready';
          }

          @OnDelete(...KEX)
          drop({ name, retry }: ChangeContext) {
            calls.push(`drop ${name} ${retry}`);
          }

          @Validate(...KEX, { operations: ['CREATE', 'UPDATE'], subresource: '*' })
          all(context: AdmissionContext) {
            Rule.check('all', context);
          }

          @Mutate(...KEX, { operations: ['CREATE', 'UPDATE'] })
          mutate(context: AdmissionContext) {
            Rule.check('mutate', context);
          }
        }
        const webhooks = new ProcessWebhooks();
        const harness = await OperatorHarness.start({ ...options, kube: { webhookTransport: webhooks } });
        await harness.create('a', { spec: { field: 'bad' } });
        Rule.isStrict = true;
        await harness.run(Handlers, { ...more, admission: { server: webhooks.server, managed: 'own.example.com' } });
        await harness.advance(30);
        expect(calls).toEqual(['create a 0', 'create a 1']);
        expect((await harness.object('a')).status).toMatchObject({ create: { done: true }, phase: 'Ready' });
        await expect(harness.patch('a', { metadata: { labels: { a: 'b' } } })).rejects.toThrow('The field is bad.');
        await harness.delete('a');
        await harness.advance(30);
        expect(await harness.read('a')).toBeUndefined();
        expect(calls).toEqual(['create a 0', 'create a 1', 'drop a 0']);
      },
    );
  });

  it('should let former names of the finalizer be taken off objects that a rule rejects', async () => {
    const calls: string[] = [];
    class Handlers {
      @OnDelete(...KEX)
      drop({ name }: ChangeContext) {
        calls.push(`drop ${name}`);
      }

      @Validate(...KEX, { operations: ['UPDATE'] })
      check(context: AdmissionContext) {
        Rule.check('check', context);
      }
    }
    const webhooks = new ProcessWebhooks();
    const harness = await OperatorHarness.start({ kube: { webhookTransport: webhooks } });
    const former = 'former.example.com/finalizer';
    for (const name of ['kept', 'leaving']) {
      await harness.create(name, { metadata: { finalizers: [former] }, spec: { field: 'bad' } });
    }
    await harness.delete('leaving');
    Rule.isStrict = true;
    await harness.run(Handlers, {
      persistence: { formerFinalizers: [former] },
      admission: { server: webhooks.server, managed: 'own.example.com' },
    });
    await harness.advance(30);
    expect((await harness.object('kept')).metadata.finalizers).toEqual([FINALIZER]);
    expect(await harness.read('leaving')).toBeUndefined();
    expect(calls).toEqual(['drop leaving']);
  });

  it('should let a built-in object be deleted that a rule rejects, after one call of its handler', async () => {
    const calls: string[] = [];
    class Maps {
      @OnUpdate('configmaps.v1')
      update({ name }: ChangeContext) {
        calls.push(`update ${name}`);
      }

      @OnDelete('configmaps.v1')
      drop({ name, retry }: ChangeContext) {
        calls.push(`drop ${name} ${retry}`);
      }

      @Validate('configmaps.v1', { operations: ['CREATE', 'UPDATE'] })
      check({ body }: AdmissionContext) {
        if (Rule.isStrict && (body as any).data?.field === 'bad') throw new AdmissionError('The field is bad.', 422);
      }
    }
    const server = new WebhookServer({ host: 'localhost', port: 9443 });
    const test = await KopfTest.create({
      providers: [Maps],
      kopf: { admission: { managed: 'own.example.com', server } },
    });
    onTestFinished(() => test.close());
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { field: 'bad' },
    };
    await test.handled(await test.apply(map));
    Rule.isStrict = true;
    await test.client.delete('configmaps', 'a', { namespace: 'default' });
    await test.advance(60);
    await expect(test.client.get('configmaps', 'a', { namespace: 'default' })).rejects.toThrow('not found');
    expect(calls).toEqual(['drop a 0']);
  });

  describe('as reviews', () => {
    const bad = { field: 'bad' };
    const meta = { uid: 'u', resourceVersion: '1', generation: 1, labels: { a: 'b' } };
    const object = (metadata: object = {}, rest: object = {}): KubeObject => ({
      ...makeExample(bad, { ...meta, ...metadata }),
      ...rest,
    });
    const deleted = { deletionTimestamp: '2021-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

    async function review(
      [oldObject, next]: readonly [KubeObject, KubeObject],
      { handler = {}, user = 'me', own = 'me', ...request }: Record<string, any> = {},
    ): Promise<boolean> {
      let isAsked = false;
      class Handlers {
        @OnUpdate(...KEX)
        update() {
          return 'done';
        }

        @Validate(...KEX, handler as ValidateOptions)
        check() {
          isAsked = true;
        }
      }
      const harness = await OperatorHarness.start();
      const stub = new StubAdmissionServer({ url: 'https://host' });
      const intercept: OperatorOptions['intercept'] = ({ path }) => {
        if (!path.endsWith('/selfsubjectreviews')) return undefined;
        if (own === undefined || own === null) return respondWith(403, { kind: 'Status', code: 403, message: 'No.' });
        return respondWith(201, { status: { userInfo: { username: own as string } } });
      };
      await harness.run(Handlers, { admission: { server: stub }, intercept });
      const userInfo = { username: user as string };
      const asked = makeReview(next, { operation: 'UPDATE', oldObject, userInfo, ...request });
      expect((await stub.review(asked)).response.allowed).toBe(true);
      return isAsked;
    }

    const release = [
      object({ ...deleted, finalizers: ['other/one', FINALIZER] }),
      object({ ...deleted, resourceVersion: '2', finalizers: ['other/one'] }),
    ] as const;
    const block = [object(), object({ finalizers: [FINALIZER], managedFields: [] })] as const;
    const store = [object(), object({ annotations: { [STATE]: '{}', 'kopf.zalando.org/update': '{}' } })] as const;
    const result = [object(), object({}, { status: { update: 'done', 'update/sub': 1 } })] as const;
    const phase = [object(), object({}, { status: { phase: 'Ready' } })] as const;

    it.each<[string, readonly [KubeObject, KubeObject], Record<string, any>, boolean]>([
      ['the release of a deleted object', release, {}, false],
      ['the release by somebody else', release, { user: 'other' }, false],
      ['the release if the operator does not know its name', release, { own: null }, false],
      ['the finalizer', block, {}, false],
      ['the finalizer by somebody else', block, { user: 'other' }, true],
      ['the finalizer if the operator does not know its name', block, { own: null }, false],
      ['its annotations', store, {}, false],
      ['its annotations by somebody else', store, { user: 'other' }, true],
      ['results of handlers', result, { own: null }, false],
      ['the status by the operator', phase, {}, false],
      ['the status by somebody else', phase, { user: 'other' }, true],
      ['the status if the operator does not know its name', phase, { own: null }, true],
      ['nothing at all', [object(), object({ resourceVersion: '2' })], {}, true],
      ['the spec with the finalizer', [block[0], { ...block[1], spec: { field: 'worse' } }], {}, true],
      ['a field beside the spec', [block[0], { ...block[1], data: { a: 1 } } as KubeObject], {}, true],
      ['labels with the finalizer', [block[0], object({ finalizers: [FINALIZER], labels: {} })], {}, true],
      ['foreign annotations', [store[0], object({ annotations: { [STATE]: '{}', a: 'b' } })], {}, true],
      [
        'annotations of another operator',
        [object(), object({ annotations: { 'a.kopf.zalando.org/b': '{}' } })],
        {},
        true,
      ],
      [
        'annotations that are marked',
        [object(), object({ annotations: { 'a.b/kopf-managed': 'yes', 'a.b/c': '' } })],
        {},
        true,
      ],
      ['foreign finalizers', [release[0], object({ ...deleted, finalizers: [] })], {}, true],
      ['owner references', [block[0], object({ finalizers: [FINALIZER], ownerReferences: [{ uid: 'x' }] })], {}, true],
      ['its state, with the option ownUpdates', store, { handler: { ownUpdates: true } }, true],
      ['the release, with the option ownUpdates', release, { handler: { ownUpdates: true } }, true],
      ['finalizers, with a filter for them', block, { handler: { field: 'metadata.finalizers' } }, true],
      [
        'the status, for a handler of the status',
        phase,
        { handler: { subresource: 'status' }, subResource: 'status' },
        true,
      ],
      [
        'the status, for a handler of everything',
        phase,
        { handler: { subresource: '*' }, subResource: 'status' },
        false,
      ],
      ['another subresource', block, { handler: { subresource: '*' }, subResource: 'scale' }, true],
    ])('should be asked about or not: %s', async (_what, objects, more, expected) => {
      expect(await review(objects, more)).toBe(expected);
    });

    it.each<[string, object]>([
      ['a creation', { operation: 'CREATE', oldObject: null }],
      ['a deletion', { operation: 'DELETE', object: null }],
    ])('should ask about %s', async (_what, request) => {
      expect(await review(block, request)).toBe(true);
    });
  });
});

/** Brings the reviews of the cluster to the operator, without sockets. */
class ProcessWebhooks {
  readonly server = new StubAdmissionServer({ url: 'https://host' });

  async post({ url, body }: { readonly url: string; readonly body: string }) {
    const webhook = new URL(url).pathname.slice(1);
    const answer = await this.server.review(JSON.parse(body) as object, { webhook });
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
