import { Injectable, type Type } from '@nestjs/common';
import { ModulesContainer, SerializedGraph } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  Daemon,
  Index,
  KopfModule,
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
import { EventProcessor } from '../../../libs/kopf/src/handling/event.processor.js';
import { ObjectLoggerFactory } from '../../../libs/kopf/src/events/object.logger.js';
import { CycleRunner } from '../../../libs/kopf/src/handling/cycle.runner.js';
import { IndexHandling } from '../../../libs/kopf/src/handling/index.handling.js';
import { ObjectIndexing } from '../../../libs/kopf/src/indexing/object.indexing.js';
import { ReleaseHandling } from '../../../libs/kopf/src/handling/release.handling.js';
import { HandlingSteps } from '../../../libs/kopf/src/handling/handling.steps.js';
import { ChangeDetector } from '../../../libs/kopf/src/handling/change.detector.js';
import { EventHandling } from '../../../libs/kopf/src/handling/event.handling.js';
import { BackgroundHandling } from '../../../libs/kopf/src/handling/background.handling.js';
import { EssentialChanges } from '../../../libs/kopf/src/background/essential.changes.js';
import { FinalizerHandling } from '../../../libs/kopf/src/handling/finalizer.handling.js';
import { ChangeHandling } from '../../../libs/kopf/src/handling/change.handling.js';
import { ChangeExecutor } from '../../../libs/kopf/src/handling/change.executor.js';
import { LateChanges } from '../../../libs/kopf/src/handling/late.changes.js';
import { HandlerExecutor } from '../../../libs/kopf/src/execution/handler.executor.js';
import { PatchApplication } from '../../../libs/kopf/src/handling/patch.application.js';
import { PatchingClient } from '../../../libs/kopf/src/client/api/patching.client.js';
import { PatchVerification } from '../../../libs/kopf/src/client/api/patch.verification.js';
import { ObjectReader } from '../../../libs/kopf/src/client/api/object.reader.js';
import { BackgroundPatching } from '../../../libs/kopf/src/background/background.patching.js';
import { AdmissionProcessor } from '../../../libs/kopf/src/admission/review/admission.processor.js';
import { HandlerInvoker } from '../../../libs/kopf/src/execution/handler.invoker.js';
import { KopfProbes } from '../../../libs/kopf/src/health/kopf.probes.js';
import type { Handler } from '../../../libs/kopf/src/registry/handler.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { provideProbes } from '../../support/operators/probes.js';

/** Those that are between an event's queue and its patch, and those that answer reviews. */
const STEPS = [
  EventProcessor,
  ObjectLoggerFactory,
  CycleRunner,
  IndexHandling,
  ObjectIndexing,
  ReleaseHandling,
  HandlingSteps,
  ChangeDetector,
  EventHandling,
  BackgroundHandling,
  EssentialChanges,
  FinalizerHandling,
  ChangeHandling,
  ChangeExecutor,
  LateChanges,
  HandlerExecutor,
  HandlerInvoker,
  PatchApplication,
  PatchingClient,
  PatchVerification,
  ObjectReader,
  BackgroundPatching,
  AdmissionProcessor,
];

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
      providers: provideProbes({ probeCacheTtl: 1, probeTimeout: 1 }),
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

  it('should have a single step of handling done in another way', async () => {
    @Injectable()
    class NoFinalizers {
      adjust(): boolean {
        return false;
      }
      release() {}
    }

    const log: string[] = [];
    class Operator {
      @OnCreate(...KEX)
      create() {
        log.push('created');
      }
      @OnDelete(...KEX)
      delete() {
        log.push('deleted');
      }
    }

    await harness.run(Operator, { overrides: new Map([[FinalizerHandling, NoFinalizers]]) });
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
    await harness.delete('a');
    await harness.advance(1);
    expect(await harness.read('a')).toBeUndefined();
    expect(log).toEqual(['created']);
  });

  const compile = (override?: Type) => {
    const builder = Test.createTestingModule({ imports: [KopfModule.forRoot({ enabled: false })] });
    builder.setLogger(false as never);
    if (override) builder.overrideProvider(override).useValue({ isSubstitute: true });
    return builder.compile({ snapshot: true });
  };

  it.each(STEPS.map((step) => [step.name, step as Type]))(
    'should include each step of handling: %s',
    async (_, step) => {
      const module = await compile(step);
      expect(module.get(step, { strict: false })).toEqual({ isSubstitute: true });
      await module.close();
    },
  );

  it('should be in the graph of Nest, each of them where another one needs it', async () => {
    const module = await compile();
    const { nodes, edges } = module.get(SerializedGraph).toJSON();
    const used = Object.values(edges).map(({ target }) => nodes[target].label);
    // The event processor is used by the wiring of the watches.
    for (const { name } of STEPS) expect(used).toContain(name);
    await module.close();
  });

  it('should be shared by nobody: two applications of one process have nothing in common', async () => {
    const instancesOf = async () => {
      const module = await compile();
      onTestFinished(() => module.close());
      const modules = [...module.get(ModulesContainer).values()].filter(({ name }) => name.startsWith('Kopf'));
      return modules.flatMap(({ providers }) => [...providers.values()].map(({ instance }) => instance as unknown));
    };
    const [first, second] = [await instancesOf(), await instancesOf()];
    const objects = first.filter((instance) => typeof instance === 'object' && instance !== null);
    expect(objects.length).toBeGreaterThan(STEPS.length);
    expect(objects.filter((instance) => second.includes(instance))).toEqual([]);
  });
});
