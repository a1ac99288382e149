import { IsInt } from 'class-validator';
import {
  Convert,
  Daemon,
  Index,
  KopfOperator,
  KopfWatcher,
  Mutate,
  OnChild,
  OnCreate,
  OnEvent,
  OnField,
  OnLog,
  OnReference,
  OnResume,
  References,
  Timer,
  Validate,
} from 'nestjs-kopf';
import { CustomResource } from 'nestjs-kopf/crd';
import { KOPF_RESOURCE } from 'nestjs-kopf/decorators';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { KopfMetrics, KopfMetricsModule } from 'nestjs-kopf/metrics';
import { respondWith } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { ServedOperator } from '../../support/operators/served.operator.js';

class TypoOperator {
  readonly seen: string[] = [];

  @OnCreate('confgmaps')
  create({ name }: { name: string }) {
    this.seen.push(name);
  }
}

describe('A resource of a handler that is not served', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  const ADMISSION = () => ({ admission: { server: new StubAdmissionServer() } });

  it('should be named in a warning with the method and with what can be meant', async () => {
    await harness.run(TypoOperator);
    expect(harness.logger.messages('warn')).toEqual([
      'confgmaps is not served: the cluster has no such resource; did you mean configmaps? Named by TypoOperator.create.',
    ]);
    expect(harness.get(KopfWatcher).unserved).toEqual([
      {
        resource: 'confgmaps',
        reason: 'the cluster has no such resource; did you mean configmaps?',
        handlers: ['TypoOperator.create'],
        suggestions: ['configmaps'],
      },
    ]);
  });

  it('should stand in the last line of the start, which does not say that all is well', async () => {
    await harness.run(TypoOperator);
    expect(harness.logger.messages('log').at(-1)).toBe(
      'The operator is ready, but not for all handlers: TypoOperator.create (confgmaps, did you mean configmaps?). It watches 0 objects.',
    );
  });

  it('should be named without a suggestion where nothing is near', async () => {
    class Unknown {
      @OnEvent('nonsense.example.com')
      spy() {}
    }
    await harness.run(Unknown);
    expect(harness.logger.messages('warn')).toEqual([
      'nonsense.example.com is not served: the cluster has no such resource; it will be, once it is created. Named by Unknown.spy.',
    ]);
  });

  class Misspelt {
    static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'kopfexample' };
  }

  const decorators: Record<string, [MethodDecorator, resource: string]> = {
    '@OnCreate': [OnCreate('kopfexmples.kopf.dev') as MethodDecorator, 'kopfexmples.kopf.dev'],
    '@OnResume': [OnResume('kopfexmples') as MethodDecorator, 'kopfexmples'],
    '@OnField': [OnField({ kind: 'KopfExmple' }, { field: 'spec.a' }) as MethodDecorator, 'kind=KopfExmple'],
    '@OnEvent': [OnEvent('kopf.dev/v1', 'kopfexmples') as MethodDecorator, 'kopfexmples.v1.kopf.dev'],
    '@Index': [Index('kopfexamples.kopf.dv') as MethodDecorator, 'kopfexamples.kopf.dv'],
    '@Daemon': [Daemon({ shortcut: 'kexs' }) as MethodDecorator, 'shortcut=kexs'],
    '@Timer': [Timer(Misspelt as any, { interval: 1 }) as MethodDecorator, 'kopfexample.v1.kopf.dev'],
    '@Validate': [Validate('kopfexmples.kopf.dev') as MethodDecorator, 'kopfexmples.kopf.dev'],
    '@Mutate': [Mutate('kopfexmples.kopf.dev') as MethodDecorator, 'kopfexmples.kopf.dev'],
    '@OnChild': [OnChild('kopfexamples.kopf.dev', 'kopfexmples') as MethodDecorator, 'kopfexmples'],
  };

  it.each(Object.keys(decorators))('should be noticed for every kind of handlers: %s', async (name) => {
    const [decorate, resource] = decorators[name];
    class Operator {
      @decorate
      handle() {}
    }
    await harness.run(Operator, ADMISSION());
    const [found] = harness.get(KopfWatcher).unserved;
    expect(found).toMatchObject({ resource, handlers: ['Operator.handle'] });
    expect(found.suggestions[0]).toMatch(/^kopfexamples\.(v1\.)?kopf\.dev$/);
    expect(harness.logger.messages('warn').join()).toMatch(/did you mean kopfexamples.*Named by Operator\.handle\./);
  });

  it('should be noticed for conversions, with all methods', async () => {
    class Operator {
      @Convert('kopfexmples.kopf.dev', { from: 'v1', to: 'v2' })
      up() {
        return {};
      }

      @Convert('kopfexmples.kopf.dev', { from: 'v2', to: 'v1' })
      down() {
        return {};
      }
    }
    await harness.run(Operator, ADMISSION());
    expect(harness.get(KopfWatcher).unserved).toMatchObject([
      { resource: 'kopfexmples.kopf.dev', handlers: ['Operator.up', 'Operator.down'] },
    ]);
  });

  it('should be noticed for references, logs, categories, and predicates', async () => {
    @References('spec.map', 'confgmaps')
    class Referring {
      @OnReference('kopfexamples.kopf.dev')
      refer() {}
    }
    class Logging {
      @OnLog('pdos')
      read() {}
    }
    class Others {
      @OnEvent({ category: 'alll' })
      all() {}

      @OnEvent(({ plural }) => plural === 'nothings')
      nothing() {}

      @OnEvent(({ plural }) => plural === 'nobodies')
      nobody() {}
    }
    await harness.run([Referring, Logging, Others]);
    const found = harness.get(KopfWatcher).unserved;
    expect(found.map(({ handlers }) => handlers.join())).toEqual(
      expect.arrayContaining(['Referring.refer', 'Logging.read', 'Others.all', 'Others.nothing,Others.nobody']),
    );
    expect(found.find(({ resource }) => resource === 'confgmaps')?.suggestions).toEqual(['configmaps']);
    expect(found.find(({ resource }) => resource === 'pdos')?.suggestions).toEqual(['pods']);
  });

  it('should watch what several predicates select, though they have no names', async () => {
    const seen: string[] = [];
    class Operator {
      @OnEvent(({ plural }) => plural === 'secrets')
      secret() {}

      @OnEvent(({ plural }) => plural === 'kopfexamples')
      example({ name }: { name: string }) {
        seen.push(name);
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(1);
    expect(seen).toEqual(['a']);
  });

  it('should name all methods that are for an ambiguous one, or for one that cannot be watched', async () => {
    await harness.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'kopfexamples.other.dev' },
      spec: {
        group: 'other.dev',
        scope: 'Namespaced',
        names: { plural: 'kopfexamples', singular: 'kopfexample', kind: 'KopfExample', shortNames: ['kex'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    class Ambiguous {
      @OnEvent('kopfexamples')
      one() {}

      @OnCreate('kopfexamples')
      other() {}

      @OnEvent('tokenreviews.authentication.k8s.io')
      review() {}
    }
    await harness.run(Ambiguous);
    expect(harness.get(KopfWatcher).unserved).toMatchObject([
      { resource: 'kopfexamples', handlers: ['Ambiguous.one', 'Ambiguous.other'] },
      expect.objectContaining({ handlers: ['Ambiguous.review'] }),
    ]);
  });

  it('should make the health degraded, without a restart, and be counted and shown', async () => {
    const served = await ServedOperator.start(harness, {
      platform: 'Express',
      handlers: [TypoOperator],
      imports: [
        KopfHealthModule.forRoot({ controller: true }),
        KopfMetricsModule.forRoot(),
        KopfConsoleModule.forRoot(),
      ],
    });
    await served.ready();
    for (const path of ['/readyz', '/healthz']) {
      const { status, body } = await served.get(path);
      expect(status).toBe(200);
      expect(body.details.kopf).toMatchObject({
        status: 'degraded',
        watchers: {
          status: 'degraded',
          unserved: [
            'confgmaps: the cluster has no such resource; did you mean configmaps? Named by TypoOperator.create.',
          ],
        },
      });
    }
    expect(await served.find(KopfMetrics).scrape()).toMatch(/kopf_unserved_handlers\{.*\} 1\n/);
    const overview = await harness.clock.runUntil(served.get('/kopf/api/overview'));
    expect(overview.body.unserved).toEqual([
      {
        resource: 'confgmaps',
        reason: 'the cluster has no such resource; did you mean configmaps?',
        handlers: ['TypoOperator.create'],
      },
    ]);
  });

  it('should be over when the CRD comes, and begin again when it goes', async () => {
    class Later {
      readonly seen: string[] = [];

      @OnCreate(...KEX)
      create({ name }: { name: string }) {
        this.seen.push(name);
      }
    }
    await harness.undefine();
    await harness.run(Later);
    const watcher = harness.get(KopfWatcher);
    expect(watcher.unserved).toHaveLength(1);
    await harness.define();
    await harness.advance(5);
    expect(watcher.unserved).toEqual([]);
    await harness.create('a');
    await harness.advance(5);
    expect(harness.get(Later).seen).toEqual(['a']);
    await harness.undefine();
    await harness.advance(60);
    expect(watcher.unserved).toHaveLength(1);
    await harness.get(KopfOperator).stop();
    expect(watcher.unserved).toEqual([]);
  });

  it('should be no alarm for CRDs that the application installs itself, also if the API server takes its time to serve them', async () => {
    class GadgetSpec {
      @IsInt() size: number;
    }
    @CustomResource({ group: 'late.example.com', kind: 'Gadget', spec: GadgetSpec })
    class Gadget {}
    class GadgetOperator {
      @OnCreate(Gadget)
      create() {}
    }
    const before = await harness.send('GET', '/apis');
    let isHidden = true;
    const starting = harness.run(GadgetOperator, {
      crds: 'apply',
      intercept: ({ path }) => (isHidden && path === '/apis' ? respondWith(200, before) : undefined),
    });
    harness.clock.setTimer(() => (isHidden = false), 2000);
    await starting;
    expect(harness.logger.messages('warn')).toEqual([]);
    expect(harness.get(KopfWatcher)).toMatchObject({ unserved: [], states: [{ resource: { plural: 'gadgets' } }] });
    expect(harness.logger.messages('log').at(-1)).toBe('The operator is ready: it watches 0 objects.');
  });
});
