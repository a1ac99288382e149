import { Injectable, Module } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import {
  Index,
  KopfAdmission,
  KopfIndices,
  KopfOperator,
  KopfPeering,
  KopfRegistry,
  KopfVault,
  KopfWatcher,
  KubeClient,
  OnCreate,
  type IndexContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

@Injectable()
class Inspector {
  constructor(
    readonly operator: KopfOperator,
    readonly registry: KopfRegistry,
    readonly watcher: KopfWatcher,
    readonly vault: KopfVault,
    readonly peering: KopfPeering,
    readonly indices: KopfIndices,
    readonly admission: KopfAdmission,
    readonly client: KubeClient,
  ) {}
}

@Module({ providers: [Inspector], exports: [Inspector] })
class InspectionModule {}

class Handlers {
  @OnCreate(...KEX)
  create() {}

  @OnCreate('v1', 'pods', { id: 'create' })
  createPod() {}

  @Index(...KEX)
  names({ name }: IndexContext) {
    return { [name]: name };
  }
}

describe('The services of the operator, in a module of the application', () => {
  let harness: OperatorHarness;
  let inspector: Inspector;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    await harness.create('a');
    await harness.run(Handlers, { imports: [InspectionModule], peering: { identity: 'me' } });
    inspector = harness.get(Inspector);
  });

  it('should tell what the operator does', () => {
    expect([inspector.operator.state, inspector.operator.objects]).toEqual(['running', 1]);
  });

  it('should find handlers by their ids and by their resources', async () => {
    const { registry, client } = inspector;
    expect(registry.describe().map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'changing create',
      'changing create',
      'index names',
    ]);
    expect(registry.findById('create').map(({ source }) => source)).toEqual(['Handlers.create', 'Handlers.createPod']);
    expect(registry.findById('nothing')).toEqual([]);
    const pods = await client.resolve('pods');
    expect(registry.findByResource(pods).map(({ source }) => source)).toEqual(['Handlers.createPod']);
  });

  it('should tell what is watched, and each change of it', async () => {
    const { watcher, operator } = inspector;
    const states = (): string[] => watcher.states.map(({ resource, state }) => `${resource.plural}: ${state}`).sort();
    expect(states()).toEqual(['kopfexamples: watching', 'pods: watching']);
    const change = firstValueFrom(watcher.changes$);
    operator.pause();
    await harness.advance(1);
    expect(await change).toMatchObject({ state: 'paused' });
    expect(states()).toEqual(['kopfexamples: paused', 'pods: paused']);
  });

  it('should tell who is logged in', () => {
    const { vault } = inspector;
    expect(vault.logins).toMatchObject([{ source: 'given', server: 'http://embedded' }]);
    expect(vault.failure).toBeUndefined();
  });

  it('should tell of peers, indices, and reviews', () => {
    const { peering, indices, admission } = inspector;
    expect([peering.identity, peering.status, peering.paused]).toEqual(['me', [], false]);
    expect(indices.get('names').get('a')?.toArray()).toEqual(['a']);
    expect([admission.isServing, admission.reviewing]).toEqual([false, 0]);
  });
});
