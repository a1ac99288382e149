import { ConsoleLogger } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  Daemon,
  Index,
  KopfModule,
  KopfOperator,
  KubeClient,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type EventContext,
  type IndexContext,
} from 'nestjs-kopf';
import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';
import { findReachable } from './reachable.js';

const TEXT = 'canary-7f3a9c';
const DATA = Buffer.from(TEXT).toString('base64');

/** Handlers of Secrets, which fail in all ways, and write into Secrets. */
class Handlers {
  @Index('secrets.v1')
  index({ body }: IndexContext) {
    return { [String(body.metadata.name)]: body.data };
  }
  @OnEvent('secrets.v1')
  event({ body }: EventContext) {
    return (body as any).nothing.there;
  }
  @OnCreate('secrets.v1', { backoff: 0.01, retries: 2 })
  fail({ body }: ChangeContext) {
    return (body as any).data.nothing.there;
  }
  @OnCreate('secrets.v1')
  wait({ retry }: ChangeContext) {
    if (retry === 0) throw new TemporaryError('not yet', { delay: 0.01 });
  }
  @OnCreate('secrets.v1')
  refuse() {
    throw new PermanentError('never');
  }
  @OnCreate('secrets.v1')
  write({ patch }: ChangeContext) {
    // The cluster moves it to the data, which is an inconsistency; and it knows no results in Secrets.
    patch.merge({ stringData: { written: TEXT }, data: { merged: DATA } });
    patch.transform((body: any) => {
      body.data.transformed = DATA;
    });
    return { result: 'unknown to Secrets' };
  }
  @OnCreate('secrets.v1', { retries: 1 })
  cyclic({ body }: ChangeContext) {
    return { body, map: new Map() };
  }
  @OnUpdate('secrets.v1')
  @OnResume('secrets.v1')
  update() {
    return 'updated';
  }
  @OnField('secrets.v1', { field: 'data.key' })
  field({ patch, new: value }: ChangeContext) {
    patch.merge({ data: { copied: value as string } });
  }
  @OnDelete('secrets.v1')
  remove() {}
  @Daemon('secrets.v1')
  async daemon({ patch, stopped }: any) {
    patch.merge({ stringData: { daemon: TEXT } });
    await stopped.wait(0.05);
    throw new Error('the daemon fails');
  }
  @Timer('secrets.v1', { interval: 0.1, initialDelay: 0.02 })
  timer({ patch, body }: any) {
    patch.transform((object: any) => {
      object.data = { ...object.data, timer: DATA };
    });
    return body.data.nothing.there;
  }
}

/** Declares the tests of what operators log of Secrets, and of their own credentials. */
export function describeSecretData(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;

    beforeAll(async () => {
      cluster = await startCluster();
    }, 120_000);

    afterAll(() => cluster?.stop());

    it('should be in no line of the log, at no level, whatever handlers do', async () => {
      const lines: string[] = [];
      const write = (chunk: unknown): boolean => lines.push(String(chunk)) > 0;
      const spies = [process.stdout, process.stderr].map((stream) =>
        vi.spyOn(stream, 'write').mockImplementation(write),
      );
      const secrets = '/api/v1/namespaces/default/secrets';
      try {
        const module = await Test.createTestingModule({
          imports: [
            KopfModule.forRoot({
              credentials: { ...cluster.credentials },
              namespaces: ['default'],
              execution: { defaultBackoff: 0.05 },
            }),
          ],
          providers: [Handlers],
        })
          .setLogger(
            new ConsoleLogger({ logLevels: ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'], colors: false }),
          )
          .compile();
        await module.init();
        await module.get(KopfOperator).ready();
        const metadata = { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': TEXT } };
        await cluster.user.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: TEXT } });
        const has = (text: RegExp) => () => Promise.resolve(text.test(lines.join('')));
        await eventually('the creation is handled', has(/Creation is processed/));
        await module
          .get(KubeClient)
          .patch('secrets.v1', 'a', { data: { more: DATA }, metadata: { labels: { a: 'b' } } });
        await eventually('the update is handled', has(/Updating is processed/));
        await module.get(KubeClient).delete('secrets.v1', 'a');
        await eventually('the deletion is handled', has(/Deletion is processed/));
        await module.close();
      } finally {
        for (const spy of spies) spy.mockRestore();
      }
      const text = lines.join('');
      const exposed = lines.filter((line) => line.includes(TEXT) || line.includes(DATA));
      expect(exposed).toEqual([]);
      for (const expected of [
        /Merge-patching finished with inconsistencies: the cluster has other values of .*stringData\.written/,
        /VERBOSE .*The patch is: \{"stringData":\{"written":"\*\*\*"\}|VERBOSE .*The patch is: .*"written":"\*\*\*"/,
        /VERBOSE .*Creation body: .*"key":"\*\*\*"/,
        /VERBOSE .*Updating diff: .*"\*\*\*"/,
        /failed permanently: never/,
        /returned what JSON cannot hold/,
      ]) {
        expect(text).toMatch(expected);
      }
    });

    it('should not be reachable in the application, nor should be tokens', async () => {
      const token = cluster.credentials.token!;
      const module = KopfModule.forRoot({ credentials: { ...cluster.credentials } });
      class Application {}
      const app = await NestFactory.createApplicationContext(
        { module: Application, imports: [module], providers: [Handlers] },
        { logger: false },
      );
      await app.get(KopfOperator).ready();
      expect(findReachable([app, app.get(ModulesContainer)], [token])).toEqual([]);
      expect(findReachable({ deep: [new Map([['a', { token: `Bearer ${token}` }]])] }, [token])).toEqual([
        '.deep.0.<value>.token',
      ]);
      await app.close();
    });
  });
}
