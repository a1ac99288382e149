import { ActivityError, KopfOperator, OnStartup, PermanentError } from 'nestjs-kopf';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { startWithDisks } from '../../support/operators/disks.js';
import { createApplication, runApplication } from '../support/module.harness.js';
import {
  AppModule,
  Database,
  ItemsController,
  ItemsOperator,
  Maintenance,
  ManualModule,
  OperatorModule,
  OwnLoginOperator,
  RowsModule,
  Switch,
  TokenOperator,
  WorkOperator,
} from './lifecycle.example.js';

describe('The examples of startup and shutdown', () => {
  it('should open what is needed first, and close it last', async () => {
    const harness = await startWithDisks();
    const application = await runApplication(harness, RowsModule);
    await harness.create('a');
    await harness.advance(1);
    const database = application.get(Database);
    expect(database.rows).toEqual(['a']);
    await harness.clock.runUntil(application.close());
    expect(database.rows).toEqual(['a', 'the end']);
    expect(database.isOpen).toBe(false);
    const lines = harness.logger.messages('log').filter((line) => line.includes('licence'));
    expect(lines).toEqual(['The licence is valid.', 'The licence is given back.']);
  });

  it('should not start if a handler fails for good', async () => {
    class Refusing {
      @OnStartup()
      check() {
        throw new PermanentError('There is no licence.');
      }
    }
    const harness = await startWithDisks();
    await expect(harness.run(Refusing, { required: true })).rejects.toThrow(ActivityError);
  });
});

describe('The examples of availability', () => {
  it('should start without the cluster, and handle objects when it comes back', async () => {
    const harness = await startWithDisks();
    await harness.create('a');
    await harness.kube.faults.goDown();
    const application = await createApplication(harness, AppModule);
    await harness.advance(600);
    const operator = application.get(KopfOperator, { strict: false });
    expect([operator.state, application.get(ItemsController).list()]).toEqual(['starting', ['bolts', 'nuts']]);
    await harness.kube.faults.comeBack();
    await harness.clock.runUntil(operator.ready());
    await harness.advance(1);
    expect(application.get(ItemsOperator).seen).toEqual(['a']);
  });

  it('should not start without credentials if the operator is required', async () => {
    const harness = await startWithDisks();
    const fault = harness.kube.faults.reject(401, { times: Infinity });
    const application = await createApplication(harness, OperatorModule);
    const operator = application.get(KopfOperator);
    await harness.advance(600);
    expect([operator.required, operator.state]).toEqual([true, 'failed']);
    fault.cancel();
  });
});

describe('The examples of the lifecycle', () => {
  it('should start, stop, and start again by hand', async () => {
    const harness = await startWithDisks();
    const application = await createApplication(harness, ManualModule);
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
    const harness = await startWithDisks();
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
    const harness = await startWithDisks();
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
