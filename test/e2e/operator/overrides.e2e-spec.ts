import { Injectable } from '@nestjs/common';
import {
  Daemon,
  Index,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnLogin,
  OnProbe,
  OnStartup,
  OnUpdate,
  Mutate,
  Timer,
  Validate,
  type ChangeContext,
  type DaemonContext,
} from 'nestjs-kopf';
import { HandlerInvoker } from '../../../libs/kopf/src/execution/handler.invoker.js';
import { KOPF_HEALTH_SETTINGS } from '../../../libs/kopf/src/health/health.tokens.js';
import { KopfProbes } from '../../../libs/kopf/src/health/kopf.probes.js';
import type { Handler } from '../../../libs/kopf/src/registry/handler.js';
import { KEX, OperatorHarness } from '../../support/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/reviews.js';

describe('The providers of the library, overridden in a testing module', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should have the handlers of every kind called through the one invoker', async () => {
    const called = new Map<string, string>();

    @Injectable()
    class RecordingInvoker extends HandlerInvoker {
      protected override call(handler: Handler, context: object): unknown {
        called.set(handler.source.split('.')[1], context.constructor.name);
        return super.call(handler, context);
      }
    }

    class Operator {
      @OnStartup()
      begin() {}
      @OnLogin()
      login() {
        return { server: 'http://embedded', transport: harness.kube.transport() };
      }
      @OnProbe()
      probe() {}
      @OnCleanup()
      end() {}
      @OnEvent(...KEX)
      event() {}
      @Index(...KEX)
      index() {}
      @Daemon(...KEX)
      async daemon({ stopped }: DaemonContext) {
        await stopped.wait();
      }
      @Timer(...KEX, { interval: 10 })
      timer() {}
      @OnCreate(...KEX)
      create({ subhandler }: ChangeContext) {
        subhandler('child', () => undefined);
      }
      @OnUpdate(...KEX)
      update() {}
      @OnField(...KEX, { field: 'spec.field' })
      field() {}
      @OnDelete(...KEX)
      delete() {}
      @Validate(...KEX)
      validate() {}
      @Mutate(...KEX)
      mutate() {}
    }

    const server = new StubAdmissionServer({ url: 'https://host' });
    await harness.run(Operator, {
      credentials: undefined,
      admission: { server },
      providers: [KopfProbes, { provide: KOPF_HEALTH_SETTINGS, useValue: { probeCacheTtl: 1, probeTimeout: 1 } }],
      overrides: new Map([[HandlerInvoker, RecordingInvoker]]),
    });
    await harness.create('a');
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    await harness.delete('a');
    await harness.advance(1);
    await server.review(makeReview(makeExample({ field: 'v1' })));
    await harness.get(KopfProbes).check();
    await harness.stop();

    expect(Object.fromEntries(called)).toEqual({
      begin: 'ActivityHandlerContext',
      login: 'LoginHandlerContext',
      probe: 'ActivityHandlerContext',
      end: 'ActivityHandlerContext',
      event: 'EventHandlerContext',
      index: 'IndexHandlerContext',
      daemon: 'DaemonHandlerContext',
      timer: 'DaemonHandlerContext',
      create: 'ChangeHandlerContext',
      'create/child': 'ChangeHandlerContext',
      update: 'ChangeHandlerContext',
      field: 'ChangeHandlerContext',
      delete: 'ChangeHandlerContext',
      validate: 'AdmissionHandlerContext',
      mutate: 'AdmissionHandlerContext',
    });
  });
});
