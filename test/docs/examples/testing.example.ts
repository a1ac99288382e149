// #region imports
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfModule, KopfOperator, KubeClient, OnCreate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { callHandler, changeContext, kopfMatchers, SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
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
describe('PatientOperator.create', () => {
  const operator = new PatientOperator();

  it('should give up for an hour at first', async () => {
    const context = changeContext({ name: 'a', retry: 0 });
    await expect(callHandler(context, () => operator.create(context))).rejects.toThrow(TemporaryError);
  });

  it('should store the number of attempts at last', async () => {
    const context = changeContext({ name: 'a', retry: 3 });
    await callHandler(context, () => operator.create(context));
    expect(context).toBePatchedWith({ data: { attempts: '4' } });
  });
});
// #endregion

// #region matchers
expect.extend(kopfMatchers);
// #endregion
