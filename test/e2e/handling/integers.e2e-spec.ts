import {
  Daemon,
  Index,
  OnCreate,
  OnEvent,
  OnUpdate,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
} from 'nestjs-kopf';
import { AnnotationsDiffBaseStorage, StatusDiffBaseStorage } from 'nestjs-kopf/storages';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const ID = 9007199254740993n;

describe('Integers beyond the safe ones', () => {
  it('should be keys and values of indices, each its own', async () => {
    const seen: unknown[] = [];
    class Operator {
      @Index(...KEX)
      byId({ spec, name }: IndexContext) {
        return { [name]: spec.id };
      }

      @Index(...KEX)
      byList({ spec }: IndexContext) {
        return new Map([[[spec.id], spec.id]]);
      }

      @OnEvent(...KEX, { labels: { ask: 'yes' } })
      ask({ indices }: EventContext) {
        seen.push(
          [...indices.byId.get('a')!],
          [...indices.byList.get([ID])!],
          indices.byList.get([ID - 1n]) === undefined,
        );
      }
    }
    const harness = await OperatorHarness.start();
    await harness.create('a', { spec: { id: ID } });
    await harness.run(Operator);
    await harness.patch('a', { metadata: { labels: { ask: 'yes' } } });
    await harness.advance(1);
    expect(seen).toEqual([[ID], [ID], true]);
  });

  it('should be in the live views of daemons', async () => {
    const seen: unknown[] = [];
    class Operator {
      @Daemon(...KEX)
      async watch({ spec, stopped }: DaemonContext) {
        while (!stopped.isSet) {
          seen.push(spec.id);
          await stopped.wait(10);
        }
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { id: ID } });
    await harness.advance(1);
    await harness.patch('a', { spec: { id: ID - 1n } });
    await harness.advance(10);
    expect(seen).toEqual([ID, ID - 1n]);
  });

  it.each([
    ['the status', new StatusDiffBaseStorage()],
    ['a hash', new AnnotationsDiffBaseStorage({ oversize: 'hash' })],
  ])('should be told from their neighbours by an essence in %s', async (_what, diffbaseStorage) => {
    const seen: unknown[] = [];
    class Operator {
      @OnCreate(...KEX)
      create(): void {}

      @OnUpdate(...KEX)
      update({ old, new: present }: ChangeContext) {
        seen.push([old?.spec?.id, present?.spec.id]);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { persistence: { diffbaseStorage } });
    const isHashed = diffbaseStorage instanceof AnnotationsDiffBaseStorage;
    await harness.create('a', { spec: { id: ID, text: isHashed ? 'x'.repeat(300_000) : '' } });
    await harness.advance(10);
    await harness.patch('a', { spec: { id: ID - 1n } });
    await harness.advance(10);
    expect(seen).toEqual([[isHashed ? undefined : ID, ID - 1n]]);
    expect(harness.logger.messages('warn')).toEqual([]);
  });

  it('should be written as integers, even if the application makes texts of bigints', async () => {
    class Operator {
      @OnCreate(...KEX)
      create({ spec, patch }: ChangeContext) {
        patch.spec.copy = spec.id;
        return spec.id;
      }
    }
    const prototype = BigInt.prototype as unknown as Record<string, unknown>;
    prototype.toJSON = function (this: bigint) {
      return this.toString();
    };
    onTestFinished(() => void delete prototype.toJSON);
    const harness = await OperatorHarness.start();
    await harness.run(Operator);
    await harness.create('a', { spec: { id: ID } });
    await harness.advance(1);
    const { spec, status, metadata } = await harness.object('a');
    expect(spec).toEqual({ id: ID, copy: ID });
    expect(status).toEqual({ create: ID });
    expect(metadata.annotations?.['kopf.zalando.org/last-handled-configuration']).toContain(`"id":${ID}`);
    expect(harness.logger.verboseMessages.join('\n')).toContain(`"id":${ID}`);
  });
});
