import { Injectable } from '@nestjs/common';
import { KopfSettings, OnCreate, OnUpdate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { startWithDisks } from '../../support/operators/disks.js';
import { createApplication } from '../support/module.harness.js';
import { AppModule, digests } from './security.example.js';

describe('The examples of security', () => {
  it('should not log the fields that are named', async () => {
    const harness = await startWithDisks();
    const { redaction } = (await createApplication(harness, AppModule)).get(KopfSettings);

    @Injectable()
    class Operator {
      @OnCreate('disks')
      @OnUpdate('disks')
      handle({ patch }: ChangeContext) {
        patch.spec.b = { token: 'canary' };
      }
    }
    await harness.run(Operator, { redaction });
    await harness.create('a', { spec: { a: { token: 'canary', name: 'shown' } } });
    await harness.advance(10);
    await harness.patch('a', { spec: { a: { token: 'other canary' } } });
    await harness.advance(10);
    const lines = [...harness.logger.messages(), ...harness.logger.verboseMessages].join('\n');
    expect(lines).not.toContain('canary');
    expect(lines).toContain('"spec":{"a":{"name":"shown","token":"***"}}');
    expect(lines).toContain('["change",["spec","a","token"],"***","***"]');
    expect(lines).toContain('"spec":{"b":{"token":"***"}}');
  });

  const SECRETS = '/api/v1/namespaces/ns/secrets';
  const KEY = 'a key of 16 bytes or more';
  const encode = (text: string): string => Buffer.from(text).toString('base64');

  /** Notes the updates of Secrets, each with its difference. */
  class Secrets {
    static updates: unknown[] = [];

    @OnCreate('', 'v1', 'secrets')
    create() {}

    @OnUpdate('', 'v1', 'secrets')
    update({ diff }: ChangeContext) {
      Secrets.updates.push(diff);
    }
  }

  it('should keep digests instead of the data of Secrets, and notice changes', async () => {
    const harness = await startWithDisks();
    Secrets.updates = [];
    await harness.run(Secrets, digests([KEY]));
    const data = { password: encode('canary') };
    await harness.send('POST', SECRETS, { metadata: { name: 'a' }, data });
    await harness.advance(10);
    const { metadata } = await harness.send('GET', `${SECRETS}/a`);
    const stored = metadata.annotations!['kopf.zalando.org/last-handled-configuration'];
    expect(stored).toContain('"password":"hmac-sha256:');
    expect(stored).not.toContain(data.password);
    expect(Secrets.updates).toEqual([]);
    await harness.send('PATCH', `${SECRETS}/a`, { data: { password: encode('new') } });
    await harness.advance(10);
    expect(Secrets.updates).toEqual([
      [['change', ['data', 'password'], expect.stringMatching(/^hmac-sha256:/), encode('new')]],
    ]);
  });

  it('should call no handlers when digests are switched on, and when the key is changed', async () => {
    const harness = await startWithDisks();
    Secrets.updates = [];
    await harness.send('POST', SECRETS, { metadata: { name: 'a' }, data: { password: encode('canary') } });
    for (const options of [{}, digests([KEY]), digests(['the next key of 16 bytes', KEY])]) {
      await harness.run(Secrets, options);
      await harness.advance(10);
      expect(Secrets.updates).toEqual([]);
      await harness.send('PATCH', `${SECRETS}/a`, { metadata: { labels: { seen: `${harness.writes.length}` } } });
      await harness.advance(10);
      expect(Secrets.updates.splice(0)).toHaveLength(1);
      await harness.stop();
    }
  });

  it('should keep digests also in the progress of handlers, and call late ones', async () => {
    const seen: string[] = [];
    class Operator {
      @OnCreate('', 'v1', 'secrets')
      first({ body }: ChangeContext) {
        seen.push((body.data as { password: string }).password);
      }

      @OnCreate('', 'v1', 'secrets')
      second({ retry }: ChangeContext) {
        if (retry === 0) throw new TemporaryError('not yet', { delay: 60 });
      }
    }
    const harness = await startWithDisks();
    await harness.run(Operator, { ...digests([KEY]), execution: { lateChanges: 'repeat' } });
    await harness.send('POST', SECRETS, { metadata: { name: 'a' }, data: { password: encode('canary') } });
    await harness.advance(10);
    const { annotations } = (await harness.send('GET', `${SECRETS}/a`)).metadata;
    expect(annotations!['kopf.zalando.org/first']).toContain('hmac-sha256:');
    expect(JSON.stringify(annotations)).not.toContain(encode('canary'));
    await harness.send('PATCH', `${SECRETS}/a`, { metadata: { finalizers: ['example.com/other'] } });
    await harness.advance(10);
    expect(seen).toEqual([encode('canary')]);
    await harness.send('PATCH', `${SECRETS}/a`, { data: { password: encode('new') } });
    await harness.advance(10);
    expect(seen).toEqual([encode('canary'), encode('new')]);
  });

  it('should not start without a key', () => {
    expect(() => digests([''])).toThrow('DigestDiffBaseStorage needs one key at least');
  });
});
