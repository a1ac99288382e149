import { Injectable, Module } from '@nestjs/common';
import {
  Index,
  InjectIndex,
  KopfBootstrapError,
  KopfModule,
  KopfOptionsError,
  KopfRegistry,
  OnCreate,
  OnProbe,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type IndexContext,
  type ReadonlyIndex,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { storedProgress } from '../../support/operators/stored.progress.js';

const calls: string[] = [];

@Injectable()
class Invoices {
  @OnCreate(...KEX)
  create({ retry }: ChangeContext) {
    calls.push(`invoice ${retry}`);
    if (retry < 2) throw new TemporaryError('Later.', { delay: 100 });
    return 'invoiced';
  }
  @OnUpdate(...KEX, { id: 'follow', field: 'spec.field' })
  followField() {}
  @OnProbe()
  probe() {}
}

@Injectable()
class Parcels {
  constructor(@InjectIndex('parcels') readonly index: ReadonlyIndex<string, string>) {}

  @OnCreate(...KEX)
  async create({ execute }: ChangeContext) {
    await execute({ part: () => 'packed' });
    return 'sent';
  }
  @Index(...KEX)
  parcels({ name }: IndexContext) {
    return { [name]: name };
  }
}

@Module({ imports: [KopfModule.forFeature({ idPrefix: 'billing' })], providers: [Invoices], exports: [Invoices] })
class BillingModule {}

@Module({
  imports: [KopfModule.forFeature({ idPrefix: 'shipping', indices: ['parcels'] })],
  providers: [Parcels],
})
class ShippingModule {}

const idsOf = (harness: OperatorHarness): string[] =>
  harness
    .get(KopfRegistry)
    .describe()
    .map(({ id }) => id)
    .sort();

describe('The ids of a module with a prefix', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    calls.length = 0;
    harness = await OperatorHarness.start();
  });

  it('should let two modules have a handler of one name for one resource', async () => {
    await harness.run([], { imports: [BillingModule, ShippingModule] });
    expect(idsOf(harness)).toEqual([
      'billing/create',
      'billing/follow/spec.field',
      'billing/probe',
      'parcels',
      'shipping/create',
    ]);
    await harness.create('a');
    await harness.advance(10);
    expect(storedProgress(await harness.object('a'))).toMatchObject({
      'billing.create': { retries: 1, success: false },
      'shipping.create': { success: true },
      'shipping.create.part': { success: true },
    });
    await harness.advance(300);
    expect((await harness.object('a')).status).toEqual({
      'billing/create': 'invoiced',
      'shipping/create': 'sent',
      'shipping/create/part': 'packed',
    });
  });

  it('should be the same after a restart, so that handlers go on where they were', async () => {
    await harness.run([], { imports: [BillingModule] });
    await harness.create('a');
    await harness.advance(10);
    await harness.stop();
    await harness.run([], { imports: [BillingModule] });
    await harness.advance(300);
    expect(calls).toEqual(['invoice 0', 'invoice 1', 'invoice 2']);
  });

  it('should not change the names of indices, which others inject', async () => {
    await harness.create('a');
    await harness.run([], { imports: [ShippingModule] });
    expect(harness.get(Parcels).index.get('a')?.toArray()).toEqual(['a']);
  });

  it('should be for the own providers of the module only, not for those that it imports or gives another name', async () => {
    @Injectable()
    class Ledger {
      @OnCreate(...KEX)
      create() {}
    }
    @Module({ providers: [Ledger], exports: [Ledger] })
    class LedgerModule {}
    @Module({
      imports: [LedgerModule, KopfModule.forFeature({ idPrefix: 'audit' })],
      providers: [
        { provide: 'ALIAS', useExisting: Ledger },
        { provide: 'MADE', useFactory: (ledger: Ledger) => ledger, inject: [Ledger] },
      ],
    })
    class AuditModule {}
    await harness.run([], { imports: [AuditModule, LedgerModule] });
    expect(idsOf(harness)).toEqual(['create']);
  });

  it('should let several modules have instances of one class', async () => {
    @Module({ imports: [KopfModule.forFeature({ idPrefix: 'refunds' })], providers: [Invoices] })
    class RefundsModule {}
    await harness.run([], { imports: [BillingModule, RefundsModule] });
    expect(idsOf(harness).filter((id) => id.endsWith('create'))).toEqual(['billing/create', 'refunds/create']);
  });

  it('should be an error with two prefixes, which names the module and the method', async () => {
    @Module({
      imports: [KopfModule.forFeature({ idPrefix: 'one' }), KopfModule.forFeature({ idPrefix: 'two' })],
      providers: [Invoices],
    })
    class TornModule {}
    const error = (await harness.run([], { imports: [TornModule] }).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toBeInstanceOf(KopfBootstrapError);
    expect(error.message).toContain(
      "Invoices.create: TornModule imports KopfModule.forFeature() with different values of idPrefix, 'one' and 'two'; keep one",
    );
  });

  it.each(['', '/', 'a b', '-a', 'a/', 5 as never])('should be refused if no id can begin with it: %j', (idPrefix) => {
    expect(() => KopfModule.forFeature({ idPrefix })).toThrow(KopfOptionsError);
  });
});
