import type { Type } from '@nestjs/common';
import { OnCreate, OnUpdate, TemporaryError, Timer, type ChangeContext, type DaemonContext } from 'nestjs-kopf';
import { OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';

const PATH = '/apis/kopf.dev/v1/namespaces/ns/kopfexamples/a';

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: Record<string, any>;
}

/** An operator that writes into all parts of its objects. */
class Writer {
  @OnCreate('kopfexamples')
  create({ patch }: ChangeContext) {
    patch.meta.labels.created = 'yes';
    patch.status.phase = 'Created';
    return { at: 'first' };
  }

  @OnUpdate('kopfexamples', { field: 'spec.field' })
  update({ patch, new: value }: ChangeContext) {
    patch.status.phase = value === 'gone' ? null : 'Updated';
    patch.meta.labels.created = value === 'gone' ? null : 'yes';
    patch.transform((body) => {
      body.status ??= {};
      (body.status.steps ??= []).push(value);
    });
  }
}

describe.each([true, false])(
  'Patches by server-side apply, with the status as a subresource: %s',
  (statusSubresource) => {
    let harness: OperatorHarness;
    const run = (operator: Type, patching: OperatorOptions['patching'] = {}) =>
      harness.run(operator, { patching: { mode: 'apply', ...patching } });
    const ownersOf = async (manager = 'nestjs-kopf') => {
      const { managedFields } = (await harness.object('a')).metadata as unknown as { managedFields: readonly Owner[] };
      const own = managedFields.filter((owner) => owner.operation === 'Apply' && owner.manager === manager);
      return Object.assign({}, ...own.map(({ fieldsV1 }) => fieldsV1)) as Record<string, any>;
    };
    const applyAs = (manager: string, fields: object, force = false) =>
      harness.send(
        'PATCH',
        `${PATH}?fieldManager=${manager}${force ? '&force=true' : ''}`,
        { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' }, ...fields },
        'application/apply-patch+yaml',
      );

    beforeEach(async () => {
      harness = await OperatorHarness.start({ statusSubresource });
    });

    it('should make the operator the owner of what its handlers set, and keep that until they remove it', async () => {
      await run(Writer);
      await harness.create('a');
      await harness.advance(1);
      expect((await ownersOf())['f:status']).toMatchObject({ 'f:phase': {}, 'f:create': { 'f:at': {} } });
      await harness.patch('a', { spec: { field: 'v2' } });
      await harness.advance(1);
      const { status, metadata } = await harness.object('a');
      expect(status).toEqual({ phase: 'Updated', create: { at: 'first' }, steps: ['v2'] });
      expect(metadata.labels).toEqual({ created: 'yes' });
      expect(Object.keys(metadata.annotations ?? {})).toEqual(['kopf.zalando.org/last-handled-configuration']);
      await harness.patch('a', { spec: { field: 'gone' } });
      await harness.advance(1);
      expect((await harness.object('a')).status).toEqual({ create: { at: 'first' }, steps: ['v2', 'gone'] });
      expect((await harness.object('a')).metadata.labels ?? {}).toEqual({});
    });

    it('should remove what others own, too', async () => {
      await run(Writer);
      await harness.create('a', { metadata: { labels: { created: 'no' } } as never, spec: { field: 'v1' } });
      await harness.advance(1);
      await harness.patch('a', { metadata: { labels: { created: 'somebody' } } });
      await harness.patch('a', { spec: { field: 'gone' } });
      await harness.advance(1);
      expect((await harness.object('a')).metadata.labels ?? {}).toEqual({});
    });

    it('should take over the fields of others, or fail by an error that names them', async () => {
      await applyAs('somebody', { metadata: { name: 'a', labels: { created: 'no' } }, spec: { field: 'v1' } });
      const operator = await run(Writer, { force: false });
      await harness.advance(1);
      expect((await harness.object('a')).metadata.labels).toEqual({ created: 'no' });
      expect(harness.logger.messages('error').join()).toMatch(
        /create.*conflict.*somebody.*\.metadata\.labels\.created/s,
      );
      await harness.stop(operator);
      await harness.delete('a');
      await applyAs('somebody', { metadata: { name: 'a', labels: { created: 'no' } }, spec: { field: 'v1' } });
      await run(Writer);
      await harness.advance(1);
      expect((await harness.object('a')).metadata.labels).toEqual({ created: 'yes' });
    });

    it('should lose nothing of what handlers and timers write at the same time', async () => {
      class Busy extends Writer {
        @Timer('kopfexamples', { interval: 1 })
        one({ patch, started }: DaemonContext) {
          patch.status.one = started.toISOString();
        }

        @Timer('kopfexamples', { interval: 1 })
        other({ patch, started }: DaemonContext) {
          patch.status.other = started.toISOString();
        }
      }
      await run(Busy);
      await harness.create('a');
      await harness.advance(1);
      for (const field of ['v2', 'v3']) {
        await harness.patch('a', { spec: { field } });
        await harness.advance(1);
      }
      await harness.advance(2);
      const { status } = await harness.object('a');
      expect(Object.keys(status ?? {}).sort()).toEqual(['create', 'one', 'other', 'phase', 'steps']);
      expect(status?.one).toBe(status?.other);
    });

    it('should not create an object anew that is deleted meanwhile', async () => {
      class Deleting {
        @OnCreate('kopfexamples')
        async create({ patch, name }: ChangeContext) {
          patch.status.phase = 'Created';
          patch.meta.labels.created = 'yes';
          await harness.delete(name);
        }
      }
      await run(Deleting);
      await harness.create('a');
      await harness.advance(10);
      expect(await harness.read('a')).toBeUndefined();
    });

    it('should store the same state as merge patches do', async () => {
      class Retrying {
        @OnCreate('kopfexamples')
        create() {
          throw new TemporaryError('Not yet.', { delay: 10 });
        }
      }
      const states: unknown[] = [];
      for (const mode of ['merge', 'apply'] as const) {
        harness = await OperatorHarness.start({ statusSubresource });
        await run(Retrying, { mode });
        await harness.create('a');
        await harness.advance(1);
        const { annotations } = (await harness.object('a')).metadata;
        states.push(annotations);
      }
      expect(states[1]).toEqual(states[0]);
      expect(Object.keys(states[0] as object)).toContain('kopf.zalando.org/create');
    });
  },
);
