// #region imports
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfModule, KopfOperator, KubeClient, OnCreate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
// #endregion

// #region operator
@Injectable()
export class PatientOperator {
  @OnCreate('configmaps.v1', { labels: { app: 'web' } })
  create({ retry, patch }: ChangeContext) {
    if (retry < 3) throw new TemporaryError('Not yet.', { delay: 3600 });
    patch.merge({ data: { attempts: String(retry + 1) } });
  }
}
// #endregion

// #region spec
describe('PatientOperator', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'web' } } };
  let clock: VirtualClock;
  let kube: EmbeddedKube;
  let app: TestingModule;

  beforeEach(async () => {
    clock = new VirtualClock();
    kube = await EmbeddedKube.start({ port: false, clock, random: new SeededRandom(1) });
    const credentials = { server: 'http://embedded', transport: kube.transport() };
    app = await Test.createTestingModule({
      imports: [KopfModule.forRoot({ clock, random: new SeededRandom(2), credentials })],
      providers: [PatientOperator],
    }).compile();
    await clock.runUntil(app.init());
    await clock.runUntil(app.get(KopfOperator).ready());
  });

  afterEach(async () => {
    await clock.runUntil(app.close());
    await clock.runUntil(kube.stop());
  });

  it('should succeed with the fourth attempt, after three hours', async () => {
    const client = app.get(KubeClient);
    await clock.runUntil(client.create(map));
    await clock.advance(3 * 3600_000 - 1000);
    expect((await clock.runUntil(client.get('configmaps', 'a'))).data).toBeUndefined();
    await clock.advance(2000);
    expect((await clock.runUntil(client.get('configmaps', 'a'))).data).toEqual({ attempts: '4' });
  });
});
// #endregion

// #region unit
it('should be called as a method', () => {
  const patch = { merge: vi.fn() };
  const context = { retry: 3, patch } as unknown as ChangeContext;
  new PatientOperator().create(context);
  expect(patch.merge).toHaveBeenCalledWith({ data: { attempts: '4' } });
});
// #endregion
