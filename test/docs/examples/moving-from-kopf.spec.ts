import { Test } from '@nestjs/testing';
import { KopfRegistry, type KopfOperator } from 'nestjs-kopf';
import { loginContext } from 'nestjs-kopf/testing';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import {
  AddressOperator,
  AuditedOperator,
  CleaningOperator,
  ClustersModule,
  createModule,
  KeywordsOperator,
  LoginOperator,
  LoopOperator,
  MissingOperator,
  ParentOperator,
  ProgressOperator,
  StartupOperator,
} from './moving-from-kopf.example.js';

const CONFIG_MAPS = '/api/v1/namespaces/ns/configmaps';

describe('The examples of moving from Kopf', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  const log = () => harness.logger.messages('log');

  it('should take what is shared before other handlers run', async () => {
    await harness.run(AddressOperator);
    await Promise.all(['a', 'b', 'c'].map((name) => harness.create(name)));
    await harness.advance(1);
    const given = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => (await harness.object(name)).status?.create?.address),
    );
    expect(given.filter(Boolean).sort()).toEqual(['10.0.0.1', '10.0.0.2']);
    await harness.stop();
  });

  it('should handle children before their parents have been handled', async () => {
    await harness.run(ParentOperator);
    await harness.create('a', { spec: { colour: 'red' } });
    await harness.advance(5);
    expect(log()).toContain('[ns/a-child] It is red, and its parent has not been handled.');
    expect((await harness.object('a')).status).toEqual({ create: { child: 'a-child' } });
  });

  it('should wait for what is missing', async () => {
    await harness.run(MissingOperator);
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(log().filter((line) => line.includes('address'))).toEqual([]);
    await harness.patch('a', { status: { create: { address: '10.0.0.1' } } });
    await harness.advance(20);
    expect(log()).toContain('[ns/a] The address is 10.0.0.1.');
  });

  it('should hand on what is left of the context', async () => {
    await harness.run(KeywordsOperator);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).status.create).toEqual({ greeting: 'Hello, a', from: 'ns', isKnown: true });
  });

  it('should call what another decorator has wrapped', async () => {
    await harness.run(AuditedOperator);
    await harness.create('a');
    await harness.advance(1);
    expect(log()).toContain('[ns/a] create begins.');
    expect((await harness.object('a')).status.create).toBe('done with a');
  });

  it('should decorate in a loop', async () => {
    await harness.run(LoopOperator);
    await harness.create('a');
    await harness.send('POST', CONFIG_MAPS, { metadata: { name: 'c' } });
    await harness.advance(1);
    expect(log()).toContain('[ns/a] One of the kopfexamples was created.');
    expect(log()).toContain('[ns/c] One of the configmaps was created.');
  });

  it('should have handlers only where they are wanted', async () => {
    for (const cleansUp of [true, false]) {
      const module = await Test.createTestingModule({ imports: [createModule({ cleansUp })] })
        .setLogger(false as never)
        .compile();
      const find = () => module.get(CleaningOperator, { strict: false });
      if (cleansUp) expect(find()).toBeInstanceOf(CleaningOperator);
      else expect(find).toThrow('CleaningOperator');
    }
  });

  it('should have an operator for each cluster', async () => {
    const module = await Test.createTestingModule({ imports: [ClustersModule] })
      .setLogger(false as never)
      .compile();
    expect(module).toBeDefined();
  });

  it('should log in as the environment of the process says', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const context = loginContext({ serviceAccount: { server: 'https://pod' }, kubeConfig: { server: 'https://file' } });
    expect(await new LoginOperator().login(context)).toEqual({ server: 'https://pod' });
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    expect(await new LoginOperator().login(context)).toEqual({ server: 'https://file' });
  });

  it('should read the progress of other handlers', async () => {
    await harness.run(ProgressOperator);
    await harness.create('a');
    await harness.advance(60);
    expect(log().filter((line) => line.includes('was tried'))).toEqual([
      '[ns/a] create was tried 1 times.',
      '[ns/a] create was tried 1 times.',
    ]);
  });

  it('should ask the API server while it starts', async () => {
    const operator: KopfOperator = await harness.run(StartupOperator);
    expect(operator.state).toBe('running');
    expect(log().some((line) => /There are \d+ namespaces\./.test(line))).toBe(true);
    expect(harness.get(KopfRegistry).describe()).toHaveLength(1);
  });
});
