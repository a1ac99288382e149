import { ConsoleService } from '../../../libs/kopf-console/src/console.service.js';
import { startWithDisks } from '../../support/operators/disks.js';
import { runApplication } from '../support/module.harness.js';
import {
  AppModule,
  ConfiguredModule,
  ConsoleConfig,
  ConsoleGuard,
  GuardedModule,
  SignedInModule,
} from './console.example.js';

describe('The examples of the console', () => {
  it.each([AppModule, SignedInModule, ConfiguredModule])('should start: %o', async (module) => {
    const application = await runApplication(await startWithDisks(), module);
    expect(application.get(ConsoleService, { strict: false })).toBeInstanceOf(ConsoleService);
  });

  it('should find out who looks', async () => {
    const application = await runApplication(await startWithDisks(), GuardedModule);
    const guard = application.get(ConsoleGuard, { strict: false });
    const ask = (request: object) =>
      guard.canActivate({ switchToHttp: () => ({ getRequest: () => request }) } as never);
    const request = { headers: { 'x-forwarded-user': 'alice', 'x-forwarded-groups': 'ops,dev' } };
    expect([ask({ headers: {} }), ask(request)]).toEqual([false, true]);
    expect(request).toMatchObject({ user: { user: 'alice', groups: ['ops', 'dev'] } });
  });

  it('should let people act in the namespaces of their teams', () => {
    const { authorize } = new ConsoleConfig().createKopfConsoleOptions().actions!;
    const may = (user: string, namespace: string) =>
      (authorize as (...args: readonly unknown[]) => boolean)({ user }, 'retry', { namespace });
    expect([may('blue', 'team-blue'), may('blue', 'team-red'), may('admin', 'team-red')]).toEqual([true, false, true]);
  });
});
