import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { KopfModule, OnLog, type KopfBootstrapError, type KopfModuleOptions } from 'nestjs-kopf';
import { generateManifests } from 'nestjs-kopf-cli';
import { PermittedCluster } from '../manifests/permitted.cluster.js';
import { MeteredWorld } from '../metrics/metered.operator.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { recordingOperator, runPod } from './logs.operator.js';

@Injectable()
class LogOperator {
  static lines: string[] = [];

  @OnLog('pods')
  note({ message }: { readonly message: string }) {
    LogOperator.lines.push(message);
  }
}

@Module({})
class LogModule {
  static register(options: KopfModuleOptions = {}): DynamicModule {
    return { module: LogModule, imports: [KopfModule.forRoot(options)], providers: [LogOperator] };
  }
}

describe('operators that follow logs', () => {
  it('should need to read pods and their logs, and nothing else of them', async () => {
    const options = { name: 'logs', namespace: 'default' };
    const { objects, permissions } = await generateManifests(LogModule.register(), options);
    const verbsOf = (resource: string) =>
      permissions.filter((each) => each.resource === resource).map(({ verb }) => verb);
    expect([verbsOf('pods').sort(), verbsOf('pods/log'), verbsOf('pods/status')]).toEqual([
      ['get', 'list', 'watch'],
      ['get'],
      [],
    ]);
    const cluster = await PermittedCluster.start('logs', []);
    try {
      await cluster.create(objects['rbac.yaml']);
      const { error } = await cluster.run(
        (given) => LogModule.register(given),
        async (client) => {
          const containers = [{ name: 'main', image: 'none' }];
          const metadata = { name: 'web', namespace: 'default' };
          await client.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });
          await cluster.clock.advance(2000);
          for (const line of ['a', 'b']) {
            cluster.kube.pods.print('web', `${line}\n`);
            await cluster.clock.advance(1000);
            cluster.kube.faults.damageLogs('cut');
            await cluster.kube.pods.fail('web');
            await cluster.clock.advance(30_000);
          }
        },
      );
      expect(error).toBeUndefined();
      expect(LogOperator.lines).toEqual(['a', 'b']);
    } finally {
      await cluster.stop();
    }
  });

  it('should count what they read in metrics', async () => {
    const harness = await OperatorHarness.start({ kube: { pods: true } });
    const { Operator } = recordingOperator({ regex: 'wanted' });
    const world = await MeteredWorld.start([Operator], { logs: { maxLineLength: 1024 } }, {}, harness);
    await runPod(harness, 'web');
    harness.kube.pods.print('web', `wanted\nother\n${'x'.repeat(2000)}\n`);
    await harness.advance(1);
    harness.kube.faults.damageLogs('cut');
    harness.kube.pods.print('web', 'wanted\n');
    await harness.advance(5);
    expect(await world.value('kopf_log_streams', { state: 'open' })).toBe(1);
    for (const [name, value] of Object.entries({ lines: 4, messages: 2, reopened: 1, gaps: 0, truncated_lines: 1 })) {
      expect(await world.value(`kopf_log_${name}_total`), name).toBe(value);
    }
  });

  it('should not start with options that cannot be used', async () => {
    class Operator {
      @OnLog('pods', { regex: /(a)\1/, container: [] })
      one() {}
      @OnLog('pods', { since: 'yesterday' as never, multiline: { start: '(', maxLines: 0 } })
      two() {}
      @OnLog('pods', { multiline: { start: /^a/, maxLines: 0 } })
      three() {}
    }
    const harness = await OperatorHarness.start({ definition: false });
    const error = await harness.run(Operator as never).catch((reason: unknown) => reason as KopfBootstrapError);
    expect((error as KopfBootstrapError).errors).toEqual([
      expect.stringMatching(/^Operator.one \(@OnLog\): option 'regex' cannot be used: .*neither backreferences/),
      "Operator.one (@OnLog): option 'container' must be a name, a list of names, or a regular expression",
      'Operator.two (@OnLog): option \'since\' must be "start", "now", or a number of seconds',
      expect.stringMatching(/^Operator.two \(@OnLog\): option 'multiline' has a 'start' that cannot be used: /),
      "Operator.three (@OnLog): option 'multiline' has a 'maxLines' that must be a whole number above 0",
    ]);
  });
});
