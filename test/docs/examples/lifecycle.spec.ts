import { KopfOperator } from 'nestjs-kopf';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { createApplication } from '../support/module.harness.js';
import { AppModule, Maintenance, OwnLoginOperator, Switch, TokenOperator, WorkOperator } from './lifecycle.example.js';

describe('The examples of the lifecycle', () => {
  it('should start, stop, and start again by hand', async () => {
    const harness = await OperatorHarness.start();
    const application = await createApplication(harness, AppModule);
    const operator = application.get(KopfOperator);
    const handSwitch = new Switch(operator);
    expect(operator.state).toBe('idle');
    await harness.clock.runUntil(handSwitch.on());
    expect(operator.state).toBe('running');
    await harness.clock.runUntil(handSwitch.off());
    expect(operator.state).toBe('stopped');
    await harness.create('a');
    await harness.clock.runUntil(handSwitch.restart());
    await harness.advance(1);
    expect(harness.logger.messages('log')).toContainEqual(expect.stringContaining('a is being worked on.'));
  });

  it('should pause and go on', async () => {
    const harness = await OperatorHarness.start();
    const operator = await harness.run(WorkOperator);
    const maintenance = new Maintenance(operator);
    maintenance.begin();
    await harness.create('a');
    await harness.advance(600);
    expect(operator.pauseStatus).toEqual({ paused: true, reasons: ['The database is being moved.'] });
    expect(harness.patchesOf('a')).toEqual([]);
    maintenance.end();
    await harness.advance(1);
    expect(harness.patchesOf('a')).not.toEqual([]);
  });

  it('should log in', async () => {
    const harness = await OperatorHarness.start();
    const idle = { credentials: undefined, enabled: false, unready: true } as const;
    await harness.run(OwnLoginOperator, idle);
    const { info } = await harness.get<Vault>(Vault).acquire();
    expect(info).toMatchObject({ server: 'https://cluster.example.com:6443', token: 'from-somewhere' });
    vi.stubEnv('KUBECONFIG', '/nowhere/config');
    onTestFinished(() => void vi.unstubAllEnvs());
    await harness.run(TokenOperator, idle);
    await expect(harness.clock.runUntil(harness.get<Vault>(Vault).acquire())).rejects.toThrow(
      /TokenOperator.login: .*No such kubeconfig: \/nowhere\/config/,
    );
  });
});
